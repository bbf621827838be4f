"""What a model is given as inputs and outputs: symbolic data, one value or a list."""

from __future__ import annotations

from typing import Any

from hpml.symbolic.errors import ArgumentError

from .handles import SymbolicData
from .misuse import check_settings


def as_handles(what: str, given: Any) -> list[SymbolicData]:
    """Return the symbolic data that was given as ``what``, at least one."""
    handles = [given] if isinstance(given, SymbolicData) else _listed(what, given)
    if not handles:
        raise ArgumentError(f"{what} expected at least one symbolic value, received none")
    for handle in handles:
        if not isinstance(handle, SymbolicData):
            raise ArgumentError(
                f"{what} expected symbolic data, as returned by Input and by layers called on it, "
                f"received {type(handle).__name__}"
            )
    return handles


def _listed(what: str, given: Any) -> list[Any]:
    check_settings(given)
    if not isinstance(given, (list, tuple)):
        raise ArgumentError(
            f"{what} expected symbolic data, or a list or tuple of it, received "
            f"{type(given).__name__}"
            + (f": give list({what}.values())" if isinstance(given, dict) else "")
        )
    return list(given)
