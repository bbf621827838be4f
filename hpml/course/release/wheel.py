"""Build the wheel of the course from the files of the students' copy."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from hpml.course.release.folder import ReleaseError


def build_wheel(files: Mapping[str, bytes]) -> tuple[str, bytes]:
    """Return the name and the content of the wheel of these files; it needs no network."""
    if importlib.util.find_spec("hatchling") is None:
        raise ReleaseError(
            object="hatchling",
            expected="an installed package, which builds the wheel for the students",
            received="none",
            remedy=f"Run {sys.executable} -m pip install hatchling.",
        )
    with tempfile.TemporaryDirectory(prefix="hpml-wheel-") as work:
        source, built = Path(work, "source"), Path(work, "built")
        for name, content in files.items():
            path = source / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        command = [
            sys.executable,
            "-P",
            "-m",
            "hatchling",
            "build",
            "-t",
            "wheel",
            "-d",
            str(built),
        ]
        ran = subprocess.run(command, cwd=source, capture_output=True, text=True)
        if ran.returncode:
            raise ReleaseError(
                object="hatchling",
                expected="a wheel of the released files",
                received=ran.stderr.strip(),
                remedy="Correct what it names in pyproject.toml, then release again.",
            )
        (wheel,) = built.glob("*.whl")
        return wheel.name, wheel.read_bytes()
