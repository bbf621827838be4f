"""The inlined expressions of layers.

Layers of the layer rules have their functional form, operators are written as operators, and
functions of torch as calls of those functions. Other layers are called.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from torch import nn

from hpml.symbolic import useful_layers
from hpml.symbolic.building.layer_rules import LAYER_RULES
from hpml.symbolic.building.operators import FUNCTIONS, SYMBOLS


class Expression(NamedTuple):
    """The inlined form of a layer."""

    text: str  # {0}, {1}, … are the arguments, {l} the layer, {p} its parameters, {f} the function
    function: Callable[..., Any] | None = None
    parameters: tuple[str, ...] = ()  # that the text reads
    fixed: tuple[tuple[str, Any], ...] = ()  # settings of the layer that the text requires

    def write(self, arguments: Sequence[str], layer: str, parameters: str, function: str) -> str:
        """Return the expression with names filled in, such as ``linear(h0, p[3]["weight"])``."""
        text = self.text.replace("{l}", layer).replace("{p}", parameters).replace("{f}", function)
        for position, argument in enumerate(arguments):
            text = text.replace(f"{{{position}}}", argument)
        return text


UNPACKED = Expression("{0}")
"""The expression of unpacking, which the assignment does, ``a, b = value``."""

_EXPRESSIONS = {
    kind: Expression(rule.expression, None, rule.parameters, rule.fixed)
    for kind, rule in LAYER_RULES.items()
}

KINDS: tuple[type[nn.Module], ...] = (
    *LAYER_RULES,
    useful_layers.FunctionLayer,
    useful_layers.UnpackLayer,
)
"""The layer types that can have an expression."""


def expression_of(layer: nn.Module, arguments: int) -> Expression | None:
    """Return the expression of a layer, or None if the layer is called.

    >>> expression_of(nn.ReLU(), 1).text
    'relu({0}, {l}.inplace)'
    >>> expression_of(nn.Softmin(1), 1) is None
    True
    """
    kind = type(layer)
    if kind is useful_layers.ConcatLayer:
        parts = ", ".join(f"{{{position}}}" for position in range(arguments))
        return Expression(f"cat(({parts},), {{l}}.dim)")
    if kind in LAYER_RULES and arguments == LAYER_RULES[kind].arguments:
        return _EXPRESSIONS[kind]
    if isinstance(layer, useful_layers.FunctionLayer):
        return _function_expression(layer)
    return None


def _function_expression(layer: Any) -> Expression | None:
    # A tensor constant moves with the model; a module with further arguments is called.
    if layer._tensor_constants or isinstance(layer.function, nn.Module):
        return None
    if layer.captures is not None and layer.captures.owned:
        return None
    template = layer.template
    literals = [_literal(value, position) for position, value in enumerate(template.constants)]

    def fill(text: str) -> str:
        # Fill in constants last, because they may contain any text.
        text = re.sub(r"\ba(\d+)\b(?!=)", r"{\1}", text)
        return re.sub(r"\bk\[(\d+)\]", lambda match: literals[int(match[1])], text)

    symbol = next((SYMBOLS[n] for n, known in FUNCTIONS.items() if known is layer.function), None)
    if symbol is not None and template.text in ("a0, a1", "a0, k[0]", "k[0], a0"):
        left, right = template.text.split(", ")
        return Expression(f"{fill(left)} {symbol} {fill(right)}")
    if layer.as_method:
        return Expression(f"{{0}}.{layer.as_method}({fill(template.text[2:].lstrip(', '))})")
    text = fill(template.text)
    return Expression(f"{{f}}({text})", layer.function)


def _literal(value: Any, position: int) -> str:
    """Return a constant as source: a literal if it is short and plain, or else a lookup."""
    kind = type(value)  # the exact type, because an IntEnum is not just a number
    if kind in (bool, str, type(None)) or (kind in (int, float) and abs(value) < 1e30):
        text = repr(value)
        if len(text) <= 40 and "{" not in text:
            return f"({text})" if text.startswith("-") else text
    return f"{{l}}.template.constants[{position}]"
