"""Importing the package changes nothing in the world and asks for nothing to be installed."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def run(code: str, python: str = sys.executable) -> str:
    # -P and a path of its own: the clone is imported, whatever the interpreter has installed.
    prelude = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
    done = subprocess.run(
        [python, "-c", prelude + code], capture_output=True, text=True, check=False, cwd=ROOT.anchor
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


LOADED = """
before = set(sys.modules)
import {module}
tops = {{name.partition(".")[0] for name in set(sys.modules) - before}}
print(*sorted(tops - set(sys.stdlib_module_names) - {{"hpml"}}))
"""


@pytest.mark.parametrize(
    "module",
    [
        *(
            "hpml",
            "hpml.base",
            "hpml.base.style",
            "hpml.bytecode",
            "hpml.cli",
            "hpml.course.doctor",
        ),
        *("hpml.course.labs", "hpml.course.server"),
    ],
)
def test_importing_it_loads_only_the_standard_library_and_hpml(module: str) -> None:
    assert run(LOADED.format(module=module)) == ""


def test_no_room_of_a_lab_loads_torch_before_it_is_used() -> None:
    # The grader imports a room's exercises for every submission.
    rooms = sorted(path.name for path in (ROOT / "hpml" / "course" / "labs").glob("lab_*"))
    lines = [f"import hpml.course.labs.{name}.exercises" for name in rooms]
    assert len(rooms) >= 6
    assert run("\n".join([*lines, "print('torch' in sys.modules)"])) == "False"


def test_importing_hpml_loads_none_of_its_rooms() -> None:
    assert run("import hpml; print(*[m for m in sys.modules if m.startswith('hpml.')])") == ""


def test_torch_beside_hpml_is_as_torch_made_it() -> None:
    # What torch made is told by an interpreter that never heard of hpml.
    code = (
        "import torch; M = torch.nn.Module; import json\n"
        "print(json.dumps({n: [f.__module__, f.__qualname__, f.__code__.co_firstlineno]\n"
        "    if hasattr(f, '__code__') else repr(f) for n, f in sorted(vars(M).items())\n"
        "    if callable(f)} | {'new': M.__new__ is object.__new__}))\n"
    )
    symbolic = (
        "before = dict(vars(M)), M.__new__\n"
        "import hpml.symbolic\n"
        "after = dict(vars(M)), M.__new__\n"
        "print(all(after[0][n] is f for n, f in before[0].items()),\n"
        "      after[0].keys() == before[0].keys(), after[1] is before[1])"
    )
    alone = run(code)
    after, left_alone = run("import hpml\n" + code + symbolic).splitlines()
    assert after == alone
    assert json.loads(after)["new"] is True
    assert left_alone == "True True True"


def interpreter(version: str) -> str | None:
    """Return an interpreter of this version that starts, or None."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    for candidate in (shutil.which(f"python{version}"), *map(str, pyenv)):
        if candidate is None:
            continue
        shown = subprocess.run(
            [candidate, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
            capture_output=True,
            text=True,
            check=False,
        )
        # A shim of a version manager may stand on the path and start nothing.
        if shown.stdout.strip() == version:
            return candidate
    return None


@pytest.mark.parametrize("version", ["3.12", "3.13"])
def test_the_ground_floor_runs_on_newer_pythons_with_nothing_installed(version: str) -> None:
    python = interpreter(version)
    if python is None:
        pytest.skip(f"needs python{version} on the search path or under pyenv")
    code = (
        "import hpml.cli, hpml.course.doctor, hpml.base.style\n"
        "from hpml.base import Table, environment_record\nfrom hpml.course.files import published\n"
        "print(Table(['a'], [[1]])); environment_record(); published('deep_linear_cpu')\n"
        "hpml.course.doctor.report()"
    )
    assert run(code, python).splitlines()[-1].strip() == "1"
