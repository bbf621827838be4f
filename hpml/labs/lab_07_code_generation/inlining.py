"""Inlined models: who is written out, and who is called."""

from __future__ import annotations

from collections.abc import Mapping

from hpml.base.tables import Table

__all__ = ["explained"]


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
