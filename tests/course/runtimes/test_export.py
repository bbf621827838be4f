from __future__ import annotations

import logging
import sys
import warnings

import pytest
import torch
from torch import nn

from hpml.course.models.activations import FastSwish
from hpml.course.runtimes import ExportError, NotInstalledError, export, export_onnx
from hpml.symbolic import Input, SymbolicModel
from tests.parts import raises

X = torch.rand(2, 3, 8, 8)


class Branching(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x if x.sum() > 0 else -x


class Bessel(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.special.bessel_j0(x)


def network() -> nn.Module:
    return nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4), nn.Dropout())


def test_a_model_is_exported_as_it_predicts_and_as_it_trains(tmp_path) -> None:
    model = network()
    model[0].eval()
    predicting, training = export_onnx(model, X), export_onnx(model, X, training=True)
    assert predicting.operators == {"Conv": 1}
    assert training.operators["BatchNormalization"] == training.operators["Dropout"] == 1
    assert [module.training for module in model.modules()] == [True, False, True, True]
    assert training.save(tmp_path / "model.onnx").read_bytes() == training.data
    assert "for viewing only" in str(training)


def test_a_graph_that_lost_a_dropout_is_refused(monkeypatch) -> None:
    def without_dropout(program, optimise):
        return torch.onnx.export(torch.export.export(nn.ReLU(), (X,)), dynamo=True, verbose=False)

    monkeypatch.setattr(export, "_translated", without_dropout)
    with raises(ExportError, object="export_onnx(training=True)", expected="2 (Dropout)"):
        export_onnx(network(), X, training=True)


def test_parents_say_who_reads_what() -> None:
    x, y = Input(shape=(4,)), Input(shape=(4,))
    model = SymbolicModel([x, y], torch.relu(nn.Linear(4, 4)(x) + y))
    exported = export_onnx(model, torch.ones(2, 4), torch.ones(2, 4))
    first, second = exported.names
    expected = {first: [], second: [], "Gemm_1": [first], "Add_1": ["Gemm_1", second]}
    assert exported.parents == {**expected, "Relu_1": ["Add_1"]}


@pytest.mark.parametrize("layer", [Branching(), Bessel()])
def test_what_cannot_be_exported_is_named_by_its_layer(layer: nn.Module) -> None:
    model = nn.Sequential(nn.ReLU(), nn.Sequential(nn.Linear(4, 4), layer))
    with raises(ExportError, object=f"layer '1.1' ({type(layer).__name__})", remedy="torch."):
        export_onnx(model, torch.ones(2, 4))


def test_what_is_no_model_is_refused() -> None:
    with raises(ExportError, object="export_onnx", received="relu"):
        export_onnx(torch.relu, X)
    with raises(ExportError, object="export_onnx", received=("LSTM(", "(Tensor"), remedy="wrap"):
        export_onnx(nn.LSTM(4, 4), torch.ones(1, 4), (torch.ones(1, 4), torch.ones(1, 4)))


def test_a_wrong_shape_is_not_taken_for_a_branch() -> None:
    name = "layer '0' (Linear)"
    with raises(ExportError, object=name, received="reduction dim", remedy="run on them"):
        export_onnx(nn.Sequential(nn.Linear(4, 4)), torch.ones(2, 5))


def test_fast_swish_is_exported_as_operations() -> None:
    model = nn.Sequential(nn.Linear(4, 4), FastSwish())
    exported = export_onnx(model, torch.ones(2, 4))
    assert exported.operators["Where"] >= 1


@pytest.mark.parametrize("package", ["onnx", "onnxscript"])
def test_a_missing_package_is_named_with_the_way_to_install_it(monkeypatch, package) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    remedy = f"pip install -c constraints.txt {package}"
    with raises(NotInstalledError, object=package, received="not installed", remedy=remedy):
        export_onnx(nn.ReLU(), X)


def test_nothing_is_said_and_logging_is_as_before(capfd) -> None:
    before = logging.root.manager.disable
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        export_onnx(nn.ReLU(), X)
        with raises(ExportError, object="the model", remedy="torch.where"):
            export_onnx(Branching(), X)
    assert logging.root.manager.disable == before
    assert capfd.readouterr() == ("", "")
