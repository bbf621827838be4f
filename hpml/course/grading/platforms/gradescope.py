"""Write Gradescope's autograder: a zip with ``setup.sh``, ``run_autograder`` and the course.

Gradescope runs a container per submission, as root, and usually forbids namespaces in it. Then the
worker runs as another user, who can read neither the course nor the results.

Source: https://gradescope-autograders.readthedocs.io/en/latest/specs/
"""

from __future__ import annotations

import os
import zipfile
from pathlib import Path

import hpml
from hpml.course.files import course_folder
from hpml.course.grading import BadRequest
from hpml.course.grading.find import lab_number
from hpml.course.labs.catalogue import exercises

SETUP = """#!/usr/bin/env bash
# Runs once, when the image is built.
set -e
apt-get update -q
apt-get install -qy --no-install-recommends bubblewrap util-linux python3 python3-venv
python3 -m venv /opt/hpml
/opt/hpml/bin/pip install -q {packages}
chmod 700 /autograder/source
"""
RUN = """#!/usr/bin/env bash
# Runs for each submission.
root=${{AUTOGRADER_ROOT:-/autograder}}
python=${{AUTOGRADER_PYTHON:-/opt/hpml/bin/python}}
chmod 700 "$root/source" "$root/submission" "$root/results"
cd "$root/source"
export PYTHONPATH="$root/source"
for sandbox in bubblewrap user; do
    "$python" -P -B -m hpml grade "$root/submission" --lab {lab} --sandbox $sandbox \\
        --report "$root/results/results.json" && exit 0
done
echo '{{"score": 0, "output": "The grader could not run; please tell your instructor."}}' \\
    > "$root/results/results.json"
"""

_GRADER = {"ipython", "nbformat", "numpy", "psutil", "tqdm"}


def write_autograder(path: Path, lab: str | None) -> None:
    """Write the autograder of one lab as a zip."""
    if lab is None:
        raise BadRequest(
            object="--gradescope",
            expected="the number of one lab",
            received="none",
            remedy="Name it with --lab.",
        )
    number = lab_number(lab)
    needed = {name for each in exercises(number) for name in each.packages}
    setup = SETUP.format(packages=" ".join(sorted(needed | _GRADER)))
    package = Path(hpml.__file__).resolve().parent
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("setup.sh", setup), ("run_autograder", RUN.format(lab=number))):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, text)
        for file in sorted(package.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, Path("hpml") / file.relative_to(package))
        for file in sorted((course_folder() / "notebooks").glob("*.ipynb")):
            archive.write(file, os.fspath(Path("notebooks", file.name)))
