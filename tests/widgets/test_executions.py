from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from hpml.base.drawing import dataflow
from hpml.widgets.player.executions import ExecutionStep, lazy_steps, ordered_steps

Parents = dict[str, list[str]]
TINY: Parents = {"x": [], "double": ["x"], "square": ["x"], "sum": ["double", "square"]}


@st.composite
def graphs(draw: st.DrawFn) -> Parents:
    """Small graphs with one or two inputs, whose values may be used often, twice, or never."""
    names = ["x", "y"][: draw(st.integers(1, 2))]
    parents: Parents = {name: [] for name in names}
    for i in range(draw(st.integers(1, 6))):
        above = draw(st.lists(st.sampled_from(list(parents)), min_size=1, max_size=3))
        parents[f"n{i}"] = above
    return parents


def pulled(parents: Parents, output: str, remember: bool) -> tuple[int, list[str]]:
    """Ask recursively, and return how often was asked and what was executed, in its order."""
    known: set[str] = {name for name, above in parents.items() if not above}
    executed: list[str] = []
    asked = 0

    def pull(name: str) -> None:
        nonlocal asked
        asked += 1
        if name in known:
            return
        for parent in parents[name]:
            pull(parent)
        executed.append(name)
        if remember:
            known.add(name)

    pull(output)
    return asked, executed


def executed_of(calls: Sequence[ExecutionStep], parents: Parents) -> list[str]:
    names = list(parents)
    return [names[call.value] for call in calls if call.kind == "execute"]


@given(graphs(), st.booleans())
def test_questions_and_executions_are_those_of_a_recursive_forward(
    parents: Parents, remember: bool
) -> None:
    output = list(parents)[-1]
    flow = dataflow(parents)._replace(outputs=(len(parents) - 1,))
    calls = lazy_steps(flow, at_most=10_000, remember=remember)
    asked, executed = pulled(parents, output, remember)
    assert calls[-1].asked == asked == sum(call.kind != "execute" for call in calls)
    assert executed_of(calls, parents) == executed
    assert calls[-1].executed == len(executed)
    assert calls[-1].waiting == ()
    # In order: the same calls, each once, as the graph lists them.
    in_order = [name for name in parents if name in executed]
    assert executed_of(ordered_steps(flow), parents) == in_order


def test_who_waits_is_who_has_asked_and_not_been_answered() -> None:
    calls = lazy_steps(dataflow(TINY))
    names = list(TINY)
    shown = [(call.kind, names[call.value], [names[v] for v in call.waiting]) for call in calls]
    assert shown == [
        ("ask", "sum", ["sum"]),
        ("ask", "double", ["sum", "double"]),
        ("find", "x", ["sum", "double"]),
        ("execute", "double", ["sum"]),
        ("ask", "square", ["sum", "square"]),
        ("find", "x", ["sum", "square"]),
        ("execute", "square", ["sum"]),
        ("execute", "sum", []),
    ]
    assert [call.asker for call in calls[:3]] == [None, 3, 1]
