"""Which files of the package import which, read from the source: the layers, and circles.

A file imports only from its own package and from packages of lower layers. All packages of the
course are above all packages of the library, so no file of the library imports from the course.
The source is parsed, not run, so that an import inside a function or under ``TYPE_CHECKING``
counts as well.
"""

from __future__ import annotations

import ast
import graphlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LIBRARY = (
    ("base",),
    ("bytecode", "symbolic", "benchmark", "jit"),
    ("profiling", "widgets"),
)
COURSE = (
    ("files", "this_run", "arguments"),
    ("sandbox", "datasets", "packages", "conditions"),
    ("models", "training", "runtimes", "doctor"),
    ("suites",),
    ("lesson", "server", "install", "accelerator_check"),
    ("labs",),
    ("grading", "release"),
    ("observed",),
)
LEVEL = {
    name: level
    for level, names in enumerate(
        (
            *LIBRARY,
            *(tuple(f"course.{name}" for name in names) for names in COURSE),
            ("course",),  # what every notebook imports
            ("cli",),
            ("__main__",),
        )
    )
    for name in names
}


def violations(root: Path) -> list[str]:
    """Return one line for each import under ``root/hpml`` that goes up or sideways."""
    files = _files(root)
    found = []
    for module, path in files.items():
        where = path.relative_to(root).as_posix()
        package = _package(module)
        if package not in LEVEL and package != "hpml":
            found.append(f"{where}: {package} is in no layer; give it one in tests/project")
            continue
        for line, name in _imports(module, path):
            target = _package(_longest(name, files))
            # The package's own __init__ ("hpml") is below everything: it may import nothing.
            allowed = LEVEL.get(target, len(LEVEL)) < LEVEL.get(package, -1)
            if target not in ("", package, "hpml") and not allowed:
                found.append(f"{where}:{line}: {package} imports {target}")
    return found


def first_circle(root: Path) -> list[str]:
    """Return the modules of one circle among the files of ``root/hpml``; empty if there is none."""
    files = _files(root)
    graph = {
        module: {_longest(name, files) for _, name in _imports(module, path)} - {module}
        for module, path in files.items()
    }
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def _files(root: Path) -> dict[str, Path]:
    """Return the files of ``root/hpml`` by the names of their modules."""
    paths = sorted((root / "hpml").rglob("*.py"))
    names = (".".join(path.relative_to(root).with_suffix("").parts) for path in paths)
    return {name.removesuffix(".__init__"): path for name, path in zip(names, paths, strict=True)}


def _package(module: str) -> str:
    """Return the package of a module: ``base``, or ``course.labs`` in the second half."""
    _, *parts = module.split(".")
    return ".".join(parts[: 2 if parts[:1] == ["course"] else 1]) or module


def _longest(name: str, files: dict[str, Path]) -> str:
    """Return the module of hpml that an imported name is or is in; ``""`` for another's."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name


def _imports(module: str, path: Path) -> Iterator[tuple[int, str]]:
    """Yield the line and the full name of everything that a file imports."""
    package = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            start = ".".join([*above, *([node.module] if node.module else [])])
            yield from ((node.lineno, f"{start}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and node.args:
            function, first = node.func, node.args[0]
            name = getattr(function, "attr", "") or getattr(function, "id", "")
            if name in ("import_module", "__import__") and isinstance(first, ast.Constant):
                yield node.lineno, str(first.value)
