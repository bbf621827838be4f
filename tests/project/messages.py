"""Every text that the library can show, in one page, to be read and edited in one sitting.

``python -m tests.project.messages [hpml/course/grading ...]`` prints them by file and
line: the strings with a space in them that are no docstring. Values that are filled in are shown
as ``{}``.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """Return the line and the text of each message of a file.

    >>> [text for _, text in messages(ROOT / "hpml" / "base" / "__init__.py")]
    []
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    within = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    alone = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else "{}" for part in node.values)
            text = "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in within else node.value
        if " " in text.strip() and id(node) not in alone:
            yield node.lineno, " ".join(text.split())


def main(arguments: list[str]) -> int:
    """Print the messages of the files and folders that are named, or of the whole library."""
    for place in arguments or ["hpml"]:
        for path in sorted((ROOT / place).rglob("*.py")) or [ROOT / place]:
            if found := sorted(messages(path)):
                print(f"\n{path.relative_to(ROOT)}")
                print("\n".join(f"{line:5} {text}" for line, text in found))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
