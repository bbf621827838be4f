"""List the tensors that autograd saves between a forward and its backward pass.

PyTorch passes each saved tensor to a pair of hooks, without the step that saved it. So afterwards
each step is asked for its saved tensors, and the unpack hook records which ones it returns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hpml.base.errors import describe
from hpml.base.tables import Shown, Table, format_bytes
from hpml.profiling.checks import check_function
from hpml.profiling.errors import ProfilingError
from hpml.profiling.torch_private import private

if TYPE_CHECKING:
    import torch

NotCounted = Literal["", "a parameter", "counted above"]


class SavedTensor(NamedTuple):
    """A tensor that a step of the backward pass needs."""

    operation: str
    role: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    not_counted: NotCounted = ""


@dataclass(frozen=True)
class SavedTensors(Shown):
    """The tensors that the steps of one call saved, in order, and the call's result."""

    tensors: tuple[SavedTensor, ...]
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def total(self) -> int:
        """Bytes saved for the backward pass, without the parameters."""
        return sum(tensor.bytes for tensor in self.tensors)

    @property
    def table(self) -> Table:
        """One row per saved tensor."""
        return Table(
            ["operation", "saves its", "shape", "dtype", "kept", "not counted"],
            self.tensors,
            title="Saved for the backward pass",
            caption=f"{format_bytes(self.total)} in total. Memory that several tensors share is "
            "counted once. Parameters exist anyway and are not counted.",
            align=["left", "left", "left", "left", "right", "left"],
            formats={"kept": format_bytes},
        )


def saved_tensors(function: Callable[..., Any], *arguments: Any) -> SavedTensors:
    """Call a function or a module once and list what autograd saves meanwhile in this thread.

    Each storage is counted once and completely: two steps may save the same tensor, and a view
    keeps its whole base alive. Parameters and a module's buffers are listed but not counted.

    Args:
        function: called with `arguments`. For a function that is not a module, the parameters are
            those that receive a gradient.

    Raises:
        ProfilingError: if `function` cannot be called or runs its own backward pass.

    Source: https://docs.pytorch.org/tutorials/intermediate/autograd_saved_tensors_hooks_tutorial.html

    >>> import torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.ReLU(), torch.nn.Linear(4, 2))
    >>> found = saved_tensors(net, torch.ones(16, 8))
    >>> for tensor in found.tensors:
    ...     print(*tensor[:3], tensor.bytes, tensor.not_counted or "-")
    AddmmBackward0 mat1 (16, 8) 512 -
    ReluBackward0 result (16, 4) 256 -
    AddmmBackward0 mat1 (16, 4) 0 counted above
    AddmmBackward0 mat2 (4, 2) 0 a parameter
    >>> found.total
    768
    """
    import torch
    from torch.autograd.graph import saved_tensors_hooks

    check_function("saved_tensors", function)
    packed: list[torch.Tensor] = []
    names: dict[int, tuple[str, str]] = {}
    current = ("", "")

    def pack(tensor: torch.Tensor) -> int:
        packed.append(tensor.detach())
        return len(packed) - 1

    def unpack(number: int) -> torch.Tensor:
        names.setdefault(number, current)
        return packed[number]

    with saved_tensors_hooks(pack, unpack):
        result = function(*arguments)
    parameters: set[int] = set()
    if isinstance(function, torch.nn.Module):
        parameters |= {_storage(tensor) for tensor in (*function.parameters(), *function.buffers())}
    for step in _steps(result):
        variable = getattr(step, "variable", None)
        if isinstance(variable, torch.nn.Parameter):
            parameters.add(_storage(variable))
        for role in _roles(step):
            current = (step.name().rsplit("::", 1)[-1], role.removeprefix("_saved_"))
            try:
                getattr(step, role)
            except RuntimeError as error:
                raise ProfilingError(
                    f"The function ran the backward pass of {current[0]}, which frees the saved "
                    "tensors.",
                    object="function of saved_tensors",
                    expected="a forward pass only",
                    received=f"one that also ran the backward pass of {current[0]}",
                    remedy="Pass only the forward pass to saved_tensors.",
                ) from error
    if packed and not any(operation for operation, _ in names.values()):
        raise ProfilingError(
            object="function of saved_tensors",
            expected="one that returns the result of the forward pass with its graph",
            received=describe(result),
            remedy="Return the loss itself, without backward() or item().",
        )
    return SavedTensors(tuple(_rows(packed, names, parameters)), result)


def _rows(
    packed: Sequence[torch.Tensor], names: dict[int, tuple[str, str]], parameters: set[int]
) -> Iterator[SavedTensor]:
    seen: set[int] = set()
    for number, tensor in enumerate(packed):
        storage = _storage(tensor)
        reason: NotCounted = ""
        if storage in parameters:
            reason = "a parameter"
        elif storage in seen:
            reason = "counted above"
        seen.add(storage)
        size = 0 if reason else tensor.untyped_storage().nbytes()
        # Steps that do not lead to the result cannot be found from it.
        operation, role = names.get(number, ("not needed for the result", ""))
        dtype = str(tensor.dtype).removeprefix("torch.")
        yield SavedTensor(operation, role, tuple(tensor.shape), dtype, size, reason)


def _steps(result: object) -> Iterator[Any]:
    """Yield the steps of the backward pass from the tensors in a result."""
    tree_leaves = private("torch.utils._pytree.tree_leaves")
    waiting = [getattr(leaf, "grad_fn", None) for leaf in tree_leaves(result)]
    seen: set[Any] = {None}
    while waiting:
        step: Any = waiting.pop()
        if step not in seen:
            seen.add(step)
            yield step
            waiting += [before for before, _ in step.next_functions]


def _roles(step: Any) -> list[str]:
    """Return the names of a step's saved tensors; a custom Function has only "saved_tensors"."""
    return [name for name in dir(step) if name.startswith("_saved_") or name == "saved_tensors"]


def _storage(tensor: torch.Tensor) -> int:
    """Return an identifier of a tensor's storage, also for meta tensors."""
    return int(tensor.untyped_storage()._cdata)
