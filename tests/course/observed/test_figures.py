"""Figures of made-up classes, whose answers are known."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import nbformat
import pytest

from hpml.course import calibration, check, explain, lab_head, predict
from hpml.course.labs.catalogue import LABS, choice, exercises, find
from hpml.course.lesson import progress as kept
from hpml.course.lesson.execute import find_lab
from hpml.course.lesson.predictions import prediction
from hpml.course.lesson.predictions.calibration import kept_entry
from hpml.course.observed.figures import BREAK, Figure, _steps_in, figures, places
from hpml.course.observed.records import Record, read_class
from hpml.course.release.reading import length_of, predictions
from tests.course.observed.handed_in import WRONG, at, guess, lab_00
from tests.course.observed.handed_in import check as tried


def of(found: list[Figure], kind: str) -> dict[str, tuple[float, ...]]:
    return {each.name: each.values for each in found if each.kind == kind}


def student(lab: dict[str, Any], *guesses: dict[str, Any]) -> Record:
    entries = tuple(kept_entry("numpy_sum", each) for each in guesses)
    return Record({"00": lab}, {"00": entries} if entries else {})


def test_minutes_of_a_section_are_those_between_its_steps() -> None:
    sections = of(figures([student(lab_00(pace)) for pace in (1, 2, 3)]), "section")
    by_number = {heading[0]: values for heading, values in sections.items()}
    assert by_number == {"1": (5, 10, 15), "3": (3, 6, 9), "7": (1, 2, 3), "8": (1, 2, 3)}


def test_half_of_a_class_is_between_the_quartiles() -> None:
    found = figures([student(lab_00(pace)) for pace in (1, 2, 3, 4, 5)])
    (whole,) = [each for each in found if each.kind == "lab"]
    assert whole.values == (10, 20, 30, 40, 50)
    assert whole.quartiles == (20, 30, 40)
    length = length_of(nbformat.read(find_lab("00"), as_version=4))
    assert (whole.estimate, whole.further) == (length.core.minutes, length.further.minutes)


def test_a_pause_is_no_work_and_what_was_run_through_has_no_minutes() -> None:
    paused = lab_00(1)
    paused["finished"] = at(9 + BREAK + 1)
    assert "8" not in {name[0] for name in of(figures([student(paused)]), "section")}
    through = lab_00(0.01, tried(0.08, right=True))
    found = figures([student(through)])
    assert of(found, "section") == {}
    assert of(found, "exercise") == {}
    assert of(found, "first check right")["hello"] == (100,)
    unfinished = {name: value for name, value in lab_00(1).items() if name != "finished"}
    assert of(figures([student(unfinished)]), "section") == {}


def test_checks_say_the_first_result_the_tries_and_the_wrong_answers_met() -> None:
    found = figures(
        [
            student(lab_00(1, tried(8.5, right=True))),
            student(
                lab_00(
                    1,
                    tried(8.25, right=False, wrong_answer=WRONG),
                    tried(8.5, right=False),
                    tried(8.75, right=True),
                    tried(8.8, right=False),
                )
            ),
            student(lab_00(1, tried(8.5, right=False, wrong_answer=WRONG))),
            student(lab_00(1, points=0)),
        ]
    )
    first = of(found, "first check right")
    assert first == {"hello": (100, 0, 0), "explanation": (100, 100, 100, 0)}
    assert of(found, "checks") == {"hello": (1, 3)}
    met = of(found, "wrong answer")
    assert met[f"hello: {WRONG}"] == (0, 100, 100)
    assert {name for name, values in met.items() if any(values)} == {f"hello: {WRONG}"}
    (exercise,) = [each for each in found if each.kind == "exercise"]
    assert exercise.values == (0.5, 0.75)
    assert exercise.estimate == find("hello").minutes


def test_predictions_have_their_factor_and_whether_they_were_right() -> None:
    students = [
        student(lab_00(1), guess(10, 20)),
        student(lab_00(1), guess(60, 20)),
        student(lab_00(1), guess(20, 20)),
        student(lab_00(1), guess(20, 20, late=True)),
    ]
    found = figures(students)
    (factors,) = of(found, "prediction").values()
    assert factors == (2, 3, 1)
    (right,) = of(found, "prediction right").values()
    assert right == (0, 0, 100)


@pytest.mark.parametrize(
    "strange",
    [
        {"opened": 5, "times": [], "hello": 7, "explanation": "x"},
        {"times": {"asked numpy_sum": "yesterday"}, "hello": {"checks": {"at": 1}}},
        {"hello": {"checks": [3, {"at": at(1)}, {"at": at(1), "right": "yes"}]}},
        {"hello": {"checks": [{"at": at(1), "right": True, "wrong_answer": ["a"]}]}},
        {"finished": at(1), "times": {"checked hello": at(2), "of no step": at(3)}},
    ],
)
def test_what_has_another_form_counts_for_nothing(strange: dict[str, Any]) -> None:
    usual = student(lab_00(1, tried(8.5, right=True)))
    expected = {(each.kind, each.name) for each in figures([usual])}
    assert {(each.kind, each.name) for each in figures([usual, student(strange)])} == expected


@pytest.mark.parametrize("lab", LABS)
def test_each_step_that_a_lab_leaves_has_its_section(lab: str) -> None:
    notebook = nbformat.read(find_lab(lab), as_version=4)
    sections, place_of = places(notebook)
    asked = {each["key"] for each in predictions(notebook.cells)}
    assert {f"{step} {key}" for key in asked for step in ("asked", "answered", "shown")} <= {
        *place_of
    }
    assert {f"checked {each.name}" for each in exercises(lab)} <= {*place_of}
    assert {"explained", "finished"} <= {*place_of}
    assert {*place_of.values()} - {0} == {*sections}
    whole, parts = length_of(notebook), sections.values()
    assert sum(each.core for each in parts) == pytest.approx(whole.core.minutes, abs=3)


@pytest.mark.parametrize(
    ("revealing", "shown"),
    [
        ("for guess in guesses.values():\n    guess.reveal(1)", {"shown a", "shown b"}),
        (
            "for (name, guess), x in zip(guesses.items(), y):\n    guess.reveal(x)",
            {"shown a", "shown b"},
        ),
        ("guesses['one'].reveal(1)", {"shown a"}),
        ("for name in guesses:\n    print(name)", set()),
        ("for guess in others:\n    guess.reveal(1)", set()),
    ],
)
def test_predictions_in_a_dictionary_are_revealed_by_a_loop_or_by_name(
    revealing: str, shown: set[str]
) -> None:
    asked = "guesses = {'one': predict('?', key='a'), 'two': predict('?', key='b')}"
    cells = [nbformat.v4.new_code_cell(source) for source in (asked, revealing)]
    found = {*_steps_in(cells, {})}
    assert {step for step in found if step.startswith("shown")} == shown
    assert {"asked a", "answered b"} <= found


def test_what_the_library_keeps_is_what_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A student at lab 05: a wrong answer, then the right one, an explanation, a prediction."""
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path / "class" / "ada"))
    monkeypatch.delenv("HPML_HEADLESS", raising=False)
    monkeypatch.setattr(kept, "notebook_shell", object)
    prediction._open.clear()
    lab_head(5, "Graphs")
    asked = predict("How many operations?", unit="operations", key="declared_operations")
    asked.lock(2)
    asked.reveal(0)

    def dead_nodes(edges: Any, outputs: Any) -> Any:
        return set()

    assert not check(dead_nodes).right
    explain(choice("05").best)
    calibration()
    records = read_class(tmp_path / "class")
    assert records.notes == ()
    found = figures(records.students)
    assert of(found, "first check right") == {"dead_nodes": (0,), "explanation": (100,)}
    met = {name for name, values in of(found, "wrong answer").items() if any(values)}
    assert len(met) <= 1
    assert of(found, "prediction right") == {
        next(
            each["question"]
            for each in predictions(nbformat.read(find_lab("05"), as_version=4).cells)
            if each["key"] == "declared_operations"
        ): (0,)
    }
    (progress,) = [each.progress["05"] for each in records.students]
    assert {*progress["times"]} == {
        f"{step} declared_operations" for step in ("asked", "answered", "shown")
    }
