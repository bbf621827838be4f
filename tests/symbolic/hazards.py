"""What the tests of hazards share: a network, the same as a model, and a look at both.

An event of the table `events` is done to a model and to a twin, a plain ``nn.Module`` with the same
layers that calls them by hand. Whatever can be seen of a run must be equal: results, gradients,
buffers, what hooks were given, and how many random numbers were drawn.
"""

from __future__ import annotations

import copy
import re
import sys
from types import FrameType
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel, add_to_graph
from tests.symbolic.programs import assert_same


class Network(nn.Module):
    """One layer of each kind that matters, called by hand."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(2, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.relu = nn.ReLU(inplace=True)
        self.drop = nn.Dropout(0.4)
        self.pool = nn.MaxPool2d(2)
        self.flat = nn.Flatten()
        self.linear = nn.Linear(16, 6)
        self.layer_norm = nn.LayerNorm(6)
        self.gelu = nn.GELU()
        self.head = nn.Linear(6, 4)
        self.softmin = nn.Softmin(1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        h = self.drop(self.relu(self.norm(self.conv(x))))
        h = self.linear(self.flat(self.pool(h)))
        h = h + self.gelu(self.layer_norm(h)) * 2
        return self.softmin(self.head(h))


LAYERS = tuple(Network()._modules)


def network(training: bool) -> Network:
    """Return a network whose statistics are no longer those of a new one."""
    torch.manual_seed(0)
    made = Network()
    with torch.no_grad():
        made(torch.randn(8, 2, 6, 6) * 2 + 1)
    return made.train(training)


def model_of(made: Network, execution: str) -> SymbolicModel:
    """Return a model of the same layers, under the same names."""
    x = h = Input(shape=(2, 6, 6))
    for name in ("conv", "norm", "relu", "drop", "pool", "flat", "linear"):
        h = h(getattr(made, name), custom_name=name)
    g = h(made.layer_norm, custom_name="layer_norm")(made.gelu, custom_name="gelu")
    h = (h + g * 2)(made.head, custom_name="head")
    model = SymbolicModel(x, h(made.softmin, custom_name="softmin"), execution=execution)
    return model.train(made.training)


def add_or_call(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Record the call if a value is symbolic, else make it."""
    values = list(args) + list(kwargs.values())
    symbolic = any("Symbolic" in type(v).__name__ for v in values) or "Symbolic" in repr(values)
    return add_to_graph(function, *args, **kwargs) if symbolic else function(*args, **kwargs)


def value(dtype: torch.dtype = torch.float32) -> torch.Tensor:
    torch.manual_seed(1)
    return torch.randn(3, 2, 6, 6, dtype=dtype)


def dtype_of(owner: nn.Module) -> torch.dtype:
    return next((p.dtype for p in owner.parameters() if p.is_floating_point()), torch.float32)


def observe(owner: nn.Module, log: list[Any]) -> dict[str, Any]:
    """Run forward and backward; return everything that can be seen of it."""
    x = value(dtype_of(owner)).requires_grad_()
    owner.zero_grad()
    log.clear()
    torch.manual_seed(2)
    try:
        result = owner(x)
        weights = torch.linspace(-1, 2, result.numel(), dtype=torch.float64).reshape(result.shape)
        if result.requires_grad:
            (result.double() * weights).sum().backward()
    except Exception as error:  # noqa: BLE001 - an error is an observation, too
        return {"error": (type(error), str(error).splitlines()[:1]), "log": list(log)}
    return {
        "result": result,
        "gradient": x.grad,
        "gradients": {name: p.grad for name, p in sorted(owner.named_parameters())},
        "buffers": {name: b.clone() for name, b in sorted(owner.named_buffers())},
        "log": list(log),
        "random": torch.rand(3),
    }


def called_layers(model: SymbolicModel, *inputs: Any) -> set[str]:
    """Return the names of the layers that a forward calls, watched from outside."""
    code = nn.Module._call_impl.__code__
    called = set()

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event == "call" and frame.f_code is code:
            called.add(id(frame.f_locals["self"]))

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        with torch.no_grad():
            model(*(inputs or (value(dtype_of(model)),)))
    finally:
        sys.setprofile(before)
    return {name for name, layer in model._modules.items() if id(layer) in called}


def always_called(model: SymbolicModel) -> set[str]:
    """Return the names of the layers that are called even where everything is written out."""
    statistics = model._modules["norm"]._buffers
    collected = all(statistics.get(f"running_{name}") is not None for name in ("mean", "var"))
    return {"softmin"} if collected and not model.training else {"softmin", "norm"}


def called_in_source(model: SymbolicModel) -> set[str]:
    """Return the names of the layers that the source calls; all others are written out."""
    return {
        model.graph.calls[int(place)].name for place in re.findall(r"l\[(\d+)\]\(", model.source)
    }


def doubled(_: nn.Module, args: Any, result: torch.Tensor) -> torch.Tensor:
    """Double what a layer returns: a hook that cannot be overlooked."""
    return result * 2


class Pair:
    """A model and its twin, with a log for each."""

    def __init__(self, execution: str, training: bool) -> None:
        made = network(training)
        self.twin = copy.deepcopy(made)
        self.logs: tuple[list[Any], list[Any]] = ([], [])
        self._undo: list[Any] = []
        self.model = model_of(made, execution)

    def do(self, event: Any) -> None:
        for owner, log in zip((self.model, self.twin), self.logs, strict=True):
            torch.manual_seed(3)
            self._undo.append(event.do(owner, log))

    def undo(self) -> bool:
        """Take the last event back, if it can be."""
        for undo in reversed(self._undo):
            if undo is not None:
                undo()
        return all(self._undo)

    def agree(self) -> bool:
        """Check twice that the model does what its twin does; what is remembered comes second.

        Returns whether they compute anything: else both raise the same error.
        """
        for _ in range(2):
            expected = observe(self.twin, self.logs[1])
            assert_same(observe(self.model, self.logs[0]), expected)
        return "error" not in expected

    def check_how(self, called: bool) -> None:
        """Check from outside whether the layers are called."""
        model = self.model
        names = called_layers(model)
        with torch.no_grad():
            self.twin(value(dtype_of(self.twin)))  # that look moved the statistics
        if model.execution != "inlined":
            return
        assert names == (set(model._modules) if called else always_called(model))


MODES = [
    pytest.param("inlined", True, id="inlined-train"),
    pytest.param("inlined", False, id="inlined-eval"),
]
each_mode = pytest.mark.parametrize(("execution", "training"), MODES)
