"""What C code learns from its caller: the module, ``from __future__``, references, variables."""

from __future__ import annotations

import collections
import importlib.machinery
import inspect
import logging
import sys
import types
import warnings


def class_made_by_a_call_knows_its_module():
    return type("Made", (), {}).__module__


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


def callers_are_functions_of_the_program():
    def name_of_the_caller():
        frame = sys._getframe(1)
        return frame.f_code.co_name, frame.f_lineno, frame.f_globals is globals()

    class Asking:
        def ask(self):
            return (
                name_of_the_caller(),
                [(entry.function, entry.lineno) for entry in inspect.stack()[:2]],
                inspect.currentframe().f_back.f_code.co_qualname,
            )

    return Asking().ask(), name_of_the_caller()


def libraries_ask_for_their_caller():
    records = []

    class Kept(logging.Handler):
        def emit(self, record):
            records.append((record.funcName, record.lineno, record.filename))

    def says(log):
        log.warning("said")
        log.warning("said", stacklevel=2)
        warnings.warn("warned")
        warnings.warn("warned", stacklevel=2)

    log = logging.Logger("hpml.test")
    log.addHandler(Kept())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        says(log)
    lines = [(each.lineno, each.filename == __file__) for each in caught]
    return records, lines, collections.namedtuple("Point", "x y").__module__


def evaluated_text_sees_the_variables_of_its_caller():
    a, found = 2, []
    exec("found.append(a + 1)")
    return eval("a + len(found)"), eval("a", {"a": 5}), found, eval("sorted(globals()) is not None")
