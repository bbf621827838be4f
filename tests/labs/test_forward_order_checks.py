"""The checks of lab 06 pass right answers and name the wrong ones."""

from __future__ import annotations

from typing import Any

from hpml.labs.forward_order_checks import (
    NOT_DONE,
    RIGHT,
    check_count_calls,
    check_lazy_forward,
    check_ordered_forward,
)

Said = dict[str, str]


def said(table: Any) -> Said:
    return dict(zip(table.column("case"), table.column("what the check says"), strict=True))


def count_calls(parents: dict[str, list[str]], output: str, remember: bool) -> int:
    needed, often = {output}, {}
    for name in parents:
        above = parents[name]
        often[name] = 1 + sum(often[parent] for parent in above) if above else 0
    if not remember:
        return often[output]
    for name in reversed(parents):
        if name in needed:
            needed.update(parents[name])
    return sum(1 for name in needed if parents[name])


def lazy_forward(parents: Any, operations: Any, inputs: Any, output: str) -> Any:
    values, waiting = dict(inputs), [output]
    while waiting:
        name = waiting[-1]
        missing = [parent for parent in parents[name] if parent not in values]
        if name in values:
            waiting.pop()
        elif missing:
            waiting += missing
        else:
            values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def ordered_forward(order: Any, parents: Any, operations: Any, inputs: Any, output: str) -> Any:
    values = dict(inputs)
    for name in order:
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]


def test_right_answers_pass_every_case() -> None:
    assert set(said(check_count_calls(count_calls)).values()) == {RIGHT}
    assert set(said(check_lazy_forward(lazy_forward)).values()) == {RIGHT}
    assert set(said(check_ordered_forward(ordered_forward)).values()) == {RIGHT}


def test_an_unfinished_function_is_not_done_yet() -> None:
    def stub(*_: object) -> None:
        return None

    for check in (check_count_calls, check_lazy_forward, check_ordered_forward):
        (line,) = said(check(stub)).values()
        assert line == NOT_DONE


def test_a_function_that_raises_or_takes_other_arguments_is_told_so() -> None:
    for check in (check_count_calls, check_lazy_forward, check_ordered_forward):
        assert all("raised TypeError" in line for line in said(check(lambda: 1)).values())


def test_counting_the_questions_is_named() -> None:
    def questions(parents: dict[str, list[str]], output: str, remember: bool) -> int:
        return 1 + sum(questions(parents, parent, remember) for parent in parents[output])

    found = said(check_count_calls(questions))
    assert "You counted the questions" in found["two diamonds, without memory"]


def test_counting_each_operation_once_is_named() -> None:
    def all_once(parents: dict[str, list[str]], output: str, remember: bool) -> int:
        return sum(1 for name in parents if parents[name])

    found = said(check_count_calls(all_once))
    assert "every operation of the graph once" in found["two diamonds, without memory"]
    assert found["two diamonds, with memory"] == RIGHT


def test_recursion_without_memory_meets_both_limits() -> None:
    def naive(parents: Any, operations: Any, inputs: Any, output: str) -> Any:
        if output in inputs:
            return inputs[output]
        return operations[output](
            *[naive(parents, operations, inputs, parent) for parent in parents[output]]
        )

    found = said(check_lazy_forward(naive))
    assert found["the tiny graph, x = 3"] == RIGHT
    assert "remember it" in found["12 diamonds"]
    assert "RecursionError" in found["a chain of 20,000"]


def test_executing_everything_is_not_lazy() -> None:
    def eager(parents: Any, operations: Any, inputs: Any, output: str) -> Any:
        order = [name for name in parents if parents[name]]
        return ordered_forward(order, parents, operations, inputs, output)

    assert "does not need" in said(check_lazy_forward(eager))["only double asked for"]


def test_a_memory_that_outlives_the_call_is_found() -> None:
    values: dict[str, Any] = {}

    def stale(parents: Any, operations: Any, inputs: Any, output: str) -> Any:
        if output in inputs:
            return inputs[output]
        if output not in values:
            asked = [stale(parents, operations, inputs, parent) for parent in parents[output]]
            values[output] = operations[output](*asked)
        return values[output]

    assert said(check_lazy_forward(stale))["a second call, x = 4"] != RIGHT


def test_writing_into_the_callers_inputs_is_named() -> None:
    def writes(order: Any, parents: Any, operations: Any, inputs: Any, output: str) -> Any:
        for name in order:
            inputs[name] = operations[name](*[inputs[parent] for parent in parents[name]])
        return inputs[output]

    found = said(check_ordered_forward(writes))
    assert "dict(inputs)" in found["the tiny graph, x = 3"]


def test_returning_the_last_value_is_named() -> None:
    def last(order: Any, parents: Any, operations: Any, inputs: Any, output: str) -> Any:
        return ordered_forward(order, parents, operations, inputs, order[-1])

    assert (
        "the last value" in said(check_ordered_forward(last))["double asked for, sum computed too"]
    )


def test_arguments_in_the_order_of_the_inputs_are_wrong() -> None:
    def by_inputs(order: Any, parents: Any, operations: Any, inputs: Any, output: str) -> Any:
        values = dict(inputs)
        for name in order:
            given = [value for known, value in values.items() if known in parents[name]]
            values[name] = operations[name](*given)
        return values[output]

    assert said(check_ordered_forward(by_inputs))["two inputs, a - b"] != RIGHT
