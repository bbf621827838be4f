"""A class of thirty in bubblewrap: what a student's check said is what the class is given."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from hpml.course.grading import tables
from hpml.course.grading.classes import grade_class
from hpml.course.grading.platforms.roster import matched
from hpml.course.grading.report import write_feedback_zip
from hpml.course.lesson.cells import code_cells
from hpml.course.lesson.execute import find_lab
from tests.course.grading.handed_in import notebook

ROOT = Path(__file__).resolve().parents[3]
SOLUTIONS = ROOT / "tests" / "solutions" / "lab_06"
LAB = find_lab("06").name

pytestmark = [pytest.mark.thorough, pytest.mark.needs("bubblewrap")]


def solution(name: str) -> str:
    return (SOLUTIONS / name / "right.py").read_text(encoding="utf-8")


RIGHT = [*(solution(path.name) for path in sorted(SOLUTIONS.iterdir())), "explanation = {best}"]


def right() -> list[str]:
    from hpml.course.labs.catalogue import choice

    return [*RIGHT[:-1], RIGHT[-1].format(best=choice("06").best)]


def handed_in() -> dict[str, bytes | str]:
    """Return the files of a class by name; what a name begins with says what it should get."""
    done = right()
    stubs = list(code_cells(find_lab("06").read_text(encoding="utf-8")).values())
    renamed = [cell.replace("values", "known") for cell in done]
    files: dict[str, bytes | str] = {f"full_{number}/{LAB}": notebook(*done) for number in range(8)}
    files |= {
        f"full_renamed/Copy of {LAB}": notebook(*renamed),
        f"full_two/{LAB}": notebook(*stubs),
        f"full_two/{LAB[:-6]}-Copy1.ipynb": notebook(*done),
        f"full_inside/lab/{LAB}": notebook(*done),
        f"full_json/{LAB[:-6]}.json": notebook(*done),
        f"full_txt/{LAB}.txt": notebook(*done),
        f"full_script/{LAB[:-6]}.py": "\n# %%\n".join(done),
        f"full_nbformat_3/{LAB}": json.dumps({
            "nbformat": 3,
            "worksheets": [{"cells": [{"cell_type": "code", "input": cell} for cell in done]}],
        }),
        f"full_bom/{LAB}": "\ufeff" + notebook(*done),
        f"full_magics/{LAB}": notebook("%matplotlib inline", "%%time\n" + done[0], *done[1:]),
        f"full_broken_cell/{LAB}": notebook("def f(:", *done, "1 / 0"),
        f"full_slow_cell/{LAB}": notebook("while True: pass", *done),
        f"lovelaceada_LATE_4711_998_{LAB}": notebook(*done),
        f"Ada Lovelace_12345_assignsubmission_file/{LAB}": notebook(*done),
        f"none_stubs/{LAB}": notebook(*stubs),
        f"none_empty/{LAB}": b"",
        f"none_text/{LAB}": "my homework",
        f"none_binary/{LAB}": bytes(range(256)),
        "none_archive/work.zip": b"PK",
        f"none_exit/{LAB}": notebook("import os\nos._exit(0)"),
        f"some_exit_at_load/{LAB}": notebook(*done, "import os\nos._exit(0)"),
        f"some_first/{LAB}": notebook(done[0]),
        f"some_wrong/{LAB}": notebook(*done[:-2], "explanation = 9"),
        "07_code_generation.ipynb": notebook("another lab"),
    }  # fmt: skip
    return files


def test_a_class_gets_what_its_notebooks_are_worth(tmp_path: Path) -> None:
    folder = tmp_path / "class"
    for name, content in handed_in().items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        data = content if isinstance(content, bytes) else content.encode()
        (folder / name).write_bytes(data)
    done = grade_class(folder, tmp_path / "reports", lab="06", jobs=2)
    reports = {each.report.name: each.report for each in done.graded}
    assert len(reports) == 30
    assert done.left_out == ["07_code_generation.ipynb"]
    for name, report in reports.items():
        told = "; ".join(f"{item.name} {item.status}: {item.text[:200]}" for item in report.items)
        if name.startswith("none"):
            assert report.score == 0, f"{name}: {told}"
        elif name.startswith("some"):
            assert report.score > 0, f"{name}: {told}"
        else:
            # Not the points for speed, which depend on what else the machine does.
            for item in report.items:
                wanted = {part: item.of[part] for part in item.of if part != "speed"}
                earned = {part: item.parts.get(part) for part in wanted}
                assert earned == wanted, f"{name}: {told}"
    found = list(reports.values())
    looked_at = {line.partition(":")[0] for line in tables.look_at(found)}
    assert {name for name in reports if name.startswith("none")} <= looked_at
    roster = [{"ID": "4711", "Student": "Ada"}, {"Full name": "Ada Lovelace", "Email address": "a"}]
    assert None not in [each.report for each in matched(found, roster)]
    write_feedback_zip(found, tmp_path / "feedback.zip")
    with zipfile.ZipFile(tmp_path / "feedback.zip") as archive:
        assert len(archive.namelist()) == 30
