from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import ModuleType

from hpml.course.grading import GradingError
from tests.course.grading import small_catalogue
from tests.course.grading.handed_in import RIGHT, grade, hand_in
from tests.parts import raises

LOADED = """
import sys
from hpml.cli import main
assert main(["grade", "06", "--seed", "1"]) == 0
print(*[name for name in sys.modules if name.split(".")[0] == "hpml"])
"""


def test_grading_a_lab_loads_that_lab_and_little_else() -> None:
    ran = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = ran.stdout.splitlines()[-1].split()
    assert len(loaded) <= 110
    assert not [
        name
        for name in loaded
        if name.startswith(("hpml.widgets", "hpml.bytecode", "hpml.symbolic"))
        or (
            name.startswith("hpml.course.labs.lab_")
            and not name.startswith("hpml.course.labs.lab_06")
        )
    ]


def test_a_package_that_an_exercise_needs_must_be_installed(tmp_path: Path) -> None:
    catalogue = ModuleType("catalogue")
    exercise = replace(small_catalogue.DOUBLE, packages=("numpy", "no-such-package"))
    vars(catalogue).update(
        LABS=("06",), exercises=lambda lab: (exercise,), choice=small_catalogue.choice
    )
    name = f"exercise 06.{exercise.number} {exercise.name}"
    remedy = "pip install no-such-package"
    with raises(GradingError, object=name, expected="no-such-package", remedy=remedy):
        grade(hand_in(tmp_path / "ada", *RIGHT), catalogue=catalogue)
