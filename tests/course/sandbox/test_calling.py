from __future__ import annotations

from typing import Any

import pytest

from hpml.course.labs.lab_06_forward_order.harness import counting_operations
from hpml.course.sandbox.calling import call, raised
from hpml.course.sandbox.harness import (
    by_name,
    harness_source,
    load_function,
    load_harness,
    the_result,
)
from hpml.course.sandbox.plain import decode


def outcome(function: Any, **data: object) -> dict[str, Any]:
    return call(function, by_name, the_result, data)


def test_a_changed_argument_is_named_with_what_it_became() -> None:
    def clear(edges: dict[str, list[str]], other: list[int]) -> int:
        edges["a"].clear()
        return 1

    data = {"edges": {"a": ["b"]}, "other": [1]}
    answer = outcome(clear, **data)
    assert decode(answer["changed"]["edges"]) == {"a": []}
    assert list(answer["changed"]) == ["edges"]
    assert data["edges"] == {"a": ["b"]}


def test_a_long_or_broken_message_is_cut_and_can_be_written() -> None:
    class Sly(str):
        def __getitem__(self, key: object) -> str:
            return "FORGED"

    class Nasty(Exception):
        def __str__(self) -> str:
            return Sly("\ud800" + "x" * 10**6)

    message = raised(Nasty())["message"]
    assert message.startswith("\\ud800xxx")
    assert len(message) < 600


def test_a_result_that_observe_cannot_use_counts_as_raised() -> None:
    answer = call(lambda: "nonsense", by_name, lambda result, arguments: result + 1, {})
    assert answer["type"] == "TypeError"


def test_a_harness_travels_as_the_source_of_its_file() -> None:
    sent = harness_source(counting_operations, the_result)
    arguments, observe = load_harness(sent)
    assert arguments is not counting_operations
    assert arguments({"operations": {"a": "next"}})["operations"]["a"](3) == 4
    assert observe is the_result


@pytest.mark.parametrize("name", ["", "system", "nothing"])
def test_a_harness_without_the_function_is_refused(name: str) -> None:
    with pytest.raises(LookupError):
        load_function({"file": "a.harness", "source": "import os", "name": name, "needs": {}})
