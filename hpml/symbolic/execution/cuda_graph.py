"""CUDA graphs: record the kernels of a forward once, then let the GPU replay them by itself.

A small model on a fast GPU waits for Python, which launches one kernel after the other. A recorded
graph is launched with a single call. It is fixed: the same shapes, the same memory, the same
kernels. So there is one recording for each shape of the inputs, made when that shape is first met.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from hpml.symbolic.building.shapes.preserved_state import preserved
from hpml.symbolic.errors import ArgumentError, DeviceError

from .program import Program


def check_available() -> None:
    """Refuse where no GPU can record."""
    if not torch.cuda.is_available():
        raise DeviceError(
            "enable_cuda_graphs=True expected a CUDA GPU, received a machine on which "
            "torch.cuda.is_available() is False: leave it off here, or see `hpml doctor`"
        )


class _Recordable(nn.Module):
    """What is recorded: the model's layers, and the program that calls them."""

    def __init__(self, model: nn.Module, run: Callable[..., Any]) -> None:
        super().__init__()
        self._execution_order_layers = model._execution_order_layers
        self.layers = nn.ModuleList(model._execution_order_layers)  # type: ignore[arg-type]
        self.run = run

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.run(self, *inputs)


def prepare(program: Program) -> Program:
    """Wrap a program so that it is recorded at its first call with each kind of inputs."""
    check_available()
    recordings: dict[tuple[Any, ...], Callable[..., Any]] = {}

    def run(self: Any, *inputs: torch.Tensor) -> Any:
        for value in inputs:
            if not isinstance(value, torch.Tensor) or not value.is_cuda:
                what = f"one on {value.device}" if isinstance(value, torch.Tensor) else repr(value)
                raise ArgumentError(
                    f"a model with CUDA graphs expected tensors on the GPU, received {what}: "
                    "move the inputs with .to('cuda')"
                )
        # The recording holds the addresses of weights: new weights need a new one.
        key = (
            tuple((v.shape, v.dtype, v.requires_grad) for v in inputs),
            self.training,
            torch.is_grad_enabled(),
            tuple(p.data_ptr() for p in self.parameters()),
        )
        if key not in recordings:
            samples = tuple(v.detach().clone().requires_grad_(v.requires_grad) for v in inputs)
            recordable = _Recordable(self, program.run).train(self.training)
            record = (
                torch.cuda.make_graphed_callables if torch.is_grad_enabled() else _record_inference
            )
            # Recording runs the layers a few times first, which must leave no trace in them.
            with preserved(self):
                recordings[key] = record(recordable, samples)
        return recordings[key](*inputs)

    return program._replace(run=run)


def _record_inference(module: nn.Module, samples: tuple[torch.Tensor, ...]) -> Callable[..., Any]:
    """Record a forward without gradients; return a function that replays it."""
    side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        for _ in range(3):  # libraries choose their kernels in the first calls
            module(*samples)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph), torch.no_grad():
        results = module(*samples)

    def replay(*inputs: torch.Tensor) -> Any:
        for sample, value in zip(samples, inputs, strict=True):
            sample.copy_(value)
        graph.replay()
        # The next replay writes into the same memory, so the caller gets a copy.
        if isinstance(results, torch.Tensor):
            return results.clone()
        return tuple(result.clone() for result in results)

    return replay
