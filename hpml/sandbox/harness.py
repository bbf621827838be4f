"""A harness: what makes a call's arguments from a case's data, and what is observed of the call.

Most exercises take their arguments by name and look at the result; one that needs more has
functions of its own in its lab's ``harness.py``. The source of that file is sent to the sandbox, so
it may import the standard library and ``hpml.sandbox`` only.
"""

from __future__ import annotations

import copy
import inspect
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

ArgumentBuilder = Callable[[Any], dict[str, Any]]
Observer = Callable[[Any, Any], Any]


def by_name(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments by parameter name: a copy, which the submission may spoil."""
    return {name: _copied(value) for name, value in data.items()}


def the_result(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the result as it is."""
    return result


def harness_source(arguments: ArgumentBuilder, observe: Observer) -> dict[str, dict[str, str]]:
    """Return two functions of a harness as text that another process can load."""
    return {"arguments": function_source(arguments), "observe": function_source(observe)}


def function_source(function: Callable[..., Any]) -> dict[str, str]:
    """Return a function as the source of its file, none where the worker has it, and its name."""
    module, name = function.__module__, function.__name__
    source = "" if module == __name__ else inspect.getsource(sys.modules[module])
    return {"file": module, "source": source, "name": name}


def load_harness(sent: Mapping[str, Mapping[str, str]]) -> tuple[ArgumentBuilder, Observer]:
    """Return the two functions that `harness_source` made text of."""
    return load_function(sent["arguments"]), load_function(sent["observe"])


def load_function(sent: Mapping[str, str]) -> Callable[..., Any]:
    """Return the function that `function_source` made text of; its file is executed once."""
    if not sent["source"]:
        found = {"by_name": by_name, "the_result": the_result}.get(sent["name"])
    else:
        name = sent["file"].replace(".", "_")
        module = sys.modules.get(name)
        if module is None:
            module = sys.modules[name] = ModuleType(name)
            exec(compile(sent["source"], f"<{sent['file']}>", "exec"), module.__dict__)
        found = vars(module).get(sent["name"])
    if not callable(found):
        raise LookupError(f"The harness {sent['file']} has no function {sent['name']!r}.")
    return found


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
