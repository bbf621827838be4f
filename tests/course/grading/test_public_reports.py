"""What public reports say of other graders and editors, reproduced with this one.

Each case names its report by repository and number. Most are notebooks that earn what the function
in them is worth; the others are about names and lists.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from hpml.course.grading import record
from hpml.course.grading.find import by_student, find, find_class
from hpml.course.grading.grader import Grader
from hpml.course.grading.platforms import roster
from hpml.course.grading.record import Report
from hpml.course.grading.report import page
from tests.course.grading.handed_in import (
    CATALOGUE,
    DOUBLE,
    EXPLANATION,
    LAB,
    RIGHT,
    TOTAL,
    grade,
    notebook,
)

WRONG = "def double(n):\n    return n + 2"


class Case(NamedTuple):
    """A notebook: its cells or its whole JSON, and what it earns for `double`."""

    cells: list[Any]
    status: str = "right"
    says: str = ""


def cell(source: str, kind: str = "code", **more: Any) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": {}, **more}


REPORTS = {
    "jupyter/nbgrader#1682 cells of checks are deleted": Case([DOUBLE]),
    "jupyter/nbgrader#1083 a cell is copied, with its identity": Case(
        [cell(DOUBLE, id="a"), cell(DOUBLE, id="a"), cell("def double(n): ...", id="a")]
    ),
    "jupyter/nbgrader#108 the solution is copied, then changed": Case([DOUBLE, WRONG, DOUBLE]),
    "jupyter/nbgrader#1324 errors are no longer shown": Case(
        [
            "import IPython.core.interactiveshell as i\n"
            "i.InteractiveShell.showtraceback = lambda *args, **kwargs: None",
            WRONG,
        ],
        "wrong",
    ),
    "jupyter/nbgrader#427 a loop that needs more and more memory": Case(
        ["kept = []\nfor _ in range(10**6): kept.append(1)", "while True: pass", DOUBLE]
    ),
    "jupyter/nbgrader#77 input and the debugger are left in": Case(
        ["name = input('Who? ')\n%debug", "breakpoint()", "%pdb on\n" + DOUBLE]
    ),
    "jupyter/nbgrader#251 a cell is gone": Case(["pass", DOUBLE, "check(other)"]),
    "jupyter/nbgrader#915 the loop needs longer than the limit": Case(
        ["def double(n):\n    while n:\n        pass\n    return 0"], "no answer", "too slow"
    ),
    "ucbds-infra/otter-grader#793 a name means something else later": Case(
        ["t = 2", "def double(n):\n    return t * n", "check(double)", "t = 4"]
    ),
    "ucbds-infra/otter-grader#30 checked in the middle": Case(
        ["x = 1\nx = x + 1", "def double(n): return x * n", "check(double)", "x = x + 5"]
    ),
    "ucbds-infra/otter-grader#890 a function that uses later variables": Case(
        ["def double(n):\n    return factor * n", "factor = 2"]
    ),
    "ucbds-infra/otter-grader#838 the check is replaced": Case(
        ["class Right:\n    right = True", "def check(f):\n    return Right()", WRONG,
         "check(double)"], "wrong",
    ),
    "ucbds-infra/otter-grader#469 which question never ends": Case(
        ["def double(n):\n    while True: pass"], "no answer", "too slow"
    ),
    "ucbds-infra/otter-grader#244 the code was deleted before": Case(
        ["def double(n):\n    return helper(n)"], "wrong", "helper"
    ),
    "ucbds-infra/otter-grader#604 magics of cells": Case(
        ["%%capture out\nimport math\n" + DOUBLE, "%%sql\nSELECT * FROM t", "%%bash\nexit 1"]
    ),
    "ucbds-infra/otter-grader#756 a figure is captured": Case(["%%capture --no-stderr\n" + DOUBLE]),
    "ucbds-infra/otter-grader#444 the notebook is empty": Case([], "missing", "double"),
    "googlecolab/colabtools#5268 the drive is mounted where the function is": Case(
        ["from google.colab import drive\ndrive.mount('/content/drive')\n%cd /content\n" + DOUBLE]
    ),
    "googlecolab/colabtools#5288 widgets have no state": Case([DOUBLE]),
    "jupytext/jupytext#365 another process runs the cell": Case(
        [DOUBLE, "%%python3\ndef double(n):\n    return 3 * n"]
    ),
    "jupytext/jupytext#339 a variable is called as a command": Case(
        ["cat = 2\nls = 'x'\ntime = 1\n" + DOUBLE]
    ),
    "jupytext/jupytext#524 lines that begin with a percent sign": Case(
        ["%autosave 0\n# %autosave 0\n" + DOUBLE + "\n%whos"]
    ),
    "jupytext/jupytext#41 a cell of comments": Case(["# …\n# def double(n):\n#     pass", DOUBLE]),
    "jupytext/jupytext#111 another language": Case(["%%R -i x -o y\ny <- x + 1", DOUBLE]),
    "jupytext/jupytext#764 identities in an older format": Case([cell(DOUBLE, id="0a1b")]),
    "microsoft/vscode-python#10855 text cells have outputs": Case(
        [cell("# Title", "markdown", outputs=[], execution_count=None), cell(DOUBLE)]
    ),
    "microsoft/vscode-jupyter#1211 the function is in a raw cell": Case(
        [cell(DOUBLE, "raw")], "missing", "Cell 1 has it, but is a text cell"
    ),
    "microsoft/vscode-jupyter#4757 cells of other languages": Case(
        [
            {**cell("Get-ChildItem | Sort"), "metadata": {"vscode": {"languageId": "powershell"}}},
            cell(DOUBLE),
        ]
    ),
}  # fmt: skip


@pytest.mark.thorough
@pytest.mark.parametrize("report", REPORTS)
def test_a_notebook_earns_what_its_function_is_worth(report: str, tmp_path: Path) -> None:
    case = REPORTS[report]
    made = json.loads(notebook())
    made["cells"] = [cell(each) if isinstance(each, str) else each for each in case.cells]
    if "widgets" in report:
        state = {"application/vnd.jupyter.widget-state+json": {"0a": {"model_name": "x"}}}
        made["metadata"] = {"widgets": state, "colab": {"provenance": []}}
    (tmp_path / LAB).write_text(json.dumps(made), encoding="utf-8")
    graded = grade(tmp_path, ["double"])
    item = graded["double"]
    assert item.status == case.status, item.text
    assert case.says in f"{item.text} {item.note}"
    # TU-Wien-dataLAB/grader-service#169: a deleted cell does not change what there is to earn.
    assert item.most == 2


@pytest.mark.parametrize(
    "script",
    [
        "# %%\n%matplotlib inline\n# %%time\n{0}\n# %% [markdown]\n# Words\n",  # jupytext#126
        "#%%\n{0}\n#%% md\n# Words\n",  # PyCharm and Spyder
        "# Words\n\n# +\n# %matplotlib inline\nx = (\n# -\n\n# + tags=[]\n{0}\n# -\n",  # light
        "{0}",
    ],
)
def test_each_format_of_a_script_is_read_by_cells(script: str, tmp_path: Path) -> None:
    (tmp_path / "06_forward_order.py").write_text(script.format(DOUBLE), encoding="utf-8")
    assert grade(tmp_path, ["double"])["double"].status == "right"


@pytest.mark.parametrize(
    "name",
    [
        "06_forward_order-ada.ipynb",  # earthlab/abc-classroom#88
        "06_forward_order (3).ipynb",  # ucbds-infra/otter-grader#433
        "06_forward_order-Copy1.ipynb",  # ucbds-infra/otter-grader#884
        "Copy of Copy of 06_forward_order.ipynb",
    ],
)
def test_a_renamed_notebook_is_found(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(notebook(*RIGHT))
    # jupyter/nbgrader#258: other notebooks beside it are left alone.
    (tmp_path / "scratch.ipynb").write_text(notebook("1 / 0"))
    assert find(tmp_path, catalogue=CATALOGUE).notebooks == {"06": (tmp_path / name,)}


def test_a_notebook_and_its_export_are_graded_once(tmp_path: Path) -> None:
    """ucbds-infra/otter-grader#150, where each question was graded twice."""
    (tmp_path / LAB).write_text(notebook(DOUBLE, TOTAL, EXPLANATION))
    (tmp_path / "06_forward_order.py").write_text("def double(n): return 0")
    report = grade(tmp_path)
    assert report.earned == 6.0
    assert len({item.name for item in report.items}) == len(report.items) == 3


def test_a_later_upload_belongs_to_the_same_student() -> None:
    """jupyter/nbgrader#724: of a second attempt one file was skipped."""
    names = [f"lovelaceada_4711_{upload}_06_forward_order.ipynb" for upload in (999, 1000)]
    others = ["hopper_4712_1001_06_forward_order.ipynb"]
    assert by_student([*others, *reversed(names)]) == [others, names]


@pytest.mark.parametrize(
    ("folder", "written"),
    [
        ("Ada Love<l>ace_31_assignsubmission_file", "Ada Love&l:ace"),  # moodle-qtype_stack#1485
        ("Ana_Maria Lopez_32_assignsubmission_file", "Ana_Maria Lopez"),
        ("Danie\u0308l de Wit_33_assignsubmission_file", "Daniël de Wit"),  # bb-scripts#54
    ],
)
def test_a_name_with_odd_characters_is_matched(folder: str, written: str) -> None:
    (found,) = roster.matched([record.Report(folder, (), 7)], [{"Full name": written}])
    assert found.report is not None
    assert found.by == "Full name"


def test_an_archive_of_another_kind_is_named(tmp_path: Path) -> None:
    """squell/bb-scripts#54: some students hand in a .tar.gz."""
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "work.tar.gz").write_bytes(b"\x1f\x8b")
    (tmp_path / "bob").mkdir()
    (tmp_path / "bob" / LAB).write_text(notebook(*RIGHT))
    assert len(find_class(tmp_path, catalogue=CATALOGUE)[0]) == 2
    submission = find(tmp_path / "ada", lab="06", catalogue=CATALOGUE)
    with Grader(catalogue=CATALOGUE, isolation="none") as grader:
        item = grader.grade(submission, 7, ["double"])["double"]
    assert item.status == "missing"
    assert "found work.tar.gz" in item.text


def test_a_page_tells_neither_the_seed_nor_anothers_result(tmp_path: Path) -> None:
    """jupyter/nbgrader#1363 and #1202: what students read of the tests, and of each other."""
    (tmp_path / LAB).write_text(notebook(WRONG))
    report = grade(tmp_path, seed=987_654_321)
    assert "987654321" not in page(Report("ada", report.items, report.seed))
