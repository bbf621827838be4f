"""Three ways into 8-bit integers: close to the model, smaller, and not without what they need."""

from __future__ import annotations

import sys

import pytest
import torch
from torch import nn

from hpml.jit import find_compiler
from hpml.runtimes import NotInstalledError, RuntimesError, compile_int8, int8, weight_bytes

X = torch.rand(16, 64)


def model() -> nn.Module:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).eval()


def train(prepared: nn.Module) -> None:
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


@pytest.mark.skipif(find_compiler() is None, reason="needs a C++ compiler, such as g++")
def test_compiled_they_compute_the_same() -> None:
    small = int8(model(), X, "static", calibration=[X])
    torch.testing.assert_close(compile_int8(small, X)(X), small(X).detach(), rtol=0, atol=0.02)


def test_what_a_way_needs_is_asked_for() -> None:
    for way, given in [("most", {}), ("static", {}), ("aware", {"calibration": [X]})]:
        with pytest.raises(RuntimesError, match=f"received '{way}' with"):
            int8(model(), X, way, **given)


def test_without_torchao_it_says_how_to_install_it(monkeypatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchao"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "torchao", None)
    with pytest.raises(NotInstalledError, match=r"pip install -c constraints\.txt torchao"):
        int8(model(), X, "dynamic")
