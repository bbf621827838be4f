"""A tensor of one integer without data, as which PyTorch accepts an integer that is not known yet.

PyTorch's parser of arguments takes such a tensor wherever it takes sizes, also as the first of
several, ``torch.zeros(size, 4)`` and ``token.expand(size, -1, -1)``, and then calls
``__torch_function__``, which records the call. It calls ``__torch_dispatch__`` where a function
would read the integer. So no function of PyTorch has to be replaced.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from hpml.symbolic import torch_private
from hpml.symbolic.errors import ArgumentError

from .interception import Handle
from .operators import Operators, WithoutNumbers


class IntegerPlaceholder(torch.Tensor):
    """The last base class of symbolic integers; it hides the attributes of a tensor."""

    def __getattribute__(self, name: str) -> Any:
        if name in _TENSOR_ATTRIBUTES:
            raise AttributeError(f"a size that depends on the batch has no attribute {name!r}")
        return object.__getattribute__(self, name)

    def __format__(self, text: str) -> str:
        return format(repr(self), text)

    @classmethod
    def __torch_dispatch__(  # type: ignore[override]
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        """Refuse a function that reads the integer without a call of ``__torch_function__``."""
        raise ArgumentError(
            object="argument",
            expected="a number",
            received="a size that depends on the batch, which has no value while the graph is "
            "built",
            remedy="Where a function takes a number, name the device, torch.arange(x.shape[0], "
            "device=x.device), or write add_to_graph(torch.arange, x.shape[0]), or give the input "
            "a batch_shape.",
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        return self


_TENSOR_ATTRIBUTES = frozenset(
    name
    for name in dir(torch.Tensor)
    if not name.startswith("_")
    and not any(hasattr(kind, name) for kind in (Handle, Operators, WithoutNumbers))
)


def placeholder(kind: type[Any], **state: Any) -> Any:
    """Return an instance of a subclass of `IntegerPlaceholder` with these attributes."""
    make: Callable[..., Any] = torch_private.make_wrapper_subclass
    made = make(kind, (), dtype=torch.int64)
    made.__dict__.update(state)
    return made
