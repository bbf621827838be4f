"""Which part of the package may import which: the layers of the house, read from the source.

A file imports only from its own room and from rooms of lower layers. Rooms of one layer do not
know each other. The source is parsed, not run, so that an import inside a function or under
``TYPE_CHECKING`` counts as well.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LAYERS = (
    ("base", "sandbox"),
    ("bytecode", "symbolic", "benchmark", "jit", "datasets"),
    ("models", "profiling", "training", "runtimes", "doctor"),
    ("suites",),
    ("course", "widgets", "server"),
    ("labs",),
    ("grading", "release"),
    ("cli",),
    ("__main__",),
)
_LEVEL = {room: level for level, rooms in enumerate(LAYERS) for room in rooms}


def violations(root: Path) -> list[str]:
    """Return one line for each import under ``root/hpml`` that goes up, sideways or nowhere."""
    found = []
    for path in sorted((root / "hpml").rglob("*.py")):
        parts = path.relative_to(root).with_suffix("").parts
        where = path.relative_to(root).as_posix()
        room = parts[1]
        if room == "__init__":
            room = "hpml"
        elif room not in _LEVEL:
            found.append(f"{where}: {room} stands in no layer; give it one in tests/project")
            continue
        package = parts[:-1]
        for line, target in _imports(ast.parse(path.read_text(encoding="utf-8")), package, root):
            if target not in (room, "hpml") and not _below(target, room):
                found.append(f"{where}:{line}: {room} imports {target}")
    return found


def _below(target: str, room: str) -> bool:
    # The package's own __init__ ("hpml") stands below everything: it may import no room at all.
    return target in _LEVEL and _LEVEL[target] < _LEVEL.get(room, -1)


def _imports(tree: ast.Module, package: tuple[str, ...], root: Path) -> Iterator[tuple[int, str]]:
    """Yield (line, room) for each import of hpml; the room is ``"hpml"`` for the package itself."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _room(node.lineno, alias.name.split("."))
        elif isinstance(node, ast.ImportFrom):
            base = list(package[: len(package) - node.level + 1]) if node.level else []
            module = base + (node.module.split(".") if node.module else [])
            if module == ["hpml"]:
                # `from hpml import symbolic` is a room, `from hpml import __version__` is not.
                for alias in node.names:
                    name = alias.name
                    is_room = name in _LEVEL or _exists(root / "hpml" / name)
                    yield node.lineno, name if is_room else "hpml"
            else:
                yield from _room(node.lineno, module)
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield from _room(node.lineno, first.value.split("."))


def _room(line: int, module: list[str]) -> Iterator[tuple[int, str]]:
    if module[0] == "hpml":
        yield line, module[1] if len(module) > 1 else "hpml"


def _called(node: ast.Call) -> str:
    function = node.func
    return getattr(function, "attr", "") or getattr(function, "id", "")


def _exists(path: Path) -> bool:
    return path.is_dir() or path.with_suffix(".py").is_file()
