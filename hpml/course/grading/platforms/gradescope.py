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
# Runs once, when the image is built. What fails here, the instructor sees in the build's output.
set -e
root=${{AUTOGRADER_ROOT:-/autograder}}
environment=${{AUTOGRADER_ENVIRONMENT:-/opt/hpml}}
install() {{ apt-get install -qy --no-install-recommends "$@"; }}
test='import ensurepip, sys; sys.exit(sys.version_info < ({oldest}))'
supported() {{ "$1" -c "$test" 2>/dev/null; }}
apt-get update -q
install bubblewrap util-linux python3 python3-venv
python=
for each in python3 {names}; do
    # The image's own Python may be too old: Ubuntu 22.04 has 3.10, and packages of 3.11.
    [ "$each" = python3 ] || supported "$each" || install "$each" "$each-venv" || continue
    if supported "$each"; then python=$each; break; fi
done
if [ -z "$python" ]; then
    echo "The autograder needs Python {shown} or newer; this image has $(python3 --version 2>&1)" \\
        "and no package of a newer one. Choose a newer base image, and build again." >&2
    exit 1
fi
"$python" -m venv "$environment"
"$environment/bin/pip" install -q {packages}
PYTHONPATH="$root/source" "$environment/bin/python" -P -m hpml grade --help >/dev/null
chmod 700 "$root/source"
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

_MINORS = (13, 12, 11, 14)
"""Versions of Python that an image may have as packages, the best known ones first."""
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
    setup = SETUP.format(
        packages=" ".join(sorted(needed | _GRADER)),
        names=" ".join(f"python3.{minor}" for minor in _MINORS),
        oldest=f"3, {min(_MINORS)}",
        shown=f"3.{min(_MINORS)}",
    )
    package = Path(hpml.__file__).resolve().parent
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in (("setup.sh", setup), ("run_autograder", RUN.format(lab=number))):
            entry = zipfile.ZipInfo(name)
            entry.external_attr = 0o755 << 16
            archive.writestr(entry, text)
        for file in sorted(package.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                archive.write(file, Path("hpml") / file.relative_to(package))
        course = course_folder()
        # Without the published results a folder is not taken for the course.
        for file in sorted([*course.glob("notebooks/*.ipynb"), *course.glob("data/*")]):
            if file.is_file():
                archive.write(file, os.fspath(file.relative_to(course)))
