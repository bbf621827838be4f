from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.layers import LEVEL, first_circle, violations

ROOT = Path(__file__).resolve().parents[2]
MOST_FILES = 15
EMPTY = [f"{folder}__init__.py" for folder in ("", "base/", "widgets/", "course/", "course/labs/")]


def test_every_file_imports_only_from_its_own_package_and_from_below() -> None:
    assert violations(ROOT) == []


def test_contributing_names_the_packages_from_the_lowest_layer_up() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    cells = re.findall(r"(?m)^\| (`[\w.]+`(?:, `[\w.]+`)*) \|", text)
    named = [name for cell in cells for name in re.findall(r"[\w.]+", cell)]
    folders = [name for name in LEVEL if (ROOT / "hpml" / name.replace(".", "/")).is_dir()]
    assert sorted(named) == sorted(set(folders) - {"course"})
    assert [LEVEL[name] for name in named] == sorted(LEVEL[name] for name in named)


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, source in files.items():
        path = root / "hpml" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return root


@pytest.mark.parametrize(
    ("file", "source", "message"),
    [
        ("base/a.py", "import hpml.widgets", "hpml/base/a.py:1: base imports widgets"),
        ("base/a.py", "from hpml import widgets", "base imports widgets"),
        ("base/deep/a.py", "from ...widgets import b", "base imports widgets"),
        ("base/deep/a.py", "from ... import widgets", "base imports widgets"),
        ("base/a.py", "from hpml.widgets.x import y", "base imports widgets"),
        (
            "base/a.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from hpml.widgets import x",
            "hpml/base/a.py:3: base imports widgets",
        ),
        (
            "base/a.py",
            "def f():\n    import hpml.widgets",
            "hpml/base/a.py:2: base imports widgets",
        ),
        ("base/a.py", "import importlib\nimportlib.import_module('hpml.widgets.b')", "widgets"),
        ("widgets/a.py", "from hpml.course import labs", "widgets imports course.labs"),
        ("widgets/a.py", "from hpml.course import check", "widgets imports course"),
        ("widgets/a.py", "import hpml.course.labs.b", "widgets imports course.labs"),
        ("course/doctor.py", "from hpml.course.labs import b", "course.doctor imports course.labs"),
        ("course/labs/a.py", "from hpml.course import check", "course.labs imports course"),
        ("__init__.py", "from hpml.base import Table", "hpml imports base"),
        ("cellar/a.py", "", "cellar is in no layer"),
        ("course/cellar/a.py", "", "course.cellar is in no layer"),
    ],
)
def test_a_planted_violation_is_found(tmp_path: Path, file: str, source: str, message: str) -> None:
    found = violations(
        tree(
            tmp_path,
            {**dict.fromkeys(EMPTY, ""), file: source},
        )
    )
    assert len(found) == 1
    assert message in found[0]


def test_what_is_allowed_is_not_reported(tmp_path: Path) -> None:
    files = {
        **dict.fromkeys(EMPTY, ""),
        "__init__.py": "__version__ = '1'",
        "base/a.py": "import hpml\nfrom hpml import __version__",
        "symbolic/__init__.py": "from .graph import x\nfrom hpml.symbolic.graph import x",
        "symbolic/deep/a.py": "from ..graph import x\nfrom hpml.base import y\nimport torch.nn",
        "course/suites/a.py": "import hpml.course.models.x, hpml.symbolic\nfrom ...base import a",
        "course/suites/__init__.py": "",
        "course/models/x.py": "",
        "course/labs/a.py": "from hpml.course.suites import a\nfrom hpml.widgets import b",
        "course/__init__.py": "from hpml.course.labs.a import x",
        "cli.py": "import hpml.course.models.x\nfrom hpml.course import suites",
        "__main__.py": "from hpml.cli import main",
    }
    assert violations(tree(tmp_path, files)) == []


def test_no_files_import_each_other_in_a_circle() -> None:
    assert first_circle(ROOT) == []


@pytest.mark.parametrize(
    "back",
    ["from hpml.base.a import x", "from hpml.base import a", "def f():\n    from . import a"],
)
def test_a_planted_circle_is_found(tmp_path: Path, back: str) -> None:
    files = {"base/__init__.py": "", "base/a.py": "from hpml.base import b", "base/b.py": back}
    assert set(first_circle(tree(tmp_path, files))) == {"hpml.base.a", "hpml.base.b"}


def test_no_folder_holds_more_files_than_one_takes_in() -> None:
    folders = {path.parent for path in (ROOT / "hpml").rglob("*.py")}
    assert [folder for folder in folders if len(list(folder.glob("*.py"))) > MOST_FILES] == []


def test_contributing_names_files_that_exist() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:[\w.]+/)+(?:\w+\.\w+)?)`", text))
    there = {
        name
        for name in named
        for top in ("", "hpml", "hpml/course")
        if (ROOT / top / name).exists()
    }
    there |= {name for name in named if any((ROOT / "hpml").rglob(name))}
    invented = re.compile(r"NN|16|twice|yours|^dist/")
    assert [name for name in named - there if not invented.search(name)] == []
