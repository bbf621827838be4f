"""What a function of the user uses beside its arguments, as it was when the function was recorded.

Python looks up the variables of an enclosing function and global variables when a function runs.
A graph that only kept the function would compute with later values of them, and would not contain
the layers and parameters among them. So `capture` walks once, at the call, over

- variables of enclosing functions, defaults, and the global variables that a function names;
- functions that it names, if they are the user's own;
- ``functools.partial`` objects, bound methods and callable objects with their attributes;
- lists, tuples, dictionaries and sets.

Numbers, strings, arrays and containers are kept. Modules, parameters and tensors become part of the
model and stay live. Symbolic data is refused by name.

Not walked, so that later changes of them count, and layers in them are not part of the model:
attributes of classes and of imported modules (``settings.k``), the global variables of a function
that assigns one, generators, objects with ``__slots__`` or with a base class of another library,
and what a function finds by another way than by name, such as ``getattr`` or ``globals()``. A list,
dictionary or set that is empty is not copied, because the function may be made to fill it; any
other container or object of the user that the function changes is the model's own.
"""

from __future__ import annotations

import copy
import dis
import functools
import importlib
import itertools
import pickle
import re
import sys
import sysconfig
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import CellType, CodeType, FrameType, FunctionType, MethodType, SimpleNamespace
from typing import Any

import torch
from torch import nn

from hpml.symbolic.errors import ArgumentError

from .interception import Handle

_LIBRARIES = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
_OWN = ("hpml.", "torch.")
_PLAIN = (int, float, complex, str, bytes, type(None))


@dataclass
class Slot:
    """A module, parameter or tensor that the model owns; `name` is its attribute in the layer."""

    name: str


@dataclass
class Kept:
    """A value that is used as it is."""

    value: Any


@dataclass
class Collection:
    """A list, tuple, dictionary or set, of which each run gets a part of the model's own copy."""

    kind: Callable[[Any], Any]  # makes it from a list
    keys: list[Any] | None
    parts: list[Any]


@dataclass
class Function:
    """A Python function with the values of the variables that it names, without its closure."""

    code: CodeType
    scope: dict[str, Any]
    module: str | None
    qualname: str
    name: str
    attributes: dict[str, Any]
    cells: list[Any] = field(default_factory=list)
    names: dict[str, Any] | None = None  # global variables; None: those of the original
    defaults: Any = None
    keyword_defaults: Any = None

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, which stores the code of a function by its name."""
        state = dict(self.__dict__)
        try:
            found = _found(self.module, self.qualname)
        except (ImportError, AttributeError):
            found = None
        if getattr(found, "__code__", None) is not self.code:
            raise pickle.PicklingError(
                f"a model with the function {self.qualname} cannot be pickled, because pickle "
                "stores functions by name: define it at the top level of a module"
            )
        del state["code"], state["scope"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        found = _found(self.module, self.qualname)
        self.code, self.scope = found.__code__, found.__globals__


def _found(module: str | None, qualname: str) -> Any:
    found: Any = importlib.import_module(module or "")
    for part in qualname.split("."):
        found = getattr(found, part)
    return found


@dataclass
class Partial:
    """A ``functools.partial``."""

    function: Any
    arguments: Any
    keywords: Any


@dataclass
class Method:
    """A bound method."""

    owner: Any
    function: Callable[..., Any]


@dataclass
class Instance:
    """An object of a class of the user."""

    kind: type
    attributes: dict[str, Any] = field(default_factory=dict)


class Captures:
    """The plan of a function, and the modules, parameters and tensors that it uses, by name.

    `outer` are modules that will contain the model, so that the model does not contain them.
    """

    def __init__(self, plan: Any, owned: dict[str, Any], outer: dict[str, Any]) -> None:
        self.plan, self.owned, self.outer = plan, owned, outer

    def __deepcopy__(self, memo: dict[int, Any]) -> Captures:
        return self  # nothing changes a plan


def capture(function: Any) -> Captures | None:
    """Return what a callable uses, or None if it uses nothing but its arguments and libraries.

    Raises:
        ArgumentError: it uses symbolic data.
    """
    if isinstance(function, (nn.Module, type)) or not _may_capture(function):
        return None
    walk = _Walk(function)
    plan = walk.plan(function, "")
    return Captures(plan, walk.owned, walk.outer) if walk.found else None


def rebuild(captures: Captures, owned: Callable[[str], Any]) -> Any:
    """Return the callable, with each module, parameter and tensor looked up by its name."""
    return _Rebuilding(owned).value(captures.plan)


def _may_capture(function: Any) -> bool:
    if isinstance(function, FunctionType):
        return function.__closure__ is not None or not _is_library(function)
    return isinstance(function, (functools.partial, MethodType)) or _is_instance_of_user(function)


def _is_library(function: FunctionType) -> bool:
    name = function.__globals__.get("__name__", "")
    return name.startswith(_OWN) or function.__code__.co_filename.startswith(_LIBRARIES)


def _is_instance_of_user(value: Any) -> bool:
    """Return whether a value can be copied by its attributes, and its class is the user's."""
    kind = type(value)
    module = sys.modules.get(kind.__module__)
    place = getattr(module, "__file__", None) or ""
    return (
        kind.__module__ != "builtins"
        and not kind.__module__.startswith(_OWN)
        and (not place.startswith(_LIBRARIES) or kind.__module__ == "types")
        and type(getattr(value, "__dict__", None)) is dict
        and (
            kind is SimpleNamespace or getattr(kind, "__new__") is object.__new__  # noqa: B009 - mypy compares signatures
        )
    )


class _Walk:
    """One walk; `found` says whether anything differs from the function itself."""

    def __init__(self, root: Any) -> None:
        self.root = root
        self.owned: dict[str, Any] = {}
        self.outer: dict[str, Any] = {}
        self.found = False
        self.plans: dict[int, Any] = {}
        self.used = _attribute_names(root)

    def plan(self, value: Any, name: str) -> Any:
        if id(value) in self.plans:
            return self.plans[id(value)]
        if isinstance(value, Handle):
            remedy = f"Add a parameter for it and pass it, add_to_graph(f, x, {name})."
            if name.startswith(("arguments[", "keywords[")):
                remedy = "Pass it there and not to functools.partial, add_to_graph(f, x, y)."
            raise ArgumentError(
                object=_shown(self.root),
                expected="symbolic data only among its arguments",
                received=f"it by the name {name!r}",
                remedy=remedy,
            )
        if isinstance(value, (nn.Module, torch.Tensor)):
            return self._owned(value, name)
        if isinstance(value, FunctionType):
            return self._function(value, name)
        if isinstance(value, functools.partial):
            parts = (value.func, name), (value.args, "arguments"), (value.keywords, "keywords")
            return Partial(*[self.plan(part, of) for part, of in parts])
        if isinstance(value, MethodType):
            if isinstance(value.__self__, type):
                return Kept(value)
            return Method(self.plan(value.__self__, name), value.__func__)
        if type(value) in (list, tuple, dict, set, frozenset) or (
            isinstance(value, tuple) and hasattr(value, "_make")
        ):
            return self._collection(value, name)
        if hasattr(value, "__array_interface__"):
            self.found = True
            return Kept(copy.deepcopy(value))
        if _is_instance_of_user(value):
            return self._instance(value, name)
        if isinstance(value, _PLAIN):
            self.found = True
        return Kept(value)

    def _owned(self, value: Any, name: str) -> Any:
        self.found = True
        base = re.sub(r"\W+", "_", name).strip("_")
        base = base if base.isidentifier() else f"captured_{base}".strip("_")
        free = itertools.chain([base], (f"{base}_{number}" for number in itertools.count(1)))
        taken = _TAKEN.union(self.owned, self.outer)
        found = next(n for n in free if n not in taken and not hasattr(nn.Module, n))
        will_contain_it = isinstance(value, nn.Module) and _is_under_construction(value)
        (self.outer if will_contain_it else self.owned)[found] = value
        self.plans[id(value)] = Slot(found)
        return self.plans[id(value)]

    def _function(self, function: FunctionType, name: str) -> Any:
        code, scope = function.__code__, function.__globals__
        attributes = {n: v for n, v in vars(function).items() if n != "__wrapped__"}
        place = function.__module__, function.__qualname__, function.__name__
        made = self.plans[id(function)] = Function(code, scope, *place, attributes)
        for variable, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            try:
                content = cell.cell_contents
            except ValueError:  # a variable without a value yet
                made.cells.append(None)
                continue
            if _is_library(function) and isinstance(content, (*_PLAIN, tuple)):
                made.cells.append(Kept(content))  # a library does not change it later
            else:
                made.cells.append(self.plan(content, variable))
        defaults = function.__defaults__, function.__kwdefaults__
        made.defaults, made.keyword_defaults = (
            Kept(value) if value is None or _is_library(function) else self.plan(value, name)
            for value in defaults
        )
        read, assigned = _global_names(code)
        if not _is_library(function) and not assigned:
            plans = {n: self.plan(scope[n], n) for n in read if n in scope}
            made.names = {n: p for n, p in plans.items() if not _is_of_library(p)}
        return made

    def _collection(self, value: Any, name: str) -> Any:
        if not value and not isinstance(value, (tuple, frozenset)):
            return Kept(value)  # the function may write to it
        self.found = self.found or bool(value)
        is_mapping = isinstance(value, dict)
        kind = getattr(type(value), "_make", type(value))
        made = Collection(kind, list(value) if is_mapping else None, [])
        self.plans[id(value)] = made
        items: Iterable[Any] = value.items() if is_mapping else enumerate(value)
        made.parts = [self.plan(part, f"{name}[{key!r}]") for key, part in items]
        return made

    def _instance(self, value: Any, name: str) -> Any:
        self.found = True
        made = self.plans[id(value)] = Instance(type(value))
        for attribute, part in vars(value).items():
            if isinstance(part, Handle) and attribute not in self.used:
                continue  # the model keeps no symbolic data alive
            made.attributes[attribute] = self.plan(part, f"{name}.{attribute}".strip("."))
        return made


_TAKEN = frozenset(
    ("function", "method", "name", "template", "inplace", "as_method", "captures", "training")
)
"""Attributes of a layer that represents a call."""


def _shown(function: Any) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return "a lambda" if name == "<lambda>" else str(name)


def _is_under_construction(module: nn.Module) -> bool:
    """Return whether the constructor of a module runs now."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_name == "__init__" and frame.f_locals.get("self") is module:
            return True
        frame = frame.f_back
    return False


@functools.lru_cache(maxsize=4096)
def _global_names(code: CodeType) -> tuple[tuple[str, ...], bool]:
    """Return the global variables that code reads, and whether it assigns any."""
    read: dict[str, None] = {}
    assigns = False
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            read[instruction.argval] = None
        assigns = assigns or instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL")
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            inner, inner_assigns = _global_names(constant)
            read |= dict.fromkeys(inner)
            assigns = assigns or inner_assigns
    return tuple(read), assigns


def _attribute_names(function: Any) -> set[str]:
    """Return the names of attributes in the code of a callable."""
    if isinstance(function, functools.partial):
        return _attribute_names(function.func)
    found = getattr(function, "__func__", function)
    if not isinstance(found, FunctionType):
        found = type(function).__call__ if callable(function) else None
    names: set[str] = set()
    waiting = [getattr(found, "__code__", None)]
    while waiting:
        code = waiting.pop()
        if isinstance(code, CodeType):
            names.update(code.co_names)
            waiting.extend(c for c in code.co_consts if isinstance(c, CodeType))
    return names


class _Globals(dict[str, Any]):
    """Kept global variables; what did not exist at the call is looked up in the module."""

    def __init__(self, scope: dict[str, Any]) -> None:
        super().__init__()
        self.scope = scope

    def __missing__(self, name: str) -> Any:
        return self.scope[name]


class _Rebuilding:
    """Makes each value of a plan once, also where values refer to each other in a circle."""

    def __init__(self, owned: Callable[[str], Any]) -> None:
        self.owned = owned
        self.made: dict[int, Any] = {}

    def value(self, plan: Any) -> Any:
        if isinstance(plan, Kept):
            return plan.value
        if isinstance(plan, Slot):
            return self.owned(plan.name)
        if id(plan) not in self.made:
            self.made[id(plan)] = getattr(self, f"_{type(plan).__name__.lower()}")(plan)
        return self.made[id(plan)]

    def _function(self, plan: Function) -> Any:
        scope = plan.scope
        if plan.names:
            scope = _Globals(plan.scope)
            for name in ("__name__", "__builtins__", *_global_names(plan.code)[0]):
                if name in plan.scope:
                    scope[name] = plan.scope[name]
        cells = tuple([CellType() for _ in plan.cells])
        made = FunctionType(plan.code, scope, plan.name, None, cells)
        self.made[id(plan)] = made
        for cell, content in zip(cells, plan.cells, strict=True):
            if content is not None:
                cell.cell_contents = self.value(content)
        if isinstance(scope, _Globals):
            for name, part in (plan.names or {}).items():
                scope[name] = self.value(part)
        made.__defaults__ = self.value(plan.defaults)
        made.__kwdefaults__ = self.value(plan.keyword_defaults)
        made.__qualname__, made.__module__ = plan.qualname, plan.module or ""
        made.__dict__.update(plan.attributes)
        return made

    def _collection(self, plan: Collection) -> Any:
        if plan.keys is not None:
            keyed: dict[Any, Any] = {}
            self.made[id(plan)] = keyed
            keyed.update(zip(plan.keys, map(self.value, plan.parts), strict=True))
            return keyed
        if plan.kind is list:
            listed: list[Any] = []
            self.made[id(plan)] = listed
            listed.extend(map(self.value, plan.parts))
            return listed
        return plan.kind([self.value(part) for part in plan.parts])

    def _partial(self, plan: Partial) -> Any:
        function, arguments, keywords = map(
            self.value, (plan.function, plan.arguments, plan.keywords)
        )
        return functools.partial(function, *arguments, **keywords)

    def _method(self, plan: Method) -> Any:
        return MethodType(plan.function, self.value(plan.owner))

    def _instance(self, plan: Instance) -> Any:
        kind: Any = plan.kind
        made = kind.__new__(kind)
        self.made[id(plan)] = made
        for name, part in plan.attributes.items():
            made.__dict__[name] = self.value(part)
        return made


def _is_of_library(plan: Any) -> bool:
    """Return whether a global variable is looked up in its module, as a library or a class is."""
    is_array = isinstance(plan, Kept) and hasattr(plan.value, "__array_interface__")
    return isinstance(plan, Kept) and not isinstance(plan.value, _PLAIN) and not is_array
