"""The operators that PyTorch executes in a call, and the bytes of their new results."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from hpml.base.tables import format_bytes
from hpml.profiling.checks import check_function
from hpml.profiling.torch_private import private


@dataclass(frozen=True)
class Work:
    """What PyTorch executed.

    Attributes:
        operations: the names of the operators.
        bytes: the size of their new dense results.
        moved: the size of the dense tensors that each operator reads and writes.
    """

    operations: tuple[str, ...]
    bytes: int
    moved: int = field(default=0, compare=False)

    def __repr__(self) -> str:
        return f"{counted(self.operations)}, {format_bytes(self.bytes)} of new results"


def counted(operations: Sequence[str]) -> str:
    """Return the number of operations as text, with their names if they are few."""
    names = f" ({', '.join(operations)})" if 0 < len(operations) <= 6 else ""
    return f"{len(operations)} operation{'' if len(operations) == 1 else 's'}{names}"


def work_of(run: Callable[[], object]) -> Work:
    """Call `run` and return the operators that PyTorch executes meanwhile in this thread.

    Views and operators on meta tensors are left out, because they compute no numbers. Compiled
    functions run as before compilation.

    >>> import torch
    >>> x = torch.ones(4)
    >>> work_of(lambda: x.add(1).view(2, 2))
    1 operation (add), 16 B of new results
    >>> work_of(lambda: torch.ones(4, device="meta") + 1)
    0 operations, 0 B of new results
    """
    import torch

    check_function("work_of", run)
    mode = private("torch.utils._python_dispatch.TorchDispatchMode")
    tree_leaves = private("torch.utils._pytree.tree_leaves")

    def storages(values: Any) -> dict[int, int]:
        """Return the size in bytes of each storage of some tensors, by its address."""
        tensors = [each for each in tree_leaves(values) if isinstance(each, torch.Tensor)]
        found = [
            tensor.untyped_storage()
            for tensor in tensors
            if not tensor.is_meta and tensor.layout == torch.strided
        ]
        return {storage.data_ptr(): storage.nbytes() for storage in found}

    class Counter(mode):  # type: ignore[misc, valid-type]
        operations: list[str]
        bytes: int
        moved: int

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            inputs = storages((args, kwargs))
            result = func(*args, **(kwargs or {}))
            tensors = [each for each in tree_leaves(result) if isinstance(each, torch.Tensor)]
            if not func.is_view and not (tensors and all(tensor.is_meta for tensor in tensors)):
                self.operations.append(func.overloadpacket.__name__)
                outputs = storages(tensors)
                self.bytes += sum(outputs[address] for address in outputs.keys() - inputs.keys())
                if not self.operations[-1].startswith("empty"):  # which allocates only
                    # An operator writes to `out` and does not read it.
                    read = {name: each for name, each in (kwargs or {}).items() if name != "out"}
                    self.moved += _size(tree_leaves((args, read))) + _size(tensors)
            return result

    counter = Counter()
    counter.operations, counter.bytes, counter.moved = [], 0, 0
    # Seeing this mode, the compiler would never again run a compiled function as compiled.
    compiler = sys.modules.get("torch._dynamo")
    eager = torch.compiler.set_stance("force_eager") if compiler else contextlib.nullcontext()
    with eager, counter:
        run()
    return Work(tuple(counter.operations), counter.bytes, counter.moved)


def _size(values: Sequence[Any]) -> int:
    """Return the bytes of the dense tensors among some values, each tensor once."""
    import torch

    tensors = {id(each): each for each in values if isinstance(each, torch.Tensor)}
    return sum(
        each.numel() * each.element_size()
        for each in tensors.values()
        if not each.is_meta and each.layout == torch.strided
    )
