"""Where a program can tell who runs it: contexts of exceptions, and the code of a module."""

from __future__ import annotations

import sys
import types


def resumed_generator_leaves_contexts_alone():
    def numbers():
        try:
            raise KeyError("inside")
        except KeyError as error:
            yield error
            yield sys.exc_info()[1] is error
        yield sys.exc_info()[1]

    generator = numbers()
    inner = next(generator)
    seen = []
    try:
        try:
            raise inner
        except KeyError:
            raise ValueError("outside")
    except ValueError as outside:
        seen.append(outside.__context__ is inner)
        seen.append(next(generator))
        seen.append(outside.__context__ is inner)
        seen.append(next(generator) is outside)
        seen.append((outside.__context__ is inner, inner.__context__))
    generator.close()  # CPython's traceback of `inner` would keep it open
    return seen


def module_code_as_a_function():
    space = {"__name__": "made"}
    text = """
import math
x: int = 1
def f(n): return n + x
class A:
    y = x
try:
    1 / 0
except ZeroDivisionError as error:
    said = str(error)
total = sum(f(i) for i in range(3)) + A.y
names = sorted(name for name in locals() if name.islower() and len(name) < 6)
del x
"""
    module = types.FunctionType(compile(text, "<made>", "exec", dont_inherit=True), space)
    found = module()
    return (found, space["total"], space["names"], "x" in space, space["said"])
