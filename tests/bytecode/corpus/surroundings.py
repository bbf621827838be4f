"""What C code learns from its caller: the module, ``from __future__``, references, variables."""

from __future__ import annotations

import importlib.machinery
import sys
import types


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
