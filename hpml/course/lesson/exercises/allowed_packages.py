"""The installed packages that a graded function may import, and their files."""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib.metadata
import importlib.util
import re
import sys
from pathlib import Path

from hpml.course.sandbox.notebook import Program

_OPTIONAL = ("scipy",)  # Numba uses it for linear algebra if it is installed


@functools.cache
def files_of(packages: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the folders and files of packages and of their dependencies."""
    found: dict[Path, None] = {}
    waiting, seen = list(packages), set[str]()
    while waiting:
        name = waiting.pop()
        try:
            package = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        if name in seen:
            continue
        seen.add(name)
        tops = {file.parts[0] for file in package.files or () if file.parts[0] != ".."}
        places = (Path(str(package.locate_file(top))).resolve() for top in sorted(tops))
        found |= dict.fromkeys(place for place in places if place.exists())
        needs = (need for need in package.requires or () if "extra ==" not in need)
        # Only the name, as versions contain letters too: `llvmlite<0.50,>=0.49.0dev0`.
        waiting += [match[0] for need in needs if (match := re.match(r"[\w.-]+", need))]
    return tuple(found)


def missing(packages: tuple[str, ...]) -> list[str]:
    """Return the packages that are not installed."""
    return [name for name in packages if name not in _OPTIONAL and not files_of((name,))]


def not_there(program: Program, packages: tuple[str, ...]) -> tuple[str, ...]:
    """Return the imported modules that are installed but not available during grading."""
    known = {path.name.partition(".")[0] for path in files_of(packages)}
    found = _foreign(program).items()
    return tuple(name for name, own in found if not own and name not in known)


def own_files(program: Program) -> list[str]:
    """Return the imported modules that are the student's own files, and no cell writes."""
    found = _foreign(program).items()
    return [name for name, own in found if own and not program.writes(name)]


def _foreign(program: Program) -> dict[str, bool]:
    """Return the imported modules outside the standard library, True for the student's files."""
    names: dict[str, None] = {}
    for statement in program.statements:
        for node in ast.walk(statement.node):
            if isinstance(node, ast.Import):
                names |= dict.fromkeys(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
                names[node.module.partition(".")[0]] = None
    found: dict[str, bool] = {}
    for name in names:
        if name in sys.stdlib_module_names or name == "__main__":
            continue
        with contextlib.suppress(ImportError, ValueError):
            # Not sys.modules: an import inside a function may not have run yet.
            spec = importlib.util.find_spec(name)
            if spec is not None and spec.origin is not None:
                installed = {"site-packages", "dist-packages"} & set(Path(spec.origin).parts)
                found[name] = not installed and name != "hpml"
    return found
