"""What lab 06's exercises hold to be right, against the literal thing; and what they forbid."""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from hpml.course.exercises.exercise import Case
from hpml.course.exercises.outcomes import Raised, Returned
from hpml.course.small_graphs import chain, ladder
from hpml.labs.catalogue import find
from hpml.labs.lab_06_forward_order.exercises.graphs import (
    executions,
    needed,
    random_graph,
    values_of,
)
from hpml.labs.lab_06_forward_order.harness import AT_MOST, counting_operations, value_and_executed
from hpml.sandbox.forbidden import uses
from hpml.sandbox.notebook import parse

if TYPE_CHECKING:
    from collections.abc import Mapping


def pulled(parents: Mapping[str, list[str]], output: str) -> Counter[str]:
    """Count by really asking, as the lab's six recursive lines do."""
    executed: Counter[str] = Counter()
    if parents[output]:
        for parent in parents[output]:
            executed += pulled(parents, parent)
        executed[output] += 1
    return executed


@pytest.mark.parametrize("seed", range(20))
def test_pushing_counts_down_gives_what_asking_gives(seed: int) -> None:
    generator = random.Random(seed)
    graph = random_graph(generator, 10)
    for output in graph:
        assert executions(graph, output) == pulled(graph, output)


def test_diamonds_double() -> None:
    assert executions(ladder(60), "join60").total() == 3 * (2**60 - 1)
    assert len(executions(ladder(60), "join60")) == 180
    assert executions(chain(5), "x") == Counter()


def test_values_and_needs_do_not_depend_on_the_order_of_the_dictionary() -> None:
    data = {
        "parents": {"c": ["a", "b"], "d": ["c"], "b": ["a"], "a": ["x"], "x": []},
        "operations": {"c": "subtract", "d": "double", "b": "next", "a": "negative"},
        "inputs": {"x": 3},
        "output": "c",
    }
    case = Case("mixed", data)
    assert values_of(case) == {"x": 3, "a": -3, "b": -2, "c": -1, "d": -2}
    assert needed(case) == {"a", "b", "c"}


def test_an_operation_writes_down_each_execution_and_ends_what_never_ends() -> None:
    given = counting_operations({"operations": {"a": "next", "b": "subtract"}, "inputs": {"x": 1}})
    operations = given["operations"]
    assert operations["b"](operations["a"](1), 5, 1) == -4
    assert value_and_executed(7, given) == {"value": 7, "executed": ["a", "b"]}
    assert not hasattr(operations["a"], "__dict__")
    for _ in range(AT_MOST - 2):
        operations["a"](1)
    with pytest.raises(RuntimeError):
        operations["a"](1)


def test_what_is_measured_runs_without_counting_and_is_new_in_each_round() -> None:
    exercise = find("ordered_forward")
    assert exercise.speed is not None
    first, second = (exercise.speed.inputs(random.Random(seed)) for seed in (1, 2))
    assert first.data["order"] != second.data["order"]
    given = counting_operations(first.data)
    assert "uncounted" not in given
    result = exercise.speed.reference(**given)
    assert result == values_of(first)[str(first.data["output"])]
    assert value_and_executed(result, given)["executed"] == []


def judged(name: str, value: object, executed: list[str], **data: Any) -> Any:
    tiny = {
        "parents": {"x": [], "double": ["x"], "square": ["x"], "sum": ["double", "square"]},
        "operations": {"double": "double", "square": "square", "sum": "add"},
        "inputs": {"x": 3},
        "output": "sum",
    }
    case = Case("tiny", {**tiny, **data})
    return find(name).judge(case, Returned({"value": value, "executed": executed}, {}))


def test_a_forward_is_judged_by_value_and_by_what_was_executed() -> None:
    assert judged("lazy_forward", 15, ["square", "double", "sum"]) is None
    assert judged("lazy_forward", 15.0, ["square", "double", "sum"]).why != ""
    assert "executed 2 times" in judged("lazy_forward", 15, ["double"] * 2 + ["square", "sum"]).got
    lazy = judged("lazy_forward", 6, ["double", "square"], output="double")
    assert "square" in lazy.got
    order = ["double", "square", "sum"]
    assert judged("ordered_forward", 15, order, order=order) is None
    stopped = judged("ordered_forward", 6, ["double"], order=order, output="double")
    assert "never" in stopped.got
    # What was computed without being executed was not computed by the operations.
    assert "square" in judged("lazy_forward", 15, ["double", "sum"]).got
    assert "3 operations" in judged("ordered_forward", 15, [], order=order).expected
    assert judged("ordered_forward", 15, ["square", "double", "sum"], order=order) is not None


def test_raising_the_limit_and_the_library_are_refused() -> None:
    source = (
        "import sys, hpml.symbolic\n\ndef lazy_forward():\n"
        "    sys.setrecursionlimit(10**6)\n    return hpml.symbolic\n"
    )
    limits = find("lazy_forward").forbids
    found = uses(
        parse({1: source}).needed("lazy_forward"), limits.modules, limits.names, limits.calls
    )
    assert any("setrecursionlimit" in use.what for use in found)
    assert any("hpml" in use.what for use in found)


def test_a_raised_error_is_shown_and_judged() -> None:
    case = find("count_calls").cases(random.Random(0), False)[0]
    wrong = find("count_calls").judge(case, Raised("KeyError", ("KeyError",), "'x'"))
    assert wrong is not None
    assert "KeyError" in wrong.got
