"""`check` in a kernel, `explain`, one's own grading and the class give the same points.

An exercise's right solution, its known wrong answers and about forty odd forms of the solution are
read by all of them. What only the saved notebook can show, a deleted cell, costs the points in
grading, and is listed there.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import pytest

from hpml.course.grading.find import find
from hpml.course.grading.grader import Grader
from hpml.course.grading.judge import Item
from hpml.course.grading.record import Report
from hpml.course.grading.sandbox import Isolation
from hpml.course.grading.tables import look_at
from hpml.course.labs.catalogue import LABS, choice, exercises
from hpml.course.lesson.exercises.exercise import Exercise
from hpml.course.lesson.exercises.wrong_answers import wrong_answers
from tests.course.grading.handed_in import notebook
from tests.course.grading.in_a_kernel import Kernel, kernel
from tests.course.grading.odd_forms import FORMS, MODULE_OF_HELPERS, Answer, answer
from tests.course.sandbox.hidden import ALLOWED, HELD, SPELT, named

SOLUTIONS = Path(__file__).parents[2] / "solutions"
EXERCISES = {each.name: each for lab in LABS for each in exercises(lab)}
pytestmark = pytest.mark.needs("bubblewrap")


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kernel]:
    with kernel(tmp_path_factory.mktemp("kernel")) as started:
        yield started


def solved(exercise: Exercise) -> Answer:
    path = SOLUTIONS / f"lab_{exercise.lab}" / exercise.name / "right.py"
    return answer(exercise.name, path.read_text(encoding="utf-8"))


def graded(folder: Path, lab: str, cells: Sequence[str], name: str, isolation: Isolation) -> Item:
    """Grade a notebook with these cells."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{lab}_lab.ipynb"
    path.write_text(notebook(*cells), encoding="utf-8")
    with Grader(isolation=isolation) as grader:
        return grader.grade(find(path, lab=lab), 7, [name])[name]


def earned(item: Item) -> dict[str, float]:
    """Return the points by part, but for those for speed."""
    return {part: item.parts.get(part, 0.0) for part in item.of if part != "speed"}


WAYS: tuple[Isolation, ...] = ("none", "bubblewrap")


def everywhere(
    shell: Kernel,
    folder: Path,
    exercise: Exercise,
    cells: Sequence[str],
    ways: Sequence[Isolation] = WAYS,
    right: bool | None = None,
) -> str:
    """Return how the points of check, own grading and the class differ, or an empty text.

    If it is known whether the function is `right`, all of them have to say so. The cases of check
    and grading are drawn differently, so a wrong answer may lose another part.
    """
    checked = shell.check(exercise.lab, cells)
    parts = dict(exercise.parts if checked.right else checked.parts or {})
    told = [f"{parts} in the kernel: {checked.text}"]
    if right is not None and checked.right != right:
        told.append("that was not expected")
    for way in ways:
        item = graded(folder / way, exercise.lab, cells, exercise.name, way)
        found = earned(item)
        same = found == parts if right is not False else item.status != "right"
        if not same or (item.status == "right" and not checked.right):
            told.append(f"{found} with {way}: {item.status}: {item.text}")
    return "\n".join(told) if len(told) > 1 else ""


def some(forms: Iterable[str], exercise: str) -> dict[str, tuple[Isolation, ...]]:
    """Return the forms to try, each with the ways to grade: with ``HPML_LONG=1`` all.

    Without it each form is tried with every eighth exercise, graded in one of the two ways.
    """
    if os.environ.get("HPML_LONG"):
        return dict.fromkeys(forms, WAYS)
    first = [*EXERCISES].index(exercise)
    return {
        form: (WAYS[(first + number) // 8 % 2],)
        for number, form in enumerate(forms)
        if number == 0 or (first + number) % 8 == 0
    }


@pytest.mark.parametrize(
    "form", ["an object that is called", "a constant that a later cell sets again"]
)
def test_a_form_is_the_same_for_all(form: str, shell: Kernel, tmp_path: Path) -> None:
    exercise = EXERCISES["dead_nodes"]
    cells = FORMS[form](solved(exercise))
    assert not everywhere(shell, tmp_path, exercise, cells, right=True)


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXERCISES)
def test_every_form_is_the_same_for_all(name: str, shell: Kernel, tmp_path: Path) -> None:
    exercise = EXERCISES[name]
    found = {}
    for form, ways in some(FORMS, name).items():
        # Numba's exercises want what Numba made, which not every form is.
        known = True if form == "as it is" else None
        cells = FORMS[form](solved(exercise))
        found[form] = everywhere(shell, tmp_path / form, exercise, cells, ways, known)
    assert not any(found.values()), _different(found)


@pytest.mark.thorough
@pytest.mark.parametrize("name", EXERCISES)
def test_a_known_wrong_answer_costs_the_same_for_all(
    name: str, shell: Kernel, tmp_path: Path
) -> None:
    exercise = EXERCISES[name]
    found = {}
    for wrong in wrong_answers(exercise):
        cells = [wrong.program(name), f"checked = check({name})"]
        folder = tmp_path / wrong.key
        found[wrong.key] = everywhere(shell, folder, exercise, cells, WAYS[1:], right=False)
    assert not any(found.values()), _different(found)


MEASURING = {**SPELT, **HELD}
ONE_EACH = ("an item", "a function passes it on", "a comparison by a function")


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(each, marks=() if each in ONE_EACH else pytest.mark.thorough)
        for each in (*MEASURING, *ALLOWED)
    ],
)
def test_a_hidden_use_is_forbidden_for_all_and_nothing_else_is(
    how: str, shell: Kernel, tmp_path: Path
) -> None:
    exercise = EXERCISES["list_bytes"]
    cells = [named({**MEASURING, **ALLOWED}[how], "list_bytes"), "checked = check(list_bytes)"]
    assert not everywhere(shell, tmp_path, exercise, cells, WAYS[1:])
    item = graded(tmp_path, "01", cells, "list_bytes", "none")
    assert (item.status == "forbidden") == (how in MEASURING), item.text
    said = shell.check("01", cells).text
    assert ("forbids" in said) == (how in MEASURING), said


def _different(found: Mapping[str, str]) -> str:
    return "\n\n".join(f"{what}: {text}" for what, text in found.items() if text)


READ = {
    "a number": "explanation = {0}",
    "a number with its type": "explanation: int = {0}",
    "a timed cell": "%%time\nexplanation = {0}",
    "a timed line": "%time explanation = {0}",
    "two names": "mine = explanation = {0}",
    "in brackets": "explanation = ({0})  # I am sure",
}
NOT_READ = {
    "another name": "mine = {0}; explanation = mine",
    "a call": "explanation = int({0})",
    "a tuple": "explanation, mine = {0}, 0",
    "a walrus": "(explanation := {0})",
    "an if": "if True: explanation = {0}",
    "a timed if": "%%time\nif True: explanation = {0}",
    "a loop": "for explanation in [{0}]: pass",
    "a sum": "explanation = {0} + 0",
}


@pytest.mark.thorough
@pytest.mark.parametrize("form", [*READ, *NOT_READ])
def test_a_choice_that_explain_takes_is_what_grading_reads(
    form: str, shell: Kernel, tmp_path: Path
) -> None:
    best = choice("05").best
    for number in (best, best % 3 + 1):
        cell = {**READ, **NOT_READ}[form].format(number)
        said = shell.explain("05", cell)
        items = [
            graded(tmp_path / str(number) / way, "05", [cell], "explanation", way)
            for way in ("none", "bubblewrap")
        ]
        if form in NOT_READ:
            assert said == "LabError"
            assert [item.status for item in items] == ["missing"] * 2
        else:
            assert f"You chose {number}. " in said
            assert [item.score for item in items] == [float("Yes, it tells" in said)] * 2
            assert ("Yes, it tells" in said) == (number == best)


def test_a_cell_that_was_changed_and_run_again_counts_as_it_is(shell: Kernel) -> None:
    """The kernel's history has what the notebook no longer has."""
    forbidden = "import graphlib"
    a = solved(EXERCISES["topological_order"])
    wrong = f"if True:\n    def {a.name}(edges): return graphlib.TopologicalSorter(edges)"
    assert "graphlib" in shell.check("05", [forbidden, wrong, a.check]).text
    assert shell.check("05", [forbidden, wrong, *FORMS["in an if"](a)]).right


def test_what_the_saved_notebook_lacks_is_listed(shell: Kernel, tmp_path: Path) -> None:
    exercise = EXERCISES["dead_nodes"]
    a = solved(exercise)
    gone = [a.renamed, a.calls, a.check]
    assert shell.check("05", gone).right
    item = graded(tmp_path, "05", gone[1:], "dead_nodes", "bubblewrap")
    assert item.score == 0
    (line,) = look_at([Report("ada", (item,), 7)])
    assert "It uses solution" in line


def test_a_check_names_what_comes_from_no_cell(shell: Kernel, tmp_path: Path) -> None:
    exercise = EXERCISES["dead_nodes"]
    a = solved(exercise)
    cells = [f"%run {MODULE_OF_HELPERS}.py", a.calls, a.check]
    checked = shell.check("05", cells, {f"{MODULE_OF_HELPERS}.py": a.renamed})
    assert checked.right
    assert "No cell defines solution" in checked.text
    item = graded(tmp_path, "05", cells, "dead_nodes", "bubblewrap")
    assert item.score == 0
    assert "It uses solution" in look_at([Report("ada", (item,), 7)])[0]
