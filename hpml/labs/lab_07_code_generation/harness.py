"""The harness of lab 07: runs generated source on layers that compute with integers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import FunctionType, SimpleNamespace
from typing import Any

_SHOWN = 4000
_PRIME = 1_000_003


def input_values(count: int) -> list[int]:
    """Return the values of the inputs of a generated forward."""
    return [(position + 2) * 7919 % 1000 for position in range(count)]


def layer_value(layer: int, arguments: Sequence[int]) -> int:
    """Return a layer's value, a hash of the layer's number and the ordered arguments."""
    value = 1009 * (layer + 1)
    for argument in arguments:
        value = (31 * value + argument) % _PRIME
    return value


def source_and_run(result: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Run the source returned by ``generate_forward``, and return what it did."""
    if type(result) is not str:
        return {"source": result, "problem": "it is no text"}
    shown = {"source": result if len(result) <= _SHOWN else result[:_SHOWN] + "\n..."}
    try:
        tree = ast.parse(result)
        form = _form(tree)
        forward = _forward(compile(tree, "<generated>", "exec"))
    except Exception as error:  # noqa: BLE001 - the student's source may raise anything
        return {**shown, "problem": _error_text(error)}
    calls: list[int] = []
    highest = max((layer for _, layer, _ in arguments["calls"]), default=-1)
    # More layers than needed, so that a wrong number calls a wrong layer and is recorded.
    count = highest + 1 + len(arguments["calls"])
    model = SimpleNamespace(
        _execution_order_layers=[_layer(number, calls) for number in range(count)]
    )
    try:
        value = forward(model, *input_values(len(arguments["inputs"])))
    except Exception as error:  # noqa: BLE001 - as above
        return {**shown, "problem": _error_text(error), "calls": calls}
    return {**shown, **form, "value": value, "calls": calls}


def _form(tree: ast.Module) -> dict[str, Any]:
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "forward":
            body = statement.body
            if ast.get_docstring(statement) is not None:
                body = body[1:]
            at = [each.lineno for each in body]
            names = [argument.arg for argument in statement.args.args]
            return {
                "arguments": names,
                "first": "".join(map(ast.unparse, body[:1])),
                "lines": len(body),
                "joined": len(set(at)) < len(at),
            }
    raise ValueError("the text has no `def forward(self, ...):`")


def _forward(code: Any) -> Callable[..., Any]:
    scope: dict[str, Any] = {}
    exec(code, scope)
    found = scope.get("forward")
    if type(found) is not FunctionType:
        raise ValueError("the text defines no function `forward`")
    return found


def _layer(number: int, calls: list[int]) -> Callable[..., int]:
    def layer(*arguments: int) -> int:
        if not all(type(argument) is int for argument in arguments):
            raise TypeError(f"l[{number}] expects values of inputs and layers, got something else")
        calls.append(number)
        return layer_value(number, arguments)

    return layer


def _error_text(error: Exception) -> str:
    kind = type(error).__name__
    if isinstance(error, SyntaxError):
        return f"{kind} in line {error.lineno}: {error.msg}"
    return f"{kind}: {error}"[:300]
