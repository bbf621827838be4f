"""CUDA graphs: record the kernels of a forward once, then replay them with a single launch.

A recording has fixed shapes, memory and kernels. So each new shape of the inputs makes a recording,
up to a limit; inputs are copied into the recorded memory, and results out of it.

Source: https://docs.pytorch.org/docs/stable/notes/cuda.html#cuda-graphs
"""

from __future__ import annotations

import contextlib
import copy
import functools
import operator
import warnings
from collections.abc import Callable, Iterator
from itertools import chain
from typing import Any

import torch
from torch import nn

from hpml.symbolic import torch_private
from hpml.symbolic.errors import ArgumentError, DeviceError
from hpml.symbolic.execution.preserved import preserved

from .called import Program

MOST_SHAPES = 16
"""The maximum number of recordings of a model, each of which keeps all values of a forward."""


def check_available() -> None:
    """Raise DeviceError if there is no GPU."""
    if not torch.cuda.is_available():
        raise DeviceError(
            object="enable_cuda_graphs=True",
            expected="a CUDA GPU",
            received="a machine on which torch.cuda.is_available() is False",
            remedy="Omit it on this machine.",
        )


class _Settings:
    """The plain attributes of modules, such as ``dropout.p``: a recording has their values."""

    def __init__(self, modules: list[nn.Module]) -> None:
        self._getters: list[tuple[Callable[[Any], Any], dict[str, Any]]] = []
        self._attributes = list(map(vars, modules))
        self._counts = list(map(len, self._attributes))
        for attributes in self._attributes:
            # Their contents are compared one by one, and each mode has recordings of its own.
            names = [n for n in attributes if not n.startswith("_") and n != "training"]
            if names:
                self._getters.append((operator.itemgetter(*names, names[0]), attributes))
        self._values = self._current()
        self._containers = [
            (value, copy.copy(value))
            for value in self._values
            if type(value) in (list, dict, set, bytearray)
        ]

    def _current(self) -> list[Any]:
        return list(chain.from_iterable([get(attributes) for get, attributes in self._getters]))

    def match(self) -> bool:
        """Return whether no attribute has another value."""
        try:
            values = self._current()
            return (
                list(map(len, self._attributes)) == self._counts
                and (_are_same(values, self._values) or all(map(_is_equal, values, self._values)))
                and all(value == before for value, before in self._containers)
            )
        except Exception:  # noqa: BLE001 - an attribute is gone, or its == may raise anything
            return False


def _are_same(values: list[Any], before: list[Any]) -> bool:
    """Return whether two lists have the same objects; it runs in C, since each forward does it."""
    return len(values) == len(before) and all(map(operator.is_, values, before))


def _is_equal(one: Any, other: Any) -> bool:
    if one is other:
        return True
    plain = (bool, int, float, str, bytes, tuple)
    return type(one) is type(other) and isinstance(one, plain) and one == other


def _flags() -> tuple[Any, ...]:
    """Return the settings of PyTorch that choose kernels."""
    backends: Any = torch.backends
    return (
        backends.cuda.matmul.fp32_precision,
        backends.cudnn.conv.fp32_precision,
        backends.cudnn.rnn.fp32_precision,
        backends.cuda.matmul.allow_fp16_reduced_precision_reduction,
        backends.cuda.matmul.allow_bf16_reduced_precision_reduction,
        (backends.cudnn.enabled, backends.cudnn.benchmark, backends.cudnn.deterministic),
        (backends.cuda.flash_sdp_enabled(), backends.cuda.mem_efficient_sdp_enabled()),
        (backends.cuda.math_sdp_enabled(), backends.cuda.cudnn_sdp_enabled()),
        torch.are_deterministic_algorithms_enabled(),
    )


class _Snapshot:
    """The modules, hooks, settings and tensors of a model, and the addresses of the tensors.

    The list of modules is stored, because finding them in each forward would take as long as dozens
    of kernel launches.
    """

    def __init__(self, model: nn.Module) -> None:
        self._root, self.modules = model._modules, list(model.modules())
        self._dicts: list[Any] = [
            torch_private.global_forward_hooks,
            torch_private.global_forward_pre_hooks,
        ]
        for m in self.modules:
            hook = m._forward_hooks, m._forward_pre_hooks
            self._dicts += (m._modules, m._parameters, m._buffers, *hook)
        # Most dicts are empty, of hooks: these are compared by length only.
        self._lengths = list(map(len, self._dicts))
        self._filled = list(filter(None, self._dicts))
        # Stored as objects, so that no new object can get the id of a deleted one.
        self._values = self._current_values()
        self._tensors = [value for value in self._values if isinstance(value, torch.Tensor)]
        self._addresses, self._trained = self._current_addresses()
        self._settings = _Settings(self.modules)

    def _current_values(self) -> list[Any]:
        return list(chain.from_iterable(map(dict.values, self._filled)))

    def _current_addresses(self) -> tuple[list[int], list[bool]]:
        return list(map(_ADDRESS, self._tensors)), list(map(_TRAINED, self._tensors))

    def matches(self, model: nn.Module) -> bool:
        """Return whether the model has the same modules, hooks and addresses."""
        return (
            model._modules is self._root
            and list(map(len, self._dicts)) == self._lengths
            and _are_same(self._current_values(), self._values)
            and self._current_addresses() == (self._addresses, self._trained)
            and self._settings.match()
        )


_ADDRESS, _TRAINED = torch.Tensor.data_ptr, operator.attrgetter("requires_grad")


class _Recordable(nn.Module):
    """A module for recording, with the model's layers and the program that calls them."""

    def __init__(self, model: nn.Module, run: Callable[..., Any]) -> None:
        super().__init__()
        self._execution_order_layers = model._execution_order_layers
        self.layers = nn.ModuleList(model._execution_order_layers)  # type: ignore[arg-type]
        self.run = run
        self.training = model.training  # its layers keep their own

    def forward(self, *inputs: torch.Tensor) -> Any:
        return self.run(self, *inputs)


def prepare(program: Program) -> Program:
    """Return a program that is recorded at its first call with each kind of inputs."""
    check_available()
    recordings: dict[tuple[Any, ...], Callable[..., Any]] = {}
    snapshot: _Snapshot | None = None
    hooked: list[Any] = []
    warn_once = functools.cache(_warn_of_shapes)

    def run(self: Any, *inputs: torch.Tensor) -> Any:
        nonlocal snapshot
        for value in inputs:
            if not isinstance(value, torch.Tensor) or not on_gpu(value):
                found = f"one on {value.device}" if isinstance(value, torch.Tensor) else repr(value)
                raise ArgumentError(
                    object="input of a model with CUDA graphs",
                    expected="a tensor on the GPU",
                    received=found,
                    remedy="Move the inputs with .to('cuda').",
                )
        # Recordings contain the addresses of the weights.
        if snapshot is None or not snapshot.matches(self):
            snapshot = _Snapshot(self)
            recordings.clear()
            while hooked:
                hooked.pop().remove()
            weights = [weight for weight in self.parameters() if weight.requires_grad]
            hooked.extend(w.register_post_accumulate_grad_hook(_own_gradient) for w in weights)
        key = (
            tuple((v.shape, v.dtype, v.device, v.requires_grad) for v in inputs),
            (*[module.training for module in snapshot.modules], torch.is_grad_enabled()),
            (torch.is_autocast_enabled("cuda"), torch.get_autocast_dtype("cuda")),
            torch.is_inference_mode_enabled(),
            _flags(),
        )
        if key not in recordings:
            if len(recordings) >= MOST_SHAPES:
                warn_once()
                return program.run(self, *inputs)
            # Recording first runs the layers a few times, which must not change them.
            with preserved(self), torch.cuda.device(inputs[0].device), _casts_recorded():
                recordings[key] = _record(_Recordable(self, program.run), inputs)
        results = recordings[key](*inputs)
        # Copy the results, because the next replay overwrites them.
        if isinstance(results, torch.Tensor):
            return results.clone()
        return tuple(result.clone() for result in results)

    return program._replace(run=run)


@contextlib.contextmanager
def _casts_recorded() -> Iterator[None]:
    """Disable autocast's cache, whose casts would be freed while the recording still reads them."""
    before = torch.is_autocast_cache_enabled()
    torch.set_autocast_cache_enabled(False)
    try:
        yield
    finally:
        torch.set_autocast_cache_enabled(before)


def on_gpu(value: torch.Tensor) -> bool:
    """Return whether a tensor is on a GPU; tests replace this."""
    return value.is_cuda


def _warn_of_shapes() -> None:
    warnings.warn(
        f"a model with CUDA graphs expected inputs of a few fixed shapes, received more than "
        f"{MOST_SHAPES}, each of which keeps the memory of a forward: from now on new shapes run "
        "without a graph, as fast as without enable_cuda_graphs. Pad the inputs to one shape "
        "(drop_last=True in a DataLoader)",
        stacklevel=4,
    )


def _record(recordable: nn.Module, inputs: tuple[torch.Tensor, ...]) -> Callable[..., Any]:
    """Record a forward for such inputs, and also the backward if gradients are enabled."""
    samples = tuple(v.detach().clone().requires_grad_(v.requires_grad) for v in inputs)
    try:
        if not torch.is_grad_enabled():
            return _record_inference(recordable, samples)
        # A graph is recorded on a stream of its own, of which PyTorch warns in each backward pass.
        warnings.filterwarnings("ignore", "The AccumulateGrad node's stream")
        return _checked(torch.cuda.make_graphed_callables(recordable, samples))
    except RuntimeError as error:
        if inputs[0].is_cuda:
            # PyTorch leaves the generator in the mode of capturing: give it a copy of its state.
            generator = torch.cuda.default_generators[inputs[0].get_device()]
            copied = torch.Generator(inputs[0].device)
            copied.set_state(generator.get_state())
            generator.graphsafe_set_state(copied)
        if isinstance(error, torch.OutOfMemoryError) or "captur" not in str(error):
            raise  # an error of the forward itself, which has nothing to do with recording it
        raise DeviceError(
            object="enable_cuda_graphs=True",
            expected="a forward that only launches kernels",
            received=f"one that cannot be captured ({str(error).splitlines()[0]})",
            remedy="Remove from the model what a graph cannot do: read a value back to Python "
            "(.item(), .cpu(), print, `if` on a tensor), have a result whose size depends on "
            "values (nonzero, masks as indices), move data to the GPU, or run hooks. Or build it "
            "without enable_cuda_graphs.",
        ) from error


def _own_gradient(weight: torch.Tensor) -> None:
    """Copy ``.grad`` where it was None: autograd made it the memory that all replays write to."""
    if weight.grad is not None and not hasattr(weight.grad, "_copied"):
        weight.grad = weight.grad.clone()
        weight.grad._copied = True  # type: ignore[attr-defined]


def _checked(replay: Callable[..., Any]) -> Callable[..., Any]:
    """Return `replay` with copied gradients of inputs; refuse a backward pass after the next call.

    The next call overwrites the values that the backward pass needs.
    """
    calls = 0

    def run(*inputs: torch.Tensor) -> Any:
        nonlocal calls
        aliases = [value.view_as(value) for value in inputs]
        for alias in aliases:
            if alias.requires_grad:
                alias.register_hook(torch.clone)  # type: ignore[no-untyped-call]
        results = replay(*aliases)
        calls += 1
        number = calls

        def check(gradient: torch.Tensor) -> None:
            if number != calls:
                raise DeviceError(
                    object="backward pass of a model with CUDA graphs",
                    expected="one right after each forward",
                    received="one after a later forward, which overwrote the values it needs",
                    remedy="Call backward first, or concatenate both inputs into one batch.",
                )

        for result in results if isinstance(results, tuple) else (results,):
            if result.requires_grad:
                result.register_hook(check)
        return results

    return run


def _record_inference(module: nn.Module, samples: tuple[torch.Tensor, ...]) -> Callable[..., Any]:
    """Record a forward without gradients; return a function that replays it."""
    side = torch.cuda.Stream()  # type: ignore[no-untyped-call]
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side), torch.no_grad():
        for _ in range(3):  # libraries select their kernels in the first calls
            module(*samples)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    # Other threads, such as a loader's that pins memory, may use the GPU meanwhile.
    with torch.cuda.graph(graph, capture_error_mode="thread_local"), torch.no_grad():
        results = module(*samples)

    def replay(*inputs: torch.Tensor) -> Any:
        for sample, value in zip(samples, inputs, strict=True):
            sample.copy_(value)
        graph.replay()
        return results

    return replay
