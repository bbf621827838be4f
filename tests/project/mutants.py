"""Break the code in small ways, one after another, and list the faults that no test notices.

``python -m tests.project.mutants hpml/benchmark/agreement.py`` does so in a copy of the repository,
with cosmic-ray (``pip install cosmic-ray``), and runs the tests of the same path for each fault.
That takes a few seconds a fault: start with a file, not with a package. It is no part of any tier.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_CONFIG = """[cosmic-ray]
module-path = "{code}"
timeout = {seconds}
excluded-modules = ["hpml/course/labs/*/wrong_answers/*"]
test-command = "{python} -m pytest -q -x -p no:cacheprovider -m 'not thorough' {tests}"

[cosmic-ray.distributor]
name = "local"
"""


def tests_of(code: str) -> str:
    """Return the tests that mirror a file or a package, or the nearest ones above it.

    >>> tests_of("hpml/benchmark"), tests_of("hpml/benchmark/agreement.py")
    ('tests/benchmark', 'tests/benchmark')
    >>> tests_of("hpml/course/grading/speed.py")
    'tests/course/grading'
    """
    place = Path("tests", *Path(code).parts[1:])
    while not (ROOT / place).is_dir():
        place = place.parent
    return place.as_posix()


def main(arguments: Sequence[str] | None = None) -> int:
    """Run cosmic-ray in a copy of the repository and print the survivors."""
    parser = argparse.ArgumentParser(prog="make mutants", description=__doc__.partition("\n")[0])
    parser.add_argument("code", help="a file or a package, such as hpml/benchmark/agreement.py")
    parser.add_argument("--tests", help="the tests to run (default: those that mirror it)")
    parser.add_argument(
        "--seconds", type=float, default=300.0, help="limit for the tests of a fault"
    )
    options = parser.parse_args(arguments)
    if shutil.which("cosmic-ray") is None:
        parser.error("cosmic-ray is missing: pip install cosmic-ray")
    if not (ROOT / options.code).exists():
        parser.error(f"{options.code}: expected a file or folder of the repository")
    tests = options.tests or tests_of(options.code)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy")
        left_out = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache")
        shutil.copytree(ROOT, copy, ignore=left_out)
        settings = {"code": options.code, "seconds": options.seconds, "tests": tests}
        (copy / "settings.toml").write_text(_CONFIG.format(python=sys.executable, **settings))

        def ray(*words: str) -> str:
            ran = subprocess.run(words, cwd=copy, check=True, stdout=subprocess.PIPE, text=True)
            return ran.stdout

        ray("cosmic-ray", "init", "settings.toml", "faults.sqlite")
        # Without a fault the tests pass, or each fault would seem to be noticed.
        ray("cosmic-ray", "baseline", "settings.toml")
        ray("cosmic-ray", "exec", "settings.toml", "faults.sqlite")
        print(ray("cr-report", "faults.sqlite", "--surviving-only", "--show-diff"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
