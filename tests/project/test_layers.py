from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.project.layers import LAYERS, violations

ROOT = Path(__file__).resolve().parents[2]


def test_every_file_imports_only_from_its_own_room_and_from_below() -> None:
    assert violations(ROOT) == []


def test_contributing_names_the_packages_from_the_lowest_layer_up() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    cells = re.findall(r"(?m)^\| (`\w+`(?:, `\w+`)*) \|", text)
    named = [name for cell in cells for name in re.findall(r"\w+", cell)]
    level = {name: number for number, names in enumerate(LAYERS) for name in names}
    assert sorted(named) == sorted(name for name in level if (ROOT / "hpml" / name).is_dir())
    assert [level[name] for name in named] == sorted(level[name] for name in named)


def tree(root: Path, files: dict[str, str]) -> Path:
    for name, source in files.items():
        path = root / "hpml" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    return root


@pytest.mark.parametrize(
    ("file", "source", "message"),
    [
        ("base/a.py", "import hpml.symbolic", "hpml/base/a.py:1: base imports symbolic"),
        ("symbolic/a.py", "from hpml.benchmark.x import y", "symbolic imports benchmark"),
        ("symbolic/a.py", "from hpml import labs", "symbolic imports labs"),
        ("symbolic/deep/a.py", "from ...models import b", "symbolic imports models"),
        ("symbolic/deep/a.py", "from ... import models", "symbolic imports models"),
        ("doctor.py", "from hpml.models import b", "doctor imports models"),
        ("doctor.py", "from .models import b", "doctor imports models"),
        ("labs/a.py", "def f():\n    import hpml.cli", "hpml/labs/a.py:2: labs imports cli"),
        (
            "jit/a.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from hpml.suites import x",
            "hpml/jit/a.py:3: jit imports suites",
        ),
        ("models/a.py", "import importlib\nimportlib.import_module('hpml.labs.b')", "labs"),
        ("__init__.py", "from hpml.base import Table", "hpml imports base"),
        ("cellar/a.py", "", "cellar stands in no layer"),
        ("models/a.py", "import hpml.attic", "models imports attic"),
    ],
)
def test_a_planted_violation_is_found(tmp_path: Path, file: str, source: str, message: str) -> None:
    found = violations(
        tree(tmp_path, {"models/__init__.py": "", "base/__init__.py": "", file: source})
    )
    assert len(found) == 1
    assert message in found[0]


def test_what_is_allowed_is_not_reported(tmp_path: Path) -> None:
    files = {
        "__init__.py": "__version__ = '1'",
        "base/a.py": "import hpml\nfrom hpml import __version__",
        "symbolic/__init__.py": "from .graph import x\nfrom hpml.symbolic.graph import x",
        "symbolic/deep/a.py": "from ..graph import x\nfrom hpml.base import y\nimport torch.nn",
        "suites/a.py": "import hpml.models.x, hpml.symbolic\nfrom ..base import a",
        "cli.py": "import hpml.labs\nfrom hpml import suites",
        "__main__.py": "from hpml.cli import main",
    }
    assert violations(tree(tmp_path, files)) == []
