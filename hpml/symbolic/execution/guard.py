"""The guard of the inlined execution, which checks that the layers still match the source.

Each forward calls the layers instead of the inlined source if one of these is true:

- a layer or its class was replaced;
- a hook was registered, on a layer or for all modules;
- a parameter was deleted, or became a buffer or an attribute (a new value is found anyway);
- a method such as ``forward`` was set on a layer or replaced on its class, or
  ``nn.Module.__call__`` was replaced;
- a function of ``torch.nn.functional`` that a layer calls was replaced;
- a setting on which the source depends was changed.

The next forward notices what another layer or thread changes during a forward. Not noticed are
changes of functions in ``torch._C``, of operators of ``torch.Tensor``, of code that a function
calls, and an attribute that replaces another one. Assign ``model.execution`` again after those.

The check must be much faster than the calls that it saves, so it uses builtins that process whole
lists; a Python loop would take five times as long.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn

from hpml.symbolic import torch_private
from hpml.symbolic.building import interception
from hpml.symbolic.building.inference import HOOKS
from hpml.symbolic.building.layer_rules import FUNCTIONS
from hpml.symbolic.useful_layers import FunctionLayer

from .inline_expressions import KINDS, Expression

_METHODS = ("forward", "_call_impl", "_conv_forward", "_check_input_dim")

_parameters_in = operator.itemgetter("_parameters")
_hooks_in = tuple(map(operator.itemgetter, HOOKS))

# Replaces the attributes of a layer that is called, which may be any callable.
_NOT_INLINED: dict[str, Any] = {"_parameters": {}}

Watched = tuple[Any, str, Any]
"""An object, the name of one of its attributes, and the attribute's value at import."""

_METHODS_OF: dict[type, list[Watched]] = {
    kind: [(kind, name, getattr(kind, name)) for name in _METHODS if hasattr(kind, name)]
    for kind in KINDS
}
# The functions that the layers of the layer rules call.
_FUNCTIONS: list[Watched] = [
    (owner, name, function)
    for owner in (F, torch)
    for name, function in FUNCTIONS.items()
    if getattr(owner, name, None) is function
]


def _functions_in(expression: Expression) -> list[Watched]:
    """Return the functions that the layer itself would call."""
    if expression.function is not None:
        return []
    return [watched for watched in _FUNCTIONS if f"{watched[1]}(" in expression.text]


class _Checked(NamedTuple):
    """The state of the layers at the last complete check."""

    layers: Sequence[nn.Module]
    attributes: list[dict[str, Any]]  # of all layers
    types: list[type]  # of the inlined layers, as the next three
    inlined: Sequence[dict[str, Any]]  # their attributes
    attribute_counts: list[int]
    parameter_counts: list[int]
    settings: list[tuple[Callable[[Any], Any], list[dict[str, Any]], list[Any]]]


class Guard:
    """A check that the inlined layers still compute what the source computes."""

    def __init__(
        self, expressions: Sequence[Expression | None], layers: Sequence[nn.Module]
    ) -> None:
        self._expressions = expressions
        self._identities = [_identity(layer) for layer in layers]
        inlined = [i for i, e in enumerate(expressions) if isinstance(e, Expression)]
        self._pick = _picker(inlined, len(expressions))
        # Layers of one type share an expression, which is checked once.
        distinct = {id(e): e for e in expressions if isinstance(e, Expression)}.values()
        self._kinds = list(dict.fromkeys(type(layers[i]) for i in inlined))
        watched = [method for kind in self._kinds for method in _METHODS_OF[kind]]
        watched += [function for e in distinct for function in _functions_in(e)]
        self._watched = list(dict.fromkeys(watched))
        self._checked: _Checked | None = None

    def parameters(self, layers: Sequence[nn.Module]) -> list[dict[str, Any]] | None:
        """Return each layer's dictionary of parameters, or ``None`` if layers must be called."""
        checked = self._checked
        if checked is not None:
            try:
                parameters = list(map(_parameters_in, checked.attributes))
                if self._is_as_checked(checked, layers, parameters):
                    return parameters
            except Exception:  # noqa: BLE001 - deleted attributes; a value's == may raise anything
                pass
        self._checked = checked = self._check(layers)
        return None if checked is None else list(map(_parameters_in, checked.attributes))

    def _is_as_checked(
        self, checked: _Checked, layers: Sequence[nn.Module], parameters: list[dict[str, Any]]
    ) -> bool:
        inlined = checked.inlined
        return (
            # Fast, because == compares identities first.
            layers == checked.layers
            and list(map(type, self._pick(layers))) == checked.types
            # Look up the dictionaries of hooks, which may have been replaced.
            and not any(any(map(hooks, inlined)) for hooks in _hooks_in)
            and list(map(len, inlined)) == checked.attribute_counts
            and list(map(len, self._pick(parameters))) == checked.parameter_counts
            and all(list(map(get, owners)) == values for get, owners, values in checked.settings)
            and self._nothing_replaced()
        )

    def _nothing_replaced(self) -> bool:
        """Return whether the methods and functions are the original ones, without global hooks."""
        return (
            not torch_private.has_any_global_hook()
            and nn.Module.__call__ in interception.TRANSPARENT
            and all(kind.__call__ in interception.TRANSPARENT for kind in self._kinds)
            and all(getattr(owner, name) is original for owner, name, original in self._watched)
        )

    def _check(self, layers: Sequence[nn.Module]) -> _Checked | None:
        if not self._nothing_replaced():
            return None
        if any(itertools.starmap(self._is_changed, enumerate(layers))):
            return None
        attributes = [
            layer.__dict__ if isinstance(expression, Expression) else _NOT_INLINED
            for layer, expression in zip(layers, self._expressions, strict=True)
        ]
        inlined = self._pick(attributes)
        return _Checked(
            layers,
            attributes,
            list(map(type, self._pick(layers))),
            inlined,
            list(map(len, inlined)),
            list(map(len, map(_parameters_in, inlined))),
            self._settings(attributes),
        )

    def _settings(self, attributes: list[dict[str, Any]]) -> list[Any]:
        """Return, for each name of a fixed setting, its getter, its owners and its values."""
        owners_of: dict[str, list[dict[str, Any]]] = {}
        for layer, expression in zip(attributes, self._expressions, strict=True):
            if isinstance(expression, Expression):
                names = [name for name, _ in expression.fixed]
                for name in (*names, *(("function", "template") if "template" in layer else ())):
                    owners_of.setdefault(name, []).append(layer)
        return [
            (operator.itemgetter(name), owners, [owner[name] for owner in owners])
            for name, owners in owners_of.items()
        ]

    def _is_changed(self, position: int, layer: nn.Module) -> bool:
        """Return whether a layer differs from the one for which the source was generated."""
        expression, attributes = self._expressions[position], layer.__dict__
        if expression is None:
            return False
        return (
            not all(map(operator.is_, _identity(layer), self._identities[position]))
            or getattr(layer, "_compiled_call_impl", None) is not None
            or any(attributes.get(name, True) for name in HOOKS)
            or any(name in attributes for name in (*_METHODS, *layer._parameters, *layer._buffers))
            or any(name not in layer._parameters for name in expression.parameters)
            or any(getattr(layer, name) != value for name, value in expression.fixed)
        )


def _identity(layer: nn.Module) -> tuple[Any, ...]:
    """Return the properties of a layer that determine its expression."""
    if isinstance(layer, FunctionLayer):
        return type(layer), layer.function, layer.template
    return (type(layer),)


def _picker(positions: list[int], count: int) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return a function that selects these positions of a sequence of ``count`` items."""
    if len(positions) == count:
        return lambda items: items
    if len(positions) > 1:
        return operator.itemgetter(*positions)
    return lambda items: [items[position] for position in positions]
