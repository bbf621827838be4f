"""What the comparison of executed copies finds, and what it lets pass."""

from __future__ import annotations

from typing import Any

from tests.project.executed import differences


def copy_of(*cells: str, stderr: str = "") -> dict[str, Any]:
    outputs = [[{"output_type": "stream", "name": "stdout", "text": [text]}] for text in cells]
    if stderr:
        outputs[-1].append({"output_type": "stream", "name": "stderr", "text": [stderr]})
    return {"cells": [{"outputs": each} for each in outputs]}


def found(*copies: dict[str, Any]) -> list[str]:
    return list(differences({f"3.{11 + i}": copy for i, copy in enumerate(copies)}))


def test_other_numbers_are_no_difference() -> None:
    assert found(copy_of("lazy: 3.0 calls of 1,254"), copy_of("lazy: 2.5 calls of 900")) == []


def test_a_zero_in_one_copy_only_is_found() -> None:
    (said,) = found(copy_of("fine 1", "lazy: 3.0"), copy_of("fine 2", "lazy: 0.0"))
    assert said.startswith("cell 1, zero in one of them")
    assert found(copy_of("none: 0"), copy_of("none: 0.0")) == []


def test_other_words_are_found() -> None:
    (said,) = found(copy_of("it grows by 3"), copy_of("it shrinks by 3"))
    assert "-it grows by 3" in said
    assert "+it shrinks by 3" in said


def test_a_warning_is_found_in_the_copy_that_has_it() -> None:
    (said,) = found(copy_of("same"), copy_of("same", stderr="RuntimeWarning: slower"))
    assert said.startswith("cell 0, 3.12 warns")
