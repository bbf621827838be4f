"""How a call is made from a case's data, and what is observed of it: functions found by name.

They run beside the submission and know no answer. Most exercises take their arguments by name and
look at the result; what needs more (operations that count their calls, source to be run) has a
module a lab here: ``"lab_06:counting"`` is the function ``counting`` of ``ways/lab_06.py``.
"""

from __future__ import annotations

import copy
import importlib
import re
from collections.abc import Callable, Mapping
from typing import Any

__all__ = ["by_name", "find", "the_result"]


def by_name(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by parameter name: a copy, which the submission may spoil.

    >>> by_name({"edges": {"a": ["b"]}})
    {'edges': {'a': ['b']}}
    """
    return {name: _copied(value) for name, value in data.items()}


def _copied(value: Any) -> Any:
    """Return a deep copy in which nothing is shared, as after a journey to another process."""
    kind = type(value)
    if kind in (str, int, float, bool, type(None)):
        return value
    if kind is dict:
        return {_copied(key): _copied(part) for key, part in value.items()}
    if kind in (list, tuple, set, frozenset):
        return kind(map(_copied, value))
    return copy.deepcopy(value)


def the_result(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the result as it is.

    >>> the_result(["a"], {})
    ['a']
    """
    return result


def find(name: str) -> Callable[..., Any]:
    """Return the function of this package that an exercise names.

    Args:
        name: ``"by_name"``, ``"the_result"``, or ``"lab_06:counting"`` for one of a lab's module.

    Raises:
        LookupError: if there is none of that name.

    >>> find("by_name") is by_name
    True
    """
    module, _, function = name.rpartition(":")
    if not module and name in ("by_name", "the_result"):
        return by_name if name == "by_name" else the_result
    if not re.fullmatch(r"lab_\d\d:[a-z]\w*", name):
        raise LookupError(
            f"There is no way called {name!r}; expected by_name, the_result or lab_NN:function."
        )
    try:
        home = importlib.import_module(f"{__name__}.{module}")
    except ModuleNotFoundError as error:
        if error.name != f"{__name__}.{module}":
            raise
        raise LookupError(f"There is no way called {name!r}: no file ways/{module}.py.") from None
    found = vars(home).get(function)
    if not callable(found):
        raise LookupError(f"There is no way called {name!r}: no function {function} in its file.")
    return found  # type: ignore[no-any-return]
