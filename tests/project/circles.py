"""Which files import each other in a circle, read from the source.

An import inside a function or under ``TYPE_CHECKING`` counts: whoever wants to read one of the
files has to read the others too.
"""

from __future__ import annotations

import ast
import graphlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def first_circle(root: Path) -> list[str]:
    """Return the modules of one circle among the files of ``root/hpml``; empty if there is none."""
    files = {_module(path.relative_to(root)): path for path in (root / "hpml").rglob("*.py")}
    graph = {name: set(_imported(name, path, files)) - {name} for name, path in files.items()}
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        circle: list[str] = error.args[1]
        return circle
    return []


def _module(path: Path) -> str:
    parts = path.with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _imported(name: str, path: Path, files: dict[str, Path]) -> Iterator[str]:
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (_file(alias.name, files) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield from (_file(f"{module}.{alias.name}", files) for alias in node.names)


def _file(name: str, files: dict[str, Path]) -> str:
    """Return the module of hpml that an import names, ``""`` for another's."""
    while name and name not in files:
        name = name.rpartition(".")[0]
    return name
