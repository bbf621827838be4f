"""What autograd keeps between a forward and its backward pass, tensor by tensor.

PyTorch hands each tensor that a step saves to a pair of hooks. They see the tensor and not the
step, so the steps are walked afterwards and asked for what they saved: the hook that answers knows
which of the tensors it hands back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from hpml.base.tables import Shown, Table, format_bytes
from hpml.profiling.checks import check_function
from hpml.profiling.errors import ProfilingError

if TYPE_CHECKING:
    import torch

Why = Literal["", "a parameter", "counted above"]


class SavedTensor(NamedTuple):
    """One tensor that a step of the backward pass needs."""

    operation: str
    role: str
    shape: tuple[int, ...]
    dtype: str
    bytes: int
    not_counted: Why = ""


@dataclass(frozen=True)
class SavedTensors(Shown):
    """What the backward pass of one call needs, in the order in which it was saved.

    Attributes:
        tensors: one entry for each time that a step saved something.
        result: what the call returned.
    """

    tensors: tuple[SavedTensor, ...]
    result: Any = field(default=None, repr=False, compare=False)

    @property
    def total(self) -> int:
        """Bytes that are kept for the backward pass, beyond the parameters."""
        return sum(tensor.bytes for tensor in self.tensors)

    @property
    def table(self) -> Table:
        """A row for each saved tensor."""
        return Table(
            ["operation", "saves its", "shape", "dtype", "kept", "not counted"],
            self.tensors,
            title="Saved for the backward pass",
            caption=f"{format_bytes(self.total)} in all. Memory that several tensors share is "
            "counted once. Parameters exist anyway and are not counted.",
            align=["left", "left", "left", "left", "right", "left"],
            formats={"kept": format_bytes},
        )


def saved_tensors(function: Callable[..., Any], *arguments: Any) -> SavedTensors:
    """Call a function or a module once and list the tensors that autograd saves meanwhile.

    A piece of memory is counted once and whole: two steps may save one tensor, and a view keeps all
    that it is a view of. Parameters (and a module's buffers) are named and not counted. An argument
    is counted where a step saves it.

    Args:
        function: what is called with `arguments`; its parameters, if it is a module, are known, and
            otherwise those that a gradient arrives at.

    Raises:
        ProfilingError: if `function` cannot be called.

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
    asked = ("", "")

    def pack(tensor: torch.Tensor) -> int:
        packed.append(tensor.detach())
        return len(packed) - 1

    def unpack(number: int) -> torch.Tensor:
        names.setdefault(number, asked)
        return packed[number]

    with saved_tensors_hooks(pack, unpack):
        result = function(*arguments)
    own: set[int] = set()
    if isinstance(function, torch.nn.Module):
        own |= {_memory(tensor) for tensor in (*function.parameters(), *function.buffers())}
    for step in _steps(result):
        variable = getattr(step, "variable", None)
        if isinstance(variable, torch.nn.Parameter):
            own.add(_memory(variable))
        for role in _roles(step):
            asked = (step.name().rsplit("::", 1)[-1], role.removeprefix("_saved_"))
            try:
                getattr(step, role)
            except RuntimeError as error:
                raise ProfilingError(
                    f"{asked[0]} ran its own backward pass, which frees what was saved. Pass "
                    "only the forward to saved_tensors."
                ) from error
    return SavedTensors(tuple(_rows(packed, names, own)), result)


def _rows(
    packed: Sequence[torch.Tensor], names: dict[int, tuple[str, str]], own: set[int]
) -> Iterator[SavedTensor]:
    seen: set[int] = set()
    for number, tensor in enumerate(packed):
        memory = _memory(tensor)
        why: Why = "a parameter" if memory in own else "counted above" if memory in seen else ""
        seen.add(memory)
        size = 0 if why else tensor.untyped_storage().nbytes()
        # What no step of the result knows was saved on a way that does not lead to it.
        operation, role = names.get(number, ("not on the way to the result", ""))
        dtype = str(tensor.dtype).removeprefix("torch.")
        yield SavedTensor(operation, role, tuple(tensor.shape), dtype, size, why)


def _steps(result: object) -> Iterator[Any]:
    """Yield the steps of the backward pass that lead to some results."""
    from torch.utils._pytree import tree_leaves

    waiting = [getattr(leaf, "grad_fn", None) for leaf in tree_leaves(result)]
    seen: set[Any] = {None}
    while waiting:
        step: Any = waiting.pop()
        if step not in seen:
            seen.add(step)
            yield step
            waiting += [before for before, _ in step.next_functions]


def _roles(step: Any) -> list[str]:
    """Return the attributes in which a step has what it saved; one's own Function has one."""
    return [name for name in dir(step) if name.startswith("_saved_") or name == "saved_tensors"]


def _memory(tensor: torch.Tensor) -> int:
    """Return what is the same for two tensors that share their memory, also without numbers."""
    return int(tensor.untyped_storage()._cdata)
