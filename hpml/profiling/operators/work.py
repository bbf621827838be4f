"""What PyTorch really does while some lines run: operators executed, bytes of new results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.base.tables import format_bytes
from hpml.profiling.checks import check_function


@dataclass(frozen=True)
class Work:
    """What was done with numbers.

    Attributes:
        operations: the operators of PyTorch that were executed on numbers, by name, in order.
        bytes: how many bytes of new results they made; views and sparse tensors do not count.
    """

    operations: tuple[str, ...]
    bytes: int

    def __repr__(self) -> str:
        return f"{counted(self.operations)}, {format_bytes(self.bytes)} of new results"


def counted(operations: Sequence[str]) -> str:
    """Return how many operations there are and, of a few, which."""
    names = f" ({', '.join(operations)})" if 0 < len(operations) <= 6 else ""
    return f"{len(operations)} operation{'' if len(operations) == 1 else 's'}{names}"


def work_of(run: Callable[[], object]) -> Work:
    """Run something; return the operators that PyTorch executed on numbers meanwhile.

    Seen are the operators of the thread that calls `work_of`, and no others'. Left out are
    operators on meta tensors, which have a shape and no numbers, and views, which look
    at the numbers that are there already.

    >>> import torch
    >>> x = torch.ones(4)
    >>> work_of(lambda: x.add(1).view(2, 2))
    1 operation (add), 16 B of new results
    >>> work_of(lambda: torch.ones(4, device="meta") + 1)
    0 operations, 0 B of new results
    """
    import torch
    from torch.utils._python_dispatch import TorchDispatchMode
    from torch.utils._pytree import tree_leaves

    check_function("work_of", run)

    def storages(values: Any) -> dict[int, int]:
        """Return the size of each piece of memory that some tensors lie in, by its address."""
        tensors = [each for each in tree_leaves(values) if isinstance(each, torch.Tensor)]
        held = [
            tensor.untyped_storage()
            for tensor in tensors
            if not tensor.is_meta and tensor.layout == torch.strided
        ]
        return {storage.data_ptr(): storage.nbytes() for storage in held}

    class Counter(TorchDispatchMode):  # type: ignore[no-untyped-call]
        operations: list[str]
        bytes: int

        def __torch_dispatch__(
            self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
        ) -> Any:
            given = storages((args, kwargs))
            result = func(*args, **(kwargs or {}))
            made = [each for each in tree_leaves(result) if isinstance(each, torch.Tensor)]
            if not func.is_view and not (made and all(tensor.is_meta for tensor in made)):
                self.operations.append(func.overloadpacket.__name__)
                new = storages(made)
                self.bytes += sum(size for place, size in new.items() if place not in given)
            return result

    counter = Counter()  # type: ignore[no-untyped-call]
    counter.operations, counter.bytes = [], 0
    with counter:
        run()
    return Work(tuple(counter.operations), counter.bytes)
