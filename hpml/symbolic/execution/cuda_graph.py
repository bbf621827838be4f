"""CUDA graphs: record the kernels of a forward once, then let the GPU replay them by itself.

A small model on a fast GPU waits for Python, which launches one kernel after the other. A recorded
graph is launched with a single call. It is fixed: the same shapes, the same memory, the same
kernels. So there is one recording for each shape of the inputs, made when that shape is first met,
and inputs that never keep a shape are refused. A new input is copied into the recorded memory; the
result is copied out of it.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks

from hpml.symbolic.errors import ArgumentError, DeviceError
from hpml.symbolic.execution.preserved import preserved

from .called import Program

MOST_SHAPES = 16
"""Recordings of one model at most: each keeps all values of a forward."""


def check_available() -> None:
    """Refuse where no GPU can record."""
    if not torch.cuda.is_available():
        raise DeviceError(
            "enable_cuda_graphs=True expected a CUDA GPU, received a machine on which "
            "torch.cuda.is_available() is False: leave it off here, or see `hpml doctor`"
        )


class _Kept:
    """The modules, hooks and tensors of a model, and where in memory they are.

    Every forward asks whether they still are, and a graph is there to save launches: finding the
    modules again each time would cost as much as dozens of them.
    """

    def __init__(self, model: nn.Module) -> None:
        self._root, self._modules = model._modules, list(model.modules())
        self._held: list[Any] = [hooks._global_forward_hooks, hooks._global_forward_pre_hooks]
        for m in self._modules:
            hook = m._forward_hooks, m._forward_pre_hooks
            self._held += (m._modules, m._parameters, m._buffers, *hook)
        # Held, so that nothing else can get the identity of one that is gone.
        self._values = self._now()
        self._memory = list(map(_place, self._values))

    def _now(self) -> list[Any]:
        return list(chain.from_iterable(map(dict.values, self._held)))

    def unchanged(self, model: nn.Module) -> bool:
        """Return whether this is the model, with the same modules and the same memory."""
        values = self._now()
        return (
            model._modules is self._root
            and list(map(id, values)) == list(map(id, self._values))
            and list(map(_place, values)) == self._memory
        )

    def modes(self) -> tuple[bool, ...]:
        """Return which modules train: one of them may be frozen while the model trains."""
        return tuple([module.training for module in self._modules])


def _place(value: Any) -> Any:
    if not isinstance(value, torch.Tensor):
        return None
    return value.data_ptr(), value.requires_grad


class _Recordable(nn.Module):
    """What is recorded: the model's layers, and the program that calls them."""

    def __init__(self, model: nn.Module, run: Callable[..., Any]) -> None:
        super().__init__()
        self._execution_order_layers = model._execution_order_layers
        self.layers = nn.ModuleList(model._execution_order_layers)  # type: ignore[arg-type]
        self.run = run
        self.training = model.training  # its layers keep their own

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.run(self, *inputs)


def prepare(program: Program) -> Program:
    """Wrap a program so that it is recorded at its first call with each kind of inputs."""
    check_available()
    recordings: dict[tuple[Any, ...], Callable[..., Any]] = {}
    kept: _Kept | None = None

    def run(self: Any, *inputs: torch.Tensor) -> Any:
        nonlocal kept
        for value in inputs:
            if not isinstance(value, torch.Tensor) or not on_gpu(value):
                what = f"one on {value.device}" if isinstance(value, torch.Tensor) else repr(value)
                raise ArgumentError(
                    f"a model with CUDA graphs expected tensors on the GPU, received {what}: "
                    "move the inputs with .to('cuda')"
                )
        # A recording holds the addresses of weights: with new ones all are worthless.
        if kept is None or not kept.unchanged(self):
            kept = _Kept(self)
            recordings.clear()
        key = (
            tuple((v.shape, v.dtype, v.device, v.requires_grad) for v in inputs),
            (kept.modes(), torch.is_grad_enabled(), torch.is_inference_mode_enabled()),
            (torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda")),
        )
        if key not in recordings:
            _check_few(recordings, inputs)
            # Recording runs the layers a few times first, which must leave no trace in them.
            with preserved(self), torch.cuda.device(inputs[0].device), _casts_recorded():
                recordings[key] = _record(_Recordable(self, program.run), inputs)
        results = recordings[key](*inputs)
        # The next replay writes into the same memory, so the caller gets a copy.
        if isinstance(results, torch.Tensor):
            return results.clone()
        return tuple(result.clone() for result in results)

    return program._replace(run=run)


@contextlib.contextmanager
def _casts_recorded() -> Iterator[None]:
    """Let autocast cast in the recording: casts kept from before are freed with its block."""
    before = torch.is_autocast_cache_enabled()
    torch.set_autocast_cache_enabled(False)
    try:
        yield
    finally:
        torch.set_autocast_cache_enabled(before)


def on_gpu(value: torch.Tensor) -> bool:
    """Return whether a tensor is where kernels are recorded."""
    return value.is_cuda


def _check_few(recordings: dict[tuple[Any, ...], Any], inputs: tuple[torch.Tensor, ...]) -> None:
    if len(recordings) < MOST_SHAPES:
        return
    shapes = ", ".join(str(tuple(value.shape)) for value in inputs)
    raise ArgumentError(
        f"a model with CUDA graphs expected inputs of a few fixed shapes, received {shapes} after "
        f"{MOST_SHAPES} others, each of which keeps the memory of a forward: pad the inputs to one "
        "shape (drop_last=True in a DataLoader), or build the model without enable_cuda_graphs"
    )


def _record(recordable: nn.Module, inputs: tuple[torch.Tensor, ...]) -> Callable[..., Any]:
    """Record a forward for inputs like these, and the backward too where gradients are on."""
    samples = tuple(v.detach().clone().requires_grad_(v.requires_grad) for v in inputs)
    record = torch.cuda.make_graphed_callables if torch.is_grad_enabled() else _record_inference
    try:
        return record(recordable, samples)
    except RuntimeError as error:
        raise DeviceError(
            "enable_cuda_graphs=True expected a forward that only launches kernels, received one "
            f"that cannot be captured ({str(error).splitlines()[0]}): a graph cannot read a value "
            "back to Python (.item(), .cpu(), print, `if` on a tensor), have a result whose size "
            "depends on values (nonzero, masks as indices), move data to the GPU, or run hooks: "
            "take this out of the model, or build it without enable_cuda_graphs"
        ) from error


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
        return results

    return replay
