"""Each causal sentence of a lab has an experiment that runs, or a source, or states no cause."""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping
from typing import Any, cast

import nbformat
import pytest

from hpml.course.labs.catalogue import LABS
from hpml.course.lesson.execute import find_lab
from tests.causes.extracting import causal_sentences
from tests.causes.shown import ROOT, NoCause, OwnedBy, Shown, Source

# The labs whose sentences have no entries yet; it only shrinks.
LEFT: tuple[str, ...] = ()
DONE = [lab for lab in LABS if lab not in LEFT]


def shown(lab: str) -> Mapping[str, Shown]:
    """Return what shows each causal sentence of a lab."""
    found: Mapping[str, Shown] = importlib.import_module(f"tests.causes.lab_{lab}").SHOWN
    return found


def also(lab: str) -> Mapping[str, Shown]:
    """Return what shows further sentences, which state a cause in other words."""
    found = getattr(importlib.import_module(f"tests.causes.lab_{lab}"), "ALSO", {})
    return cast("Mapping[str, Shown]", found)


def _experiments() -> list[Any]:
    found: dict[Any, str] = {}
    for lab in DONE:
        for value in [*shown(lab).values(), *also(lab).values()]:
            # What an exam answer has shown runs with the questions.
            if callable(value) and not value.__module__.startswith("tests.questions"):
                found.setdefault(value, f"{lab}.{value.__name__}")
    return [
        pytest.param(run, id=name, marks=getattr(run, "pytestmark", []))
        for run, name in found.items()
    ]


@pytest.mark.parametrize("lab", DONE)
def test_each_causal_sentence_has_an_entry_and_each_entry_is_a_sentence(lab: str) -> None:
    found = causal_sentences(lab)
    assert [each for each in found if each not in shown(lab)] == []
    assert [each for each in shown(lab) if each not in found] == []


@pytest.mark.parametrize("lab", DONE)
def test_a_further_sentence_is_in_the_notebook(lab: str) -> None:
    cells = nbformat.read(find_lab(lab), as_version=4).cells
    prose = " ".join(" ".join(cell.source.split()) for cell in cells)
    assert [each for each in also(lab) if each not in prose] == []


def test_an_experiment_of_the_questions_runs_there() -> None:
    elsewhere = [
        value
        for lab in DONE
        for value in [*shown(lab).values(), *also(lab).values()]
        if callable(value) and value.__module__.startswith("tests.questions")
    ]
    assert elsewhere
    assert all(re.fullmatch(r"question_\d(?:_timed)?", each.__name__) for each in elsewhere)


@pytest.mark.parametrize("run", _experiments())
def test_the_experiment_shows_the_cause(run: Any) -> None:
    run()


@pytest.mark.parametrize("lab", DONE)
def test_what_is_not_run_here_is_named(lab: str) -> None:
    for value in [*shown(lab).values(), *also(lab).values()]:
        if isinstance(value, Source | NoCause):
            assert len(value.text) > 9
        elif isinstance(value, OwnedBy):
            assert f"\ndef {value.name}(" in (ROOT / value.file).read_text("utf-8")
