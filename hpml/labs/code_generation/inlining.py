"""Inlined models: who is written out and who is called, and the same source without its guard."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from hpml.base.tables import Table

if TYPE_CHECKING:
    from hpml.symbolic import SymbolicModel

__all__ = ["explained", "unguarded"]


def explained(moments: Mapping[str, Table]) -> Table:
    """Return what ``model.explain()`` said at several moments: two counts, and who must be called.

    A layer that was written out and must be called now makes the whole forward call its layers.

    Args:
        moments: from the name of a moment to the table that ``model.explain()`` returned then.

    >>> columns = ("layer", "type", "how", "why")
    >>> then = Table(columns, [("a", "ReLU", "inlined", ""), ("b", "Softmax", "called", "no form")])
    >>> explained({"then": then}).rows
    (('then', 1, 1, 'b: no form'),)
    """
    rows = []
    for moment, table in moments.items():
        called = [f"{name}: {why}" for name, _, how, why in table.rows if how != "inlined"]
        some = called[:3] + ["…"] * (len(called) > 3)
        rows.append([moment, len(table) - len(called), len(called), "; ".join(some)])
    return Table(["moment", "may be inlined", "must be called", "who must, and why"], rows)


def unguarded(model: SymbolicModel) -> Callable[..., Any]:
    """Return the inlined forward of a model as a function of its inputs, without the guard.

    It is wrong as soon as a layer is no more what it was: to be measured, not to be used.

    >>> import torch
    >>> from hpml.labs.code_generation import residual_model
    >>> model, x = residual_model(2), torch.ones(1, 4)
    >>> torch.equal(unguarded(model)(x), model(x))
    True
    """
    from hpml.symbolic.execution import inlined
    from hpml.symbolic.forms import form_of
    from hpml.symbolic.source import compile_source

    layers = model._execution_order_layers
    parameters = [layer._parameters for layer in layers]
    calls = model.graph.calls
    forms = [form_of(layer, len(call.arguments)) for call, layer in zip(calls, layers, strict=True)]
    source, names = inlined._generate(model.graph, forms)
    forward = compile_source(source, names)
    return lambda *inputs: forward(layers, parameters, *inputs)
