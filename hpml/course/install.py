"""Install the course's packages into this interpreter's environment, as `make .venv` does.

One package that has no release for this Python or machine must not stop the course: then all that a
lab can do without is left out, and named. Nothing is installed yet when this runs, so it needs the
standard library only.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

from hpml.course.doctor import OPTIONAL

_ROOT = Path(__file__).resolve().parents[2]
_NOT_OPTIONAL = ("jupyterlab",)  # `make lab` opens it


def main(options: list[str]) -> int:
    """Install everything; if that fails, what is needed, and then each other package alone.

    Args:
        options: for pip, such as ``-c constraints.txt``.

    Returns:
        0 if all that is needed is installed, otherwise the exit code of pip.
    """
    if (code := _pip(*options, "-e", ".[dev]")) == 0:
        return code
    print("\nNot everything can be installed here. Now what is needed, then the rest one by one.")
    needed, optional, tools = wanted(_ROOT)
    if code := _pip("-q", *options, *needed):
        return code
    failed = [each for each in (*optional, *tools) if _pip("-q", *options, each)]
    if code := _pip("-q", "--no-deps", "-e", "."):
        return code
    print("\n".join(["", *left_out(failed)]))
    return 0


def wanted(root: Path) -> tuple[list[str], list[str], list[str]]:
    """Return what pyproject.toml asks for: what is needed, what is optional, developers' tools."""
    text = (root / "pyproject.toml").read_text(encoding="utf-8")
    project = tomllib.loads(text)["project"]
    extras = project["optional-dependencies"]
    own = _name(project["name"])
    course = [*project["dependencies"], *extras["lab"], *extras["runtimes"]]
    optional = [each for each in course if _is_optional(each)]
    needed = [each for each in course if each not in optional]
    return needed, optional, [each for each in extras["dev"] if _name(each) != own]


def left_out(failed: list[str]) -> list[str]:
    """Return one line for each package that could not be installed, with what it costs."""
    return [
        f"Not installed, no release for this machine works: {name}. "
        f"Without it: {OPTIONAL.get(name, '`make test` and `make tidy` may fail')}."
        for name in map(_name, failed)
    ]


def _is_optional(requirement: str) -> bool:
    return _name(requirement) in OPTIONAL and _name(requirement) not in _NOT_OPTIONAL


def _name(requirement: str) -> str:
    return re.split(r"[^\w.-]", requirement, maxsplit=1)[0]


def _pip(*arguments: str) -> int:
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    return subprocess.run([*pip, *arguments], cwd=_ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
