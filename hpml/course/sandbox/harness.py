"""A harness builds the arguments of a call from a case's data and observes the call.

Most exercises pass the data by name and look at the result. Others have functions in their lab's
``harness.py``, whose source is sent to the sandbox. So it may import only the standard library,
``hpml.course.sandbox``, and functions of the library's modules that import the standard library
only: the sources of these modules are sent too.
"""

from __future__ import annotations

import importlib
import inspect
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeVar

from hpml.course.sandbox.plain import as_plain

ArgumentBuilder = Callable[[Any], dict[str, Any]]
Observer = Callable[[Any, Any], Any]
Caller = Callable[[Callable[..., Any], dict[str, Any]], Any]
SomeObserver = TypeVar("SomeObserver", bound=Observer)


def by_name(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the arguments by parameter name, which the submission may modify."""
    return {name: as_plain(value) for name, value in data.items()}


def the_result(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the result unchanged."""
    return result


def called_through(caller: Caller) -> Callable[[SomeObserver], SomeObserver]:
    """Mark an observer whose exercise is called by `caller(function, arguments)`.

    An observer sees the result only after the call; `caller` can watch the call itself.
    """

    def mark(observe: SomeObserver) -> SomeObserver:
        # On the function, not in a table of this module, which a submission could find and empty.
        observe.called_through = caller  # type: ignore[attr-defined]
        return observe

    return mark


def caller_of(observe: Observer) -> Caller | None:
    """Return what calls the exercise of an observer, or None if it is called plainly."""
    return getattr(observe, "called_through", None)


def harness_source(arguments: ArgumentBuilder, observe: Observer) -> dict[str, dict[str, Any]]:
    """Return the two functions of a harness as text for another process."""
    return {"arguments": function_source(arguments), "observe": function_source(observe)}


def function_source(function: Callable[..., Any]) -> dict[str, Any]:
    """Return a function's file, source and name, and the sources of the modules that it needs.

    The source is empty if the worker has the file.
    """
    module, name = function.__module__, function.__name__
    if module == __name__:
        return {"file": module, "source": "", "name": name, "needs": {}}
    needs = _library(module)
    return {"file": module, "source": _source(module), "name": name, "needs": needs}


def _library(module: str) -> dict[str, str]:
    """Return the sources of the library's modules from which a harness imports."""
    homes = {str(getattr(value, "__module__", "")) for value in vars(sys.modules[module]).values()}
    found = [each for each in homes if each.startswith("hpml.")]
    return {each: _source(each) for each in found if not each.startswith("hpml.course.")}


def _source(module: str) -> str:
    return inspect.getsource(sys.modules[module])


def load_harness(sent: Mapping[str, Mapping[str, Any]]) -> tuple[ArgumentBuilder, Observer]:
    """Load the two functions of `harness_source`."""
    return load_function(sent["arguments"]), load_function(sent["observe"])


def load_function(sent: Mapping[str, Any]) -> Callable[..., Any]:
    """Load the function of `function_source`; its file is executed once."""
    if not sent["source"]:
        found = {"by_name": by_name, "the_result": the_result}.get(sent["name"])
    else:
        name = sent["file"].replace(".", "_")
        module = sys.modules.get(name)
        if module is None:
            for needed, source in sent["needs"].items():
                _provide(needed, source)
            module = sys.modules[name] = ModuleType(name)
            exec(compile(sent["source"], f"<{sent['file']}>", "exec"), module.__dict__)
        found = vars(module).get(sent["name"])
    if not callable(found):
        raise LookupError(f"The harness {sent['file']} has no function {sent['name']!r}.")
    return found


def _provide(name: str, source: str) -> None:
    """Make a module of the library importable where the library is not installed."""
    try:
        importlib.import_module(name)
    except ImportError:
        package, _, _ = name.rpartition(".")
        sys.modules.setdefault(package, ModuleType(package))
        module = sys.modules[name] = ModuleType(name)
        module.__file__ = f"<{name}>"  # as its code objects have it
        exec(compile(source, module.__file__, "exec"), module.__dict__)
