"""Execute every notebook alone, in an empty folder, with what this interpreter has installed.

    python tests/project/lone_notebooks.py [NUMBER ...]

Needs nothing of the clone but the notebooks; prints a line a notebook and returns 1 if one fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"


def run_alone(notebook: Path) -> str:
    """Execute a copy of a notebook in an empty folder; return what went wrong, or ``""``."""
    environment = {**os.environ, "HPML_QUICK": "1"}
    for name in ("HPML_HOME", "HPML_RESULTS", "PYTHONPATH"):
        environment.pop(name, None)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copy(notebook, folder)
        command = [sys.executable, "-m", "jupyter", "execute", "--inplace", notebook.name]
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
    return done.stderr if done.returncode else ""


def main(numbers: list[str]) -> int:
    """Execute the notebooks whose numbers are given, or all; return the exit code."""
    failed = False
    for notebook in sorted(NOTEBOOKS.glob("*.ipynb")):
        if numbers and notebook.stem[:2] not in numbers:
            continue
        begun = time.perf_counter()
        wrong = run_alone(notebook)
        print(f"{notebook.stem}: {'failed' if wrong else 'passed'}, "
              f"{time.perf_counter() - begun:.0f} s", flush=True)  # fmt: skip
        if wrong:
            print(wrong[-2000:], flush=True)
        failed = failed or bool(wrong)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
