"""The harness of lab 07: runs generated source on layers that compute with integers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
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
    calls: list[int] = []
    highest = max((layer for _, layer, _ in arguments["calls"]), default=-1)
    # More layers than needed, so that a wrong number calls a wrong layer and is recorded.
    count = highest + 1 + len(arguments["calls"])
    model = SimpleNamespace(
        _execution_order_layers=[_layer(number, calls) for number in range(count)]
    )
    scope: dict[str, Any] = {}
    try:
        form = _form(ast.parse(result))
        exec(compile(result, "<generated>", "exec"), scope)
        value = scope["forward"](model, *input_values(len(arguments["inputs"])))
    except Exception as error:  # noqa: BLE001 - the student's source may raise anything
        problem = f"{type(error).__name__}: {error}"[:300]
        return {"source": result[:_SHOWN], "problem": problem, "calls": calls}
    return {"source": result[:_SHOWN], **form, "value": value, "calls": calls}


def _form(tree: ast.Module) -> dict[str, Any]:
    for statement in tree.body:
        if isinstance(statement, ast.FunctionDef) and statement.name == "forward":
            body = statement.body
            return {
                "arguments": ast.unparse(_bare(statement.args)),
                "first": ast.unparse(body[0]),
                "last": ast.unparse(body[-1]),
                "statements": len(body),
                "lines": len({each.lineno for each in body}),
            }
    raise ValueError("the text has no `def forward(self, ...):`")


def _bare(arguments: ast.arguments) -> ast.arguments:
    """Return the arguments without annotations."""
    for argument in ast.walk(arguments):
        if isinstance(argument, ast.arg):
            argument.annotation = None
    return arguments


def _layer(number: int, calls: list[int]) -> Callable[..., int]:
    def layer(*arguments: int) -> int:
        if not all(type(argument) is int for argument in arguments):
            raise TypeError(
                f"l[{number}]: expected values of inputs and layers, received something else"
            )
        calls.append(number)
        return layer_value(number, arguments)

    return layer
