"""Where a program can tell who runs it: exceptions, classes and frames that watch what is done."""

from __future__ import annotations

import contextlib
import dataclasses
import sys
import types


def frozen_dataclass_as_an_exception():
    @dataclasses.dataclass(frozen=True)
    class Problem(Exception):
        code: int

    def fail(code):
        raise Problem(code)

    def steps():
        with contextlib.suppress(KeyError):
            yield 1
            fail(2)

    seen = []
    for call in (lambda: fail(1), lambda: list(steps())):
        try:
            call()
        except Problem as error:
            seen.append(error.code)
            try:
                raise KeyError("second") from error
            except KeyError as other:
                seen.append((other.__context__ is error, other.__cause__ is error))
    return seen


def exception_that_watches_its_attributes():
    class Watched(Exception):
        def __setattr__(self, name, value):
            print("set", name)
            super().__setattr__(name, value)

        def __getattribute__(self, name):
            print("get", name)
            return super().__getattribute__(name)

    def numbers():
        try:
            yield 1
        finally:
            print("finally")

    def through(generator):
        next(generator)
        generator.throw(Watched("thrown"))

    def body():
        class Inner:
            raise Watched("in a class body")

    for call in (body, lambda: through(numbers()), lambda: (_ for _ in ()).throw(Watched())):
        try:
            try:
                call()
            finally:
                print("outer finally")
        except Watched as error:
            note = error
            try:
                raise LookupError
            except LookupError as other:
                print(type(other.__context__).__name__)
            del note


def keywords_of_dict_subclasses():
    def take(**keywords):
        return keywords

    class Loud(dict):
        def keys(self):
            print("keys")
            return super().keys()

        def __getitem__(self, key):
            print("item", key)
            return super().__getitem__(key)

    class Iterated(Loud):
        def __iter__(self):
            print("iter")
            return super().__iter__()

    found = []
    for kind in (dict, Loud, Iterated):
        values = kind(a=1, b=2)
        found += [take(**values), take(c=3, **values), {**values}, {"z": 0, **values}]
        try:
            take(a=1, **values)
        except TypeError as error:
            found.append(str(error).rpartition(".")[2])
    return found


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


def error_of_a_generator_that_is_a_context_already():
    inner = KeyError("inner")

    def numbers():
        yield 1
        raise inner

    generator = numbers()
    next(generator)
    try:
        raise ValueError("outside") from inner
    except ValueError as outside:
        outside.__context__ = inner
        try:
            next(generator)
        except KeyError:
            return outside.__context__ is inner, type(inner.__context__).__name__


def metaclass_that_prints():
    class Meta(type):
        def __getattribute__(cls, name):
            print("asked for", name)
            return super().__getattribute__(name)

    class Thing(metaclass=Meta):
        __match_args__ = ("x",)

        def __init__(self):
            self.x = 3

        def double(self):
            return self.x * 2

        def __enter__(self):
            return self

        def __exit__(self, *_):
            return True

        def __iter__(self):
            return iter((1, 2))

    class Problem(Exception, metaclass=Meta):
        pass

    thing = Thing()
    print(thing.double(), thing.x)
    with thing as same:
        a, b = same
        print([*thing], max(*thing))
    try:
        raise Problem("meta")
    except Problem:
        print("caught")
    match thing:
        case [_]:
            print("sequence")
        case {"a": _}:
            print("mapping")
        case Thing(x):
            print("matched", x)
    return a, b


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
    return (
        found,
        space["total"],
        space["names"],
        "x" in space,
        space["said"],
    )
