from __future__ import annotations

import sys

import pytest
import torch
from torch import nn

from hpml.course.runtimes import NotInstalledError, RuntimesError, compile_int8, int8, weight_bytes
from hpml.symbolic import Input, SymbolicModel
from tests.parts import raises

X = torch.rand(16, 64)


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).eval()


def train(prepared: nn.Module) -> None:
    prepared.train()
    optimiser = torch.optim.SGD(prepared.parameters(), 1e-3)
    prepared(X).square().mean().backward()
    optimiser.step()


@pytest.mark.parametrize("way", ["dynamic", "static", "aware"])
def test_integers_stay_close_take_a_quarter_and_any_batch(way: str) -> None:
    full = model()
    before = [p.clone() for p in full.parameters()]
    small = int8(full, X, way, calibration=[X], train=train)
    with torch.no_grad():
        mine, its = small(X[:5]), full(X[:5])
    assert 0 < float((mine - its).abs().max()) < 0.05 * float(its.abs().max())
    assert 0.25 < weight_bytes(small) / weight_bytes(full) < 0.32
    assert all(map(torch.equal, before, full.parameters()))


@pytest.mark.needs("C++ compiler")
def test_compiled_they_compute_the_same() -> None:
    small = int8(model(), X, "static", calibration=[X])
    torch.testing.assert_close(compile_int8(small, X)(X), small(X).detach(), rtol=0, atol=0.02)


def test_a_symbolic_model_is_quantised_as_any_other_and_a_tensor_is_one_batch() -> None:
    full, x = model(), Input(shape=(64,))
    symbolic = SymbolicModel(x, full[2](full[1](full[0](x)))).eval()
    small, same = (int8(each, X, "static", calibration=X) for each in (symbolic, full))
    assert torch.equal(small(X[:5]), same(X[:5]))
    listed = int8(full, X, "static", calibration=[X])
    assert torch.equal(listed(X), same(X))


def test_a_model_without_a_layer_to_convert_is_refused() -> None:
    with raises(RuntimesError, object="model of int8", received="PReLU"):
        int8(nn.Sequential(nn.PReLU(64)), X, "dynamic")


def test_a_batch_of_one_and_batches_with_labels_are_refused() -> None:
    with raises(RuntimesError, object="example of int8", expected="two", received="(1, 64)"):
        int8(model(), X[:1], "dynamic")
    name, remedy = "calibration of int8", "for x, _ in"
    with raises(RuntimesError, object=name, received="(Tensor", remedy=remedy):
        int8(model(), X, "static", calibration=[(X, 0)])


def test_what_a_way_needs_is_asked_for() -> None:
    for way, given in [("most", {}), ("static", {}), ("aware", {"calibration": [X]})]:
        with raises(RuntimesError, object="way of int8", received=f"'{way}'", remedy="'aware'"):
            int8(model(), X, way, **given)


def test_without_torchao_it_says_how_to_install_it(monkeypatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchao"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torchao", None)
    remedy = "pip install -c constraints.txt torchao"
    with raises(NotInstalledError, object="torchao", remedy=remedy):
        int8(model(), X, "dynamic")
