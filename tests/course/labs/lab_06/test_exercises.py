from __future__ import annotations

import random
import sys

import pytest

from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_06_forward_order.exercises.graphs import values_of
from hpml.course.labs.lab_06_forward_order.harness import (
    AT_MOST,
    counting_operations,
    value_and_executed,
)


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


def test_a_recursion_limit_that_another_cell_raised_does_not_count() -> None:
    sys.setrecursionlimit(20_000)
    counting_operations({"operations": {}, "inputs": {}})
    assert sys.getrecursionlimit() == 1000
