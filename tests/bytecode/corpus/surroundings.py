"""What C code learns from its caller: the module, ``from __future__``, references, variables."""

from __future__ import annotations

import importlib.machinery
import sys
import types
import typing


def classes_made_by_calls_know_their_module():
    return type("Made", (), {}).__module__, typing.TypeVar("T").__module__


def executed_text_takes_over_the_future():
    space = {}
    exec("def f(a: int) -> str: pass", space)
    eval("exec('class A:\\n    x: int')", space)
    code = compile("x: int = 1", "<text>", "exec")
    exec(code, space)
    return space["f"].__annotations__, space["A"].__annotations__, space["__annotations__"]


def names_that_exec_adds():
    exec("added = 1")
    try:
        return eval("added"), locals()["added"]
    except NameError as error:  # from 3.13 on each call gives a dictionary of its own
        return str(error)


def one_dictionary_of_variables():
    x = 1
    first = locals()
    x = 2
    before = first["x"]
    second = locals()
    del x
    locals()
    return first is second, before, first.get("x"), sorted(second)


def exec_does_not_rebind():
    x = 1
    exec("x = 2")
    return x, locals()["x"]


def globals_that_answer_for_missing_names():
    class Names(dict):
        def __missing__(self, key):
            return f"no {key}"

    space = Names()
    exec("def f():\n    return unknown, len('abc')", space, space)
    return space["f"]()


def callers_asked_for_in_a_thrown_exception():
    def names():
        found, frame = [], sys._getframe(1)
        while frame.f_code.co_name != "callers_asked_for_in_a_thrown_exception":
            found.append(frame.f_code.co_name)
            frame = frame.f_back
        return found

    def inner():
        try:
            yield 1
        except ValueError:
            yield names()
        finally:
            print(names())

    def outer():
        yield from inner()

    g = outer()
    next(g)
    found = g.throw(ValueError("thrown"))
    g.close()
    return found


def import_from_a_module_that_is_being_imported():
    module = types.ModuleType("half_imported")
    module.__file__ = "/half_imported.py"
    module.__spec__ = importlib.machinery.ModuleSpec(module.__name__, None, origin=module.__file__)
    module.__spec__._set_fileattr = True
    module.__spec__._initializing = True
    sys.modules[module.__name__] = module
    try:
        from half_imported import name
    finally:
        del sys.modules[module.__name__]
    return name
