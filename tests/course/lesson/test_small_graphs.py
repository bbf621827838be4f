from __future__ import annotations

from hpml.base.drawing import DrawingError
from hpml.course.lesson.small_graphs import (
    Parents,
    counting_operations,
    draw_dataflow,
    ladder,
    stack_steps,
)
from tests.parts import raises


def pull(parents: Parents, operations: dict[str, object], output: str) -> object:
    if not parents[output]:
        return 1
    values = [pull(parents, operations, name) for name in parents[output]]
    return operations[output](*values)  # type: ignore[operator]


def test_a_ladder_pulled_without_memory_doubles_with_every_diamond() -> None:
    totals = []
    for diamonds in (1, 2, 3, 4):
        operations, executed = counting_operations(ladder(diamonds))
        assert pull(ladder(diamonds), operations, f"join{diamonds}") == 2**diamonds
        totals.append(executed.total())
    assert totals == [3 * (2**n - 1) for n in (1, 2, 3, 4)]


def test_the_steps_execute_each_operation_once_and_parents_first() -> None:
    parents = ladder(3)
    happened = stack_steps(parents, "join3").column("what happens to the top one")
    executed = [str(step).split()[0] for step in happened if str(step).endswith("execute")]
    assert sorted(executed) == sorted(name for name in parents if parents[name])
    for name in executed:
        earlier = [*executed[: executed.index(name)], "x"]
        assert set(parents[name]) <= set(earlier)


def test_children_before_parents_are_refused() -> None:
    with raises(DrawingError, object="'b'", expected="'a'", received="after"):
        draw_dataflow({"b": ["a"], "a": []})
