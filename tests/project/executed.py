"""Compare executed copies of the labs cell by cell, as several Pythons made them.

A number that one version counts and another finds to be zero is a mistake that fails no test. So:

    HPML_QUICK=1 .venv-3.13/bin/python -m hpml run 06 --out executed/3.13     # and so on
    python -m tests.project.executed executed/3.11 executed/3.13

prints each cell that warned or failed, each whose numbers are zero, infinite or no number in some
of the copies only, and each whose words differ.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

_NUMBER = re.compile(r"(?<![\w.])[-−]?(?:\d[\d,]*\.?\d*(?:e[-+]?\d+)?|nan|inf)(?![\w])")
_UNIT = re.compile(r"# ?(?:[nµm]?s|ms|[KMG]i?B|bytes)\b")
_TEXT = ("text/markdown", "text/plain")


def texts(notebook: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return of each cell what it printed and showed, and what it warned of or failed with."""
    found = []
    for cell in notebook["cells"]:
        shown, wrong = [], []
        for output in cell.get("outputs", ()):
            if output["output_type"] == "error":
                wrong.append(f"{output['ename']}: {output['evalue']}")
            elif output["output_type"] == "stream":
                (wrong if output["name"] == "stderr" else shown).append("".join(output["text"]))
            else:
                data = output["data"]
                kind = next((kind for kind in _TEXT if kind in data), None)
                shown.append("".join(data[kind]) if kind else "")
        found.append(("\n".join(shown), "\n".join(wrong)))
    return found


def odd_numbers(text: str) -> list[bool]:
    """Return of each number in a text whether it is zero, infinite or none at all.

    >>> odd_numbers("0.0 calls, 12 of 1,000, nan")
    [True, False, False, True]
    """
    return [_is_odd(number) for number in _NUMBER.findall(text)]


def _is_odd(number: str) -> bool:
    value = float(number.replace(",", "").replace("−", "-"))
    return value == 0 or value != value or value in (float("inf"), float("-inf"))


def differences(copies: Mapping[str, Mapping[str, Any]]) -> Iterator[str]:
    """Yield a paragraph for each cell of executed copies of one lab that needs a look.

    Args:
        copies: the notebooks, by the name of the version that made each.
    """
    for index, cells in enumerate(zip(*map(texts, copies.values()), strict=True)):
        by_name = dict(zip(copies, cells, strict=True))
        for name, (_, wrong) in by_name.items():
            if wrong:
                yield f"cell {index}, {name} warns or fails:\n{wrong.strip()[-600:]}"
        shown = {name: text for name, (text, _) in by_name.items()}
        skeletons = {name: _UNIT.sub("#", _NUMBER.sub("#", text)) for name, text in shown.items()}
        first = next(iter(shown))
        for name in shown:
            if skeletons[name].split() != skeletons[first].split():
                lines = [shown[each].splitlines() for each in (first, name)]
                compared = difflib.unified_diff(*lines, first, name, n=0, lineterm="")
                yield f"cell {index}, other words:\n" + "\n".join(list(compared)[:24])
            elif odd_numbers(shown[name]) != odd_numbers(shown[first]):
                both = "\n".join(f"--- {each}\n{shown[each]}" for each in (first, name))
                yield f"cell {index}, zero in one of them:\n{both[:1500]}"


def main(folders: list[str]) -> int:
    """Print what differs between folders of executed copies; return whether anything was read."""
    names = sorted(set.union(*({p.name for p in Path(f).glob("*.ipynb")} for f in folders)))
    for name in names:
        paths = {folder: Path(folder) / name for folder in folders}
        for folder, path in paths.items():
            if not path.is_file():
                print(f"== {name}: {folder} has none")
        there = {f: json.loads(p.read_text("utf-8")) for f, p in paths.items() if p.is_file()}
        print(f"== {name}: {', '.join(there)}")
        for paragraph in differences(there):
            print(f"\n{paragraph}")
    return 0 if names else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
