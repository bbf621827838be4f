"""How to add a package here, in a clone, beside a wheel or on a hosted notebook."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from hpml.base.environment import installed_version
from hpml.course.files import CourseFileError, course_folder

OLDEST = {
    "netron": "9",
    "onnx": "1.22",
    "onnxruntime": "1.26",
    "onnxscript": "0.7",
    "torchao": "0.18",
}
"""The oldest release of each optional runtime that the labs work with, as pyproject.toml has it."""

# How a host is recognised: a variable that it sets, or a package of its own.
_HOSTS = {
    "Google Colab": ("COLAB_RELEASE_TAG", "google-colab"),
    "Kaggle": ("KAGGLE_KERNEL_RUN_TYPE", ""),
}
_PINS = "constraints.txt"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


@dataclass(frozen=True)
class Host:
    """A hosted notebook, and the packages for which its own package requires exact versions."""

    name: str
    fixed: tuple[str, ...]


def host() -> Host | None:
    """Return the hosted notebook in which this process runs, or None on any other machine.

    A host is recognised by the variable that it sets in each notebook, or by its own package.
    """
    for name, (variable, package) in _HOSTS.items():
        required = _requirements(package) if package else None
        if variable in os.environ or required is not None:
            found = (_NAME.match(each) for each in required or () if "==" in each)
            return Host(name, tuple(sorted(match[0] for match in found if match)))
    return None


def install_command(*packages: str) -> str:
    """Return the command that adds packages and leaves all others as they are.

    In a clone it takes the versions that the course is tested with. Without one, the versions of
    what is installed constrain pip: it would otherwise replace NumPy or protobuf on a hosted
    notebook, which other packages there do not survive. There the command is for a cell.

    Args:
        packages: names as pip knows them, with a range such as ``torchao>=0.18`` if it matters.
    """
    names = " ".join(f'"{each}"' if set("<>=~") & set(each) else each for each in packages)
    if _pins() is not None:
        return f"pip install -c {_PINS} {names}"
    start = "!" if host() else ""
    # An older release of a named package must not constrain itself.
    if any(_requirements(_name(each)) is not None for each in packages):
        return f"{start}pip install --no-deps {names}"
    kept = "hpml_kept.txt"
    return f"{start}pip list --format=freeze > {kept} && pip install -c {kept} {names}"


def too_old(package: str) -> str:
    """Return why an installed optional package is too old and what to do, or an empty text.

    >>> too_old("json")
    ''
    """
    version, oldest = installed_version(package), OLDEST.get(package)
    if version is None or oldest is None or _release(version) >= _release(oldest):
        return ""
    command = install_command(f"{package}>={oldest}")
    return f"{version} is older than {oldest}: `{command}`, then restart the kernel"


def _release(version: str) -> tuple[int, ...]:
    return tuple(int(each) for each in re.findall(r"\d+", version)[:2])


def _pins() -> Path | None:
    try:
        path = course_folder() / _PINS
    except CourseFileError:
        return None
    return path if path.is_file() else None


def _name(requirement: str) -> str:
    match = _NAME.match(requirement)
    return match[0] if match else requirement


def _requirements(package: str) -> list[str] | None:
    """Return what an installed package requires, or None if it is not installed."""
    try:
        return metadata.requires(package) or []
    except metadata.PackageNotFoundError:
        return None
