"""Programs that the tests run as symbolic models and as plain PyTorch.

A program is a Python function of its inputs. Called with symbolic data it records a graph; called
with real data it *is* the plain PyTorch that the model is compared with. Where a program is built
of nested models, ``plain`` is the same written by hand.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn

from hpml.symbolic import Input, SymbolicModel, config

PROGRAMS: dict[str, Callable[[str], Program]] = {}


@dataclass
class Program:
    """A function, the layers it uses, and its inputs, symbolic and real."""

    forward: Callable[..., Any]
    inputs: list[Callable[[], Any]]
    samples: list[Any]
    layers: list[nn.Module] = field(default_factory=list)
    plain: Callable[..., Any] | None = None
    random: bool = False
    """Whether it draws random numbers while training."""
    loop_length: float = 50

    def __post_init__(self) -> None:
        self.plain = self.plain or self.forward
        self.modules = nn.ModuleList(self.layers)

    def model(self, execution: str) -> SymbolicModel:
        """Build the model; no handle is left."""
        with config.loop_length(self.loop_length):
            handles = [make() for make in self.inputs]
            return SymbolicModel(handles, self.forward(*handles), execution=execution)


@dataclass
class Observation:
    """Everything that a run leaves behind."""

    outputs: Any
    gradients: list[torch.Tensor | None]
    buffers: list[torch.Tensor]


def observe(run: Callable[..., Any], program: Program) -> Observation:
    """Run forward and backward, and put the layers' state back."""
    state = copy.deepcopy(program.modules.state_dict())
    program.modules.zero_grad()
    samples = [_fresh(sample) for sample in program.samples]
    torch.manual_seed(7)
    outputs = run(*samples)
    total = torch.zeros((), dtype=torch.float64)
    for position, tensor in enumerate(tensors_in(outputs)):
        if tensor.requires_grad:
            weights = torch.linspace(-1, 2 + position, tensor.numel()).reshape(tensor.shape)
            total = total + (tensor * weights).sum().double()
    if total.requires_grad:
        total.backward()
    owners = [*tensors_in(samples), *program.modules.parameters()]
    gradients = [None if t.grad is None else t.grad.clone() for t in owners]
    buffers = [buffer.clone() for buffer in program.modules.buffers()]
    program.modules.load_state_dict(state)
    return Observation(outputs, gradients, buffers)


def _fresh(sample: Any) -> Any:
    if isinstance(sample, torch.Tensor):
        copied = sample.detach().clone()
        return copied.requires_grad_() if copied.is_floating_point() else copied
    return copy.deepcopy(sample)


def tensors_in(value: Any) -> list[torch.Tensor]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [tensor for part in value for tensor in tensors_in(part)]
    if isinstance(value, dict):
        return [tensor for part in value.values() for tensor in tensors_in(part)]
    return []


def assert_same(received: Any, expected: Any) -> None:
    """Equal bit for bit, with the same types, at every depth."""
    assert type(received) is type(expected), (type(received), type(expected))
    if isinstance(expected, torch.Tensor):
        assert received.dtype == expected.dtype
        assert received.shape == expected.shape
        assert torch.equal(received, expected), (received - expected).abs().max()
    elif isinstance(expected, (list, tuple)):
        assert len(received) == len(expected)
        for one, other in zip(received, expected, strict=True):
            assert_same(one, other)
    elif isinstance(expected, dict):
        assert list(received) == list(expected)
        for key in expected:
            assert_same(received[key], expected[key])
    else:
        assert received == expected


def assert_observations_equal(received: Observation, expected: Observation) -> None:
    assert_same(received.outputs, expected.outputs)
    assert_same(received.gradients, expected.gradients)
    assert_same(received.buffers, expected.buffers)


def program(make: Callable[..., Program]) -> Callable[..., Program]:
    PROGRAMS[make.__name__] = make
    return make


def tensor_input(*shape: int, **settings: Any) -> Callable[[], Any]:
    return lambda: Input(shape=shape, **settings)
