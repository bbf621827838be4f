"""The guard of the inlined execution: does the source still say what the layers do?

Source that is written out leaves out what a call of the layer does for others. So each forward
first looks whether any of this was done:

- a layer was replaced, or its class;
- a hook was registered, on a layer or for all modules;
- a parameter is gone, or became a buffer or an attribute (a new or edited one is found anyway);
- a method such as ``forward`` was set on a layer or replaced on its class, or
  ``nn.Module.__call__`` was;
- a function of ``torch.nn.functional`` that a layer calls was replaced;
- a setting on which the source depends was changed.

Where the answer is yes, the layers are called until the cause is gone.

Not watched is everything else. What happens to a layer *during* a forward, by another layer or
another thread, is seen by the next forward. An attribute that replaces another one while the number
of attributes stays the same, functions in ``torch._C``, operators of ``torch.Tensor``, and code
that a function itself calls, may be missed: assign ``model.execution`` again after such a change.

The look must cost much less than the calls that it saves: all of it happens inside builtins that
walk a list at once; the same in a loop of Python would take five times as long.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import nn
from torch.nn.modules import module as torch_module

from hpml.symbolic.building import interception
from hpml.symbolic.building.layer_rules import FUNCTIONS
from hpml.symbolic.useful_layers import FunctionLayer

from .inline_expressions import KINDS, Expression

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")
_METHODS = ("forward", "_call_impl", "_conv_forward", "_check_input_dim")

_parameters_in = operator.itemgetter("_parameters")
_hooks_in = tuple(map(operator.itemgetter, _HOOKS))

# Stands for the attributes of what is called, which may be anything that can be called.
_CALLED: dict[str, Any] = {"_parameters": {}}

Watched = tuple[Any, str, Any]
"""An object, the name of one of its attributes, and what that was when this was imported."""

_METHODS_OF: dict[type, list[Watched]] = {
    kind: [(kind, name, getattr(kind, name)) for name in _METHODS if hasattr(kind, name)]
    for kind in KINDS
}
# Where the layers of the layer rules look their functions up.
_FUNCTIONS: list[Watched] = [
    (owner, name, function)
    for owner in (F, torch)
    for name, function in FUNCTIONS.items()
    if getattr(owner, name, None) is function
]


def _functions_in(expression: Expression) -> list[Watched]:
    """Return the functions that the layer itself would look up."""
    if expression.function is not None:
        return []
    return [watched for watched in _FUNCTIONS if f"{watched[1]}(" in expression.text]


class _Checked(NamedTuple):
    """What the layers were like when they were last looked at one by one.

    Attributes:
        layers: all of them; ``attributes`` are their dictionaries.
        types: the types of the layers that are written out; ``written`` are their dictionaries.
        attribute_counts: how many attributes each of those had; ``tensor_counts`` parameters.
        settings: what the source depends on: its name, dictionaries that have it, its values.
    """

    layers: Sequence[nn.Module]
    attributes: list[dict[str, Any]]
    types: list[type]
    written: Sequence[dict[str, Any]]
    attribute_counts: list[int]
    tensor_counts: list[int]
    settings: list[tuple[Callable[[Any], Any], list[dict[str, Any]], list[Any]]]


class Guard:
    """Whether the layers that are written out still do what the source says."""

    def __init__(
        self, expressions: Sequence[Expression | None], layers: Sequence[nn.Module]
    ) -> None:
        self._expressions = expressions
        self._identities = [_identity(layer) for layer in layers]
        written = [i for i, e in enumerate(expressions) if isinstance(e, Expression)]
        self._pick = _picker(written, len(expressions))
        # Layers of one type share an expression: look at each expression once.
        different = {id(e): e for e in expressions if isinstance(e, Expression)}.values()
        self._kinds = list(dict.fromkeys(type(layers[i]) for i in written))
        watched = [one for kind in self._kinds for one in _METHODS_OF[kind]]
        watched += [one for expression in different for one in _functions_in(expression)]
        self._watched = list(dict.fromkeys(watched))
        self._checked: _Checked | None = None
        self._culprit = 0

    def parameters(self, layers: Sequence[nn.Module]) -> list[dict[str, Any]] | None:
        """Return the dictionary of parameters of each layer; ``None`` if they are to be called."""
        checked = self._checked
        if checked is not None:
            try:
                parameters = list(map(_parameters_in, checked.attributes))
                if self._is_as_checked(checked, layers, parameters):
                    return parameters
            except Exception:  # noqa: BLE001 - attributes that are gone, odd values
                pass
        self._checked = checked = self._check(layers)
        return None if checked is None else list(map(_parameters_in, checked.attributes))

    def _is_as_checked(
        self, checked: _Checked, layers: Sequence[nn.Module], parameters: list[dict[str, Any]]
    ) -> bool:
        written = checked.written
        return (
            # Equal at a glance: == looks at identity first.
            layers == checked.layers
            and list(map(type, self._pick(layers))) == checked.types
            # The dictionaries of hooks as they are now: others may have been put there.
            and not any(any(map(hooks, written)) for hooks in _hooks_in)
            and list(map(len, written)) == checked.attribute_counts
            and list(map(len, self._pick(parameters))) == checked.tensor_counts
            and all(list(map(get, those)) == values for get, those, values in checked.settings)
            and self._nothing_replaced()
        )

    def _nothing_replaced(self) -> bool:
        """Return whether the classes and functions are PyTorch's own, without global hooks."""
        return (
            not torch_module._has_any_global_hook()  # type: ignore[no-untyped-call]
            and nn.Module.__call__ in interception.TRANSPARENT
            and all(kind.__call__ in interception.TRANSPARENT for kind in self._kinds)
            and all(getattr(owner, name) is was for owner, name, was in self._watched)
        )

    def _check(self, layers: Sequence[nn.Module]) -> _Checked | None:
        if not self._nothing_replaced():
            return None
        # What stood in the way at the last forward most likely still does.
        for position in (self._culprit, *range(len(layers))):
            if position < len(layers) and self._is_changed(position, layers[position]):
                self._culprit = position
                return None
        attributes = [
            layer.__dict__ if isinstance(expression, Expression) else _CALLED
            for layer, expression in zip(layers, self._expressions, strict=True)
        ]
        written = self._pick(attributes)
        return _Checked(
            layers,
            attributes,
            list(map(type, self._pick(layers))),
            written,
            list(map(len, written)),
            list(map(len, map(_parameters_in, written))),
            self._settings(attributes),
        )

    def _settings(self, attributes: list[dict[str, Any]]) -> list[Any]:
        """Return the settings that the expressions depend on, those of one name together."""
        having: dict[str, list[dict[str, Any]]] = {}
        for own, expression in zip(attributes, self._expressions, strict=True):
            if isinstance(expression, Expression):
                names = [name for name, _ in expression.fixed]
                for name in (*names, *(("function", "template") if "template" in own else ())):
                    having.setdefault(name, []).append(own)
        return [
            (operator.itemgetter(name), those, [own[name] for own in those])
            for name, those in having.items()
        ]

    def _is_changed(self, position: int, layer: nn.Module) -> bool:
        """Return whether a layer is not what the source was written for."""
        expression, own = self._expressions[position], layer.__dict__
        if expression is None:
            return False
        return (
            not all(map(operator.is_, _identity(layer), self._identities[position]))
            or layer._compiled_call_impl is not None
            or any(own.get(name, True) for name in _HOOKS)
            or any(name in own for name in (*_METHODS, *layer._parameters, *layer._buffers))
            or any(name not in layer._parameters for name in expression.parameters)
            or any(getattr(layer, name) != value for name, value in expression.fixed)
        )


def _identity(layer: nn.Module) -> tuple[Any, ...]:
    """Return what the expression of a layer was chosen by."""
    if isinstance(layer, FunctionLayer):
        return type(layer), layer.function, layer.template
    return (type(layer),)


def _picker(positions: list[int], count: int) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return a function that picks the items at these positions among ``count``."""
    if len(positions) == count:
        return lambda items: items
    if len(positions) > 1:
        return operator.itemgetter(*positions)
    return lambda items: [items[position] for position in positions]
