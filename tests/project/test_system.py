"""What Windows or macOS lacks is named in base/system.py, and in what runs beside a submission."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HPML = Path(__file__).resolve().parents[2] / "hpml"
# Modules and attributes that Windows or macOS lacks.
MODULES = {"fcntl", "msvcrt", "pwd", "grp", "resource", "termios", "winreg"}
ATTRIBUTES = {
    *("fork", "killpg", "setsid", "sched_getaffinity", "sysconf", "nice", "setpgid"),
    *("SIGKILL", "SIGSTOP", "SIGCONT", "SIGALRM", "SIGHUP", "setitimer"),
}
# Each file, and what it names: the registry and the load are part of the record of a machine.
ALLOWED = {
    "base/system.py": MODULES | ATTRIBUTES,
    "base/environment.py": {"winreg"},
    "course/sandbox/deadline.py": {"SIGALRM", "setitimer"},
    "course/sandbox/serve.py": {"fcntl", "resource"},
}


def named(source: str) -> set[str]:
    """Return the modules and attributes of a source text that not every system has."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names} & MODULES
        elif isinstance(node, ast.ImportFrom):
            found |= {node.module} & MODULES
            found |= {alias.name for alias in node.names} & ATTRIBUTES
        elif isinstance(node, ast.Attribute):
            found |= {node.attr} & ATTRIBUTES
            if node.attr == "replace" and ast.unparse(node.value) == "os":
                found.add("os.replace")  # fails on Windows while a file is in use
    return found


def test_what_not_every_system_has_is_named_in_one_module() -> None:
    files = [path for path in HPML.rglob("*.py") if "wrong_answers" not in path.parts]
    assert len(files) > 100
    found = {
        path.relative_to(HPML).as_posix(): named(path.read_text(encoding="utf-8")) for path in files
    }
    allowed = {**ALLOWED, "base/system.py": ALLOWED["base/system.py"] | {"os.replace"}}
    over = {name: names - allowed.get(name, set()) for name, names in found.items()}
    assert {name: names for name, names in over.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import fcntl", {"fcntl"}),
        ("def f():\n    from os import fork", {"fork"}),
        ("signal.SIGKILL", {"SIGKILL"}),
        ("os.replace(a, b)", {"os.replace"}),
        ("text.replace('a', 'b')", set()),
    ],
)
def test_each_way_to_name_it_is_seen(source: str, names: set[str]) -> None:
    assert named(source) == names
