"""Give a model a forward with the names of its inputs, ``forward(self, image, mask)``.

Tools read the signature of a module: ``torch.export`` for the names in ``dynamic_shapes``, ONNX for
the names of its inputs. They look at ``model.forward``, so each model has a function of its own.
``torch.fx`` looks at the class instead, which does not know a model; there the placeholders are
made when the function of the class runs.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from types import FunctionType
from typing import Any

from torch import fx

from .errors import ArgumentError
from .graph import Graph


def argument_names(graph: Graph) -> tuple[str, ...]:
    """Return the name of each input of a model: the user's, or ``input_0`` by its position."""
    names = [graph.values[value].name for value in graph.inputs]
    if "self" in names:
        raise ArgumentError(
            "Input expected a name that a method can have as an argument, received 'self': choose "
            "another name"
        )
    for position, name in enumerate(names):
        if not name:
            free = f"input_{position}"
            while free in names:
                free += "_"
            names[position] = free
    return tuple(names)


class Forward:
    """The attribute ``forward`` of the class of models.

    A model has the method of ``model._forward``; the class has a function for any model.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function: Any = function
        self.__doc__ = function.__doc__

        @functools.wraps(function)
        def of_class(self: Any, *inputs: Any, **named: Any) -> Any:
            if isinstance(inputs, fx.Proxy):  # fx passes a proxy for all of them
                inputs, named = _placeholders((inputs, named), self._forward.names), {}
            return function(self, *inputs, **named)

        del of_class.__wrapped__
        self._of_class = of_class

    def __get__(self, model: Any, kind: type[Any] | None = None) -> Any:
        return self._of_class if model is None else model._forward.__get__(model)

    @functools.lru_cache(maxsize=1024)  # noqa: B019 - there is one object for the class
    def with_names(self, names: tuple[str, ...]) -> Any:
        """Return the function with arguments of these names."""
        given = self._function
        function = FunctionType(given.__code__, given.__globals__, "forward")
        scope: dict[str, Any] = {}
        exec(f"def forward(self, {', '.join(names)}): ...", {}, scope)
        shown = scope["forward"]
        shown.__doc__ = function.__doc__ = given.__doc__
        shown.__qualname__ = function.__qualname__ = given.__qualname__
        shown.__module__ = function.__module__ = given.__module__
        attributes: Any = function
        # inspect.signature reads the names from the function that this one wraps.
        attributes.__wrapped__, attributes.names = shown, names
        return function


def _placeholders(inputs: tuple[Any, ...], names: tuple[str, ...]) -> tuple[Any, ...]:
    """Replace the placeholders of ``*inputs, **named`` in a graph of fx by one for each input."""
    tracer, graph = inputs[0].tracer, inputs[0].node.graph
    for proxy in inputs:
        graph.erase_node(proxy.node)
    return tuple([tracer.create_proxy("placeholder", name, (), {}) for name in names])
