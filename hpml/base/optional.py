"""Import optional packages: whatever fails in one is a reason, not an error.

A package may be missing, lack a shared library, or not fit the versions of others: torchao 0.18
raises an AttributeError on Apple silicon when it is imported.
"""

from __future__ import annotations

import importlib
import pkgutil
from importlib import metadata
from types import ModuleType
from typing import Any

from hpml.base.errors import HpmlError, describe

NOT_INSTALLED = "it is not installed"


_FAILED: dict[str, str] = {}
"""Reasons by module. A second import may meet what the first left behind, and fail otherwise."""


def import_optional(name: str) -> ModuleType | str:
    """Return a module, or why it is not available here.

    The reason completes a sentence that begins with the package and "is not available here,
    because". A package that raised an error is not imported again in this process.

    Args:
        name: the module, with dots for a part of a package.

    >>> import_optional("json").__name__
    'json'
    >>> import_optional("no_such_package")
    'it is not installed'
    """
    if name in _FAILED:
        return _FAILED[name]
    package = name.partition(".")[0]
    try:
        importlib.import_module(package)  # otherwise Python names the part that is missing
        return importlib.import_module(name)
    except ModuleNotFoundError as error:  # what is missing may be installed later
        return NOT_INSTALLED if error.name == package else _reason(name, error)
    except Exception as error:  # noqa: BLE001 - an import may raise anything
        _FAILED[name] = _reason(name, error)
        return _FAILED[name]


def why_unavailable(*names: str) -> str:
    """Return why the first of these modules that fails is not available, or an empty text.

    >>> why_unavailable("json", "no_such_package")
    'no_such_package is not available here, because it is not installed'
    """
    for name in names:
        found = import_optional(name)
        if isinstance(found, str):
            return f"{name.partition('.')[0]} is not available here, because {found}"
    return ""


def look_up(place: str, feature: str, error: type[HpmlError]) -> Any:
    """Return an object of another package by its full name, which any release may rename.

    Args:
        place: the name, such as ``"torch._dynamo.explain"``.
        feature: what needs it, which the error names.
        error: raised where the installed release has no such name.

    >>> look_up("math.pi", "the circle", HpmlError)
    3.141592653589793
    """
    try:
        return pkgutil.resolve_name(place)
    except (ImportError, AttributeError) as reason:
        package = place.partition(".")[0]
        raise error(
            object=feature,
            expected=f"a {package} that has {place}",
            received=f"{package} {metadata.version(package)}",
            remedy="Install a version that hpml was tested with (constraints.txt).",
        ) from reason


def _reason(name: str, error: Exception) -> str:
    lines = str(error).strip().splitlines() or [""]
    return f"importing {name} raises {type(error).__name__}: {describe(lines[0], 100)}"
