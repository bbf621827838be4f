"""What the labs' texts tell a student to do is done here, literally."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest

from hpml.course.labs.catalogue import LABS
from hpml.course.lesson.execute import find_lab
from tests.causes.shown import ROOT, OwnedBy
from tests.instructions.finding import instructions
from tests.instructions.kinds import Change, Followed, Moved, Nothing, Seen, Step
from tests.instructions.running import run_lab


def _followed(lab: str) -> Followed:
    found: Followed = importlib.import_module(f"tests.instructions.lab_{lab}").FOLLOWED
    return found


def _also(lab: str) -> Followed:
    found: Followed = getattr(importlib.import_module(f"tests.instructions.lab_{lab}"), "ALSO", {})
    return found


def _steps(lab: str) -> Iterator[tuple[str, Step]]:
    """Yield each step of a lab with its sentence."""
    for sentence, entry in {**_followed(lab), **_also(lab)}.items():
        for step in entry if isinstance(entry, tuple) else (entry,):
            yield sentence, step


def _functions() -> list[Any]:
    found = {
        step: f"{lab}.{step.__name__}" for lab in LABS for _, step in _steps(lab) if callable(step)
    }
    return [pytest.param(run, id=name) for run, name in found.items()]


@pytest.mark.parametrize("lab", LABS)
def test_each_instruction_has_an_entry_and_each_entry_is_an_instruction(lab: str) -> None:
    found = instructions(lab)
    assert [each for each in found if each not in _followed(lab)] == []
    assert [each for each in _followed(lab) if each not in found] == []


@pytest.mark.parametrize("lab", LABS)
def test_a_further_instruction_is_in_the_notebook(lab: str) -> None:
    cells = nbformat.read(find_lab(lab), as_version=4).cells
    prose = " ".join(" ".join(cell.source.split()) for cell in cells)
    assert [each for each in _also(lab) if each not in prose] == []


@pytest.mark.parametrize("lab", LABS)
def test_what_follows_an_instruction_elsewhere_is_there(lab: str) -> None:
    for _, step in _steps(lab):
        if isinstance(step, OwnedBy):
            assert f"\ndef {step.name}(" in (ROOT / step.file).read_text("utf-8")
        assert not isinstance(step, Nothing) or len(step.text) > 9


@pytest.mark.thorough
@pytest.mark.parametrize("run", _functions())
def test_an_instruction_does_what_it_says(run: Any) -> None:
    run()


@pytest.mark.thorough
@pytest.mark.parametrize("lab", LABS)
def test_a_lab_shows_what_its_instructions_lead_to(lab: str, tmp_path: Path) -> None:
    steps = [(sentence, step) for sentence, step in _steps(lab)]
    done = [step for _, step in steps if isinstance(step, Change | Moved)]
    shown = run_lab(lab, done, tmp_path)
    wrong = []
    for sentence, step in steps:
        if isinstance(step, Seen):
            wrong += [
                (sentence, each, shown[step.cell][:2000])
                for each in step.patterns
                if not re.search(each, shown[step.cell], re.DOTALL)
            ]
        elif isinstance(step, Change | Moved):
            text = shown[f"step-{done.index(step)}"]
            if not re.search(step.shows, text, re.DOTALL):
                wrong.append((sentence, step.shows, text[:2000]))
    assert wrong == [], "\n".join(f"{s}\n  expected {e}\n  {t}" for s, e, t in wrong)
