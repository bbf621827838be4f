"""The instructors' book has the answers, and the exam questions test each lab's outcomes."""

from __future__ import annotations

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell

from hpml.course.labs.catalogue import exercises
from hpml.course.lesson.execute import labs
from hpml.course.observed.page import write_observed
from hpml.course.observed.records import read_class
from hpml.course.release.folder import ReleaseError
from hpml.course.release.questions import gift, quiz
from hpml.course.release.reading import predictions
from hpml.course.release.student_copy import student_files
from hpml.course.release.teaching import all_questions, lab_page, make_teaching, outcomes
from tests.course.observed.handed_in import check, hand_in, lab_00
from tests.parts import raises

ROOT = Path(__file__).resolve().parents[3]
QUESTIONS = all_questions()
each_lab = pytest.mark.parametrize("path", labs(), ids=lambda path: path.stem)


@each_lab
def test_a_lab_has_six_questions_that_together_test_each_outcome(path: Path) -> None:
    listed = outcomes(nbformat.read(path, as_version=4))
    found = QUESTIONS[path.stem[:2]]
    assert len(found) == 6
    assert {each.outcome for each in found} == set(range(1, len(listed) + 1))
    for each in found:
        assert each.text
        assert each.answer
        assert not each.choices or sum(right for _, right in each.choices) == 1


@each_lab
def test_each_exercise_is_named_by_an_outcome(path: Path) -> None:
    lab = path.stem[:2]
    listed = " ".join(outcomes(nbformat.read(path, as_version=4)))
    for exercise in exercises(lab):
        assert f"{lab}.{exercise.number}" in listed or exercise.name == "hello"


@each_lab
def test_each_outcome_names_its_exercise_or_a_section_that_asks_for_it(path: Path) -> None:
    notebook = nbformat.read(path, as_version=4)
    asks, section = set(), "0"
    for cell in notebook.cells:
        for line in cell.source.splitlines():
            section = match[1] if (match := re.match(r"## (\d+) ·", line)) else section
        if any(predictions([cell])):
            asks.add(section)
    for outcome in outcomes(notebook):
        if not re.search(r"\d\d\.\d", outcome):
            named = re.findall(r"\d+", outcome.partition("asked in section")[2])
            assert named
            assert set(named) <= asks


@pytest.mark.parametrize("lab", QUESTIONS)
def test_a_converted_question_keeps_its_answer(lab: str) -> None:
    blocks = gift(lab, QUESTIONS[lab]).strip().split("\n\n")
    assert len(blocks) == len(QUESTIONS[lab])
    for each, block in zip(QUESTIONS[lab], blocks, strict=True):
        assert block.endswith("}")
        assert block.count("\n=") == bool(each.choices)
        assert block.count("\n#####") == 0
    assert quiz(lab, QUESTIONS[lab]).count("Title: ") == len(QUESTIONS[lab])


def test_the_instructors_book_has_every_solution_and_the_students_copy_nothing_of_it(
    tmp_path: Path,
) -> None:
    make_teaching(tmp_path / "book")
    for path in labs():
        page = (tmp_path / "book" / f"{path.stem}.html").read_text(encoding="utf-8")
        assert page.count("Question ") >= 6
        assert all(exercise.name in page for exercise in exercises(path.stem[:2]))
        assert (tmp_path / "book" / "questions" / f"{path.stem[:2]}.gift").is_file()
    assert not [name for name in student_files(ROOT) if name.startswith("tests/questions")]


def test_what_a_class_did_stands_beside_the_estimates(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("notebooks", "data"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "solutions").symlink_to(ROOT / "tests" / "solutions")
    monkeypatch.setenv("HPML_HOME", str(tmp_path))
    notebook = nbformat.read(labs()[0], as_version=4)

    def page() -> str:
        return "\n\n".join(lab_page("00", notebook, []))

    assert "observed" not in page()
    class_ = hand_in(tmp_path / "class" / "ada", {"00": lab_00(2, check(17, right=True))})
    table, _ = write_observed(read_class(class_.parent), tmp_path / "out")
    table.rename(tmp_path / "tests" / "observed.csv")
    shown = page()
    assert "| minutes, estimated | minutes, observed |" in shown
    assert "takes? | 9 | 10 (10 to 10, students: 1) |" in shown
    assert "Observed. Minutes: 1 (1 to 1, students: 1)." in shown
    assert "| `prints` |" in shown
    assert "| 0 % (students: 1) |" in shown
    (tmp_path / "tests" / "observed.csv").write_text("lab,kind\n", encoding="utf-8")
    with raises(
        ReleaseError,
        object=str(tmp_path / "tests" / "observed.csv"),
        received="median",
        remedy="Write it again",
    ):
        page()


def test_a_prediction_is_listed_with_its_text_wherever_the_cell_keeps_it() -> None:
    cell = new_code_cell('asked = f"`f` has {n} lines?"\nguess = predict(asked, key="k")')
    plain = new_code_cell('predict("How " "many?", key="m", unit="×")')
    assert list(predictions([cell, plain])) == [
        {"question": "`f` has … lines?", "key": "k"},
        {"question": "How many?", "key": "m"},
    ]


def test_a_copy_without_solutions_makes_no_instructors_book(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in ("notebooks", "data"):
        (tmp_path / folder).mkdir()
    (tmp_path / "data" / "published_results.json").write_text("{}")
    monkeypatch.setenv("HPML_HOME", str(tmp_path))
    with raises(ReleaseError, object=str(tmp_path), expected="tests/solutions", remedy="clone"):
        make_teaching(tmp_path / "book")
    assert not (tmp_path / "book").exists()


def test_questions_are_in_the_order_of_the_text_also_inside_of_a_dictionary() -> None:
    cell = new_code_cell("found = {'a': predict('One?', key='a')}\nlast = predict('Two?', key='b')")
    assert [each["key"] for each in predictions([cell])] == ["a", "b"]
