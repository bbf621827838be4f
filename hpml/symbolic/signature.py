"""Give a model a forward with the names of its inputs, ``forward(self, image, mask)``.

Tools read the signature of a module: ``torch.export`` for the names in ``dynamic_shapes``, ONNX for
the names of its inputs, ``torch.fx`` for its placeholders. They look at the class, so models with
other names have another class, as with ``torch.fx.GraphModule``; all are called ``SymbolicModel``.
"""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

from .errors import ArgumentError
from .graph import Graph


def argument_names(graph: Graph) -> tuple[str, ...]:
    """Return the name of each input of a model: the user's, or ``input_0`` by its position."""
    names = [graph.values[value].name for value in graph.inputs]
    if "self" in names:
        raise ArgumentError(
            object="name of an Input",
            expected="one that an argument of a method can have",
            received="'self'",
            remedy="Choose another name.",
        )
    for position, name in enumerate(names):
        if not name:
            free = f"input_{position}"
            while free in names:
                free += "_"
            names[position] = free
    return tuple(names)


def with_signature(kind: type[Any], names: tuple[str, ...]) -> type[Any]:
    """Return a subclass of a class of models whose forward has arguments of these names."""
    base: Any = getattr(kind, "_without_signature", kind)
    if base.forward.__module__ != __package__ + ".symbolic_model":  # the user's
        return base  # type: ignore[no-any-return]
    return _subclass(base, names)


@functools.lru_cache(maxsize=1024)
def _subclass(base: type[Any], names: tuple[str, ...]) -> type[Any]:
    # A function of its own with the code of `base.forward`, which a call would make slower.
    given: Any = base.forward
    forward = FunctionType(given.__code__, given.__globals__, "forward", None, given.__closure__)
    # inspect.signature and torch.fx read the names from the function that this one wraps.
    scope: dict[str, Any] = {}
    exec(f"def forward(self, {', '.join(names)}): ...", {}, scope)
    shown = scope["forward"]
    shown.__doc__ = forward.__doc__ = given.__doc__
    forward.__wrapped__ = shown  # type: ignore[attr-defined]
    forward.__module__, forward.__qualname__ = base.__module__, f"{base.__qualname__}.forward"
    attributes = {
        "forward": forward,
        "_without_signature": base,
        "__module__": base.__module__,
        "__qualname__": base.__qualname__,
        "__doc__": base.__doc__,
    }
    return type(base.__name__, (base,), attributes)


def new_model(base: type[Any], names: tuple[str, ...]) -> Any:
    """Return an empty model for `copy` and `pickle`, which then set its state."""
    kind: Any = with_signature(base, names)
    return kind.__new__(kind)
