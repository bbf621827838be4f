from __future__ import annotations

import sys
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


def test_a_module_of_the_library_that_a_harness_needs_knows_its_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where the library is not installed, its source is sent; it may compare with its own file."""
    source = "def of(code):\n    return code.co_filename == __file__\n"
    needing = "from hpml.absent.of import of\n\ndef mine():\n    return of(of.__code__)\n"
    monkeypatch.delitem(sys.modules, "hpml.absent", raising=False)
    needs = {"hpml.absent.of": source}
    mine = load_function({"file": "b.harness", "source": needing, "name": "mine", "needs": needs})
    assert mine() is True
    for name in ("hpml.absent", "hpml.absent.of", "b_harness"):
        del sys.modules[name]
