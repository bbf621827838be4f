"""Larger tools of the standard library, which use most of the language: parsers, formats, tests."""

from __future__ import annotations

import io


def argument_parser():
    import argparse

    parser = argparse.ArgumentParser(prog="tool", description="does things")
    parser.add_argument("-n", type=int, default=3, help="how many")
    parser.add_argument("files", nargs="*")
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--fast", action="store_true")
    return parser.format_help(), vars(parser.parse_args(["-n", "5", "f", "g", "--fast"]))


def source_from_a_tree():
    import ast

    tree = ast.parse(
        "class A(B, k=1):\n    def f(self, *a: int, b=2) -> None:\n        return [*a, b]\n"
    )
    return ast.unparse(tree), ast.dump(tree)


def tokens():
    import tokenize

    read = io.StringIO("def f(x):\n    return x + 1  # one more\n").readline
    return [(token.type, token.string, token.start) for token in tokenize.generate_tokens(read)]


def regular_expression_compiler():
    import re

    pattern = r"(?P<a>\d+)|[a-z]{2,3}(?=x)\b(?:foo|bar)*?$"
    return re._compiler.compile(pattern, 0).findall("12 abx 34")


def decimal_arithmetic():
    import _pydecimal as decimal

    with decimal.localcontext() as context:
        context.prec = 30
        number = decimal.Decimal
        return (
            str(number(2).sqrt()),
            str(number("1.1") ** 7),
            str(number(1) / number(3)),
            str(number("123.456").quantize(number("0.1"))),
        )


def decimal_division_by_zero():
    import _pydecimal as decimal

    return decimal.Decimal(1) / decimal.Decimal(0)


def enumerations():
    import enum

    class Access(enum.Flag):
        READ = 1
        WRITE = 2
        BOTH = READ | WRITE

    class Level(enum.IntEnum):
        LOW = enum.auto()
        HIGH = enum.auto()

    return Access.BOTH, Access.READ | Access.WRITE, list(Access), Level.HIGH + 1, Level["LOW"]


def typed_classes():
    import typing

    kind = typing.TypeVar("kind")

    class Box(typing.Generic[kind]):
        value: kind | None

    class Pair(typing.NamedTuple):
        a: int
        b: str = "x"

    class Options(typing.TypedDict):
        k: int

    return Pair(1), Options(k=1), typing.get_args(dict[int, str]), Box[int].__args__


def signatures():
    import inspect

    def f(a, /, b: int = 3, *c, d, **e) -> str: ...

    return str(inspect.signature(f)), inspect.currentframe().f_code.co_name


def unit_tests():
    import unittest

    class Cases(unittest.TestCase):
        def test_equal(self):
            self.assertEqual(1, 1)  # noqa: PT009 - the case

        def test_raises(self):
            with self.assertRaisesRegex(KeyError, "k"):  # noqa: PT027 - the case
                {}["k"]

        def test_fails(self):
            self.assertIn(3, [1, 2])  # noqa: PT009 - the case

    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(Cases).run(result)
    return result.testsRun, [text.splitlines()[-1] for _, text in result.failures], result.errors


def pickling():
    import pickle

    return pickle._loads(pickle._dumps({"a": [1, 2.5, (3,), {4}, b"x"]}))


def cached_properties_and_dispatch():
    import functools

    @functools.singledispatch
    def kind(value):
        return "other"

    @kind.register
    def _(value: int):
        return "int"

    class Holder:
        @functools.cached_property
        def once(self):
            print("computed")
            return 4

    holder = Holder()
    return kind(1), kind("x"), holder.once, holder.once


def context_managers_on_a_stack():
    import contextlib

    @contextlib.contextmanager
    def renamed(n):
        try:
            yield n
        except ValueError as error:
            print("saw", error)
            raise KeyError(n) from error

    with contextlib.ExitStack() as stack:
        stack.enter_context(renamed(1))
        stack.enter_context(renamed(2))
        raise ValueError("x")


def event_loop():
    import asyncio

    async def number(n):
        await asyncio.sleep(0)
        return n

    async def both():
        return await asyncio.gather(number(1), number(2))

    return asyncio.run(both())


def threads():
    import queue
    import threading

    results = queue.SimpleQueue()
    workers = [threading.Thread(target=lambda n=n: results.put(n * n)) for n in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    return sorted(results.get() for _ in workers)
