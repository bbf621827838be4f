from __future__ import annotations

import functools
import sys
from collections.abc import Callable

import pytest

from hpml.bytecode.disassembly import compare, disassemble, histogram
from hpml.bytecode.errors import BytecodeError
from tests.bytecode.plain_checks import CHECKS


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_plainly(check: Callable[[], None]) -> None:
    check()


def plain(x: int) -> int:
    return x


class Box:
    def open(self) -> None: ...

    @staticmethod
    def of(x: int) -> int:
        return x

    @property
    def label(self) -> str:
        return "box"

    def __call__(self) -> None: ...


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (len, "len has no bytecode: it is a builtin, compiled from C"),
        (str.join, "join has no bytecode: it is a builtin"),
        ([].append, "append has no bytecode: it is a builtin"),
        (object().__str__, "has no bytecode"),
        (Box, r"class Box is not one function. Pass one of its methods: Box\.open, Box\.__call__"),
        (int, "class int is not one function. It has no method in Python"),
        (Box(), r"is an object that can be called. Pass .*type\(value\)\.__call__"),
        (vars(Box)["label"], r"p\.fget"),
        (
            functools.partial(plain, 1),
            r"calls <function plain.*Pass the function it calls, p\.func",
        ),
        (functools.partial(len), "calls <built-in function len>"),
        (functools.cache(plain), r"Pass the function inside, f\.__wrapped__"),
        (3, "3, of type int, is not code. Expected a function or method written in Python"),
        (None, "None, of type NoneType, is not code"),
        ("a = = 1", "does not compile: line 1: invalid syntax"),
        ("x = 1\n  y = 2", "does not compile: line 2: unexpected indent"),
        ("def f(:", "does not compile: line 1"),
        ("x = '\x00'", "does not compile: .*null"),
        ("return 1", "does not compile: line 1: 'return' outside function"),
    ],
)
def test_what_has_no_bytecode_is_named_together_with_what_helps(value: object, says: str) -> None:
    for ask in (disassemble, histogram, functools.partial(compare, plain)):
        with pytest.raises(BytecodeError, match=says):
            ask(value)


@pytest.mark.parametrize(
    "value",
    [
        plain,
        plain.__code__,
        Box().open,
        Box.open,
        vars(Box)["of"],
        (i for i in ()),
        "plain(1)",
        functools.wraps(plain)(lambda x: x),
    ],
    ids=lambda value: type(value).__name__,  # a repr holds an address: other names in each process
)
def test_whatever_leads_to_one_code_object_is_taken(value: object) -> None:
    found = disassemble(value)
    assert found.instructions[-1].opname.startswith(("RETURN", "RERAISE"))
    assert str(found) == str(disassemble(value))
    assert found._repr_html_().count("<table") == len(found.listings)


def test_a_listing_reads_as_text() -> None:
    text = str(disassemble("total = price * 3"))
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert lines[0] == "Source text"
    assert any(line.endswith("BINARY_OP 5 * -1") and "price * 3" in line for line in lines)
    assert lines[-1].startswith(f"Bytecode of CPython {sys.version_info[0]}.{sys.version_info[1]}.")


def test_html_of_source_is_escaped() -> None:
    html = disassemble("a = '<script>' < b")._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_a_function_without_its_source_is_still_listed() -> None:
    scope: dict[str, object] = {}
    exec(compile("def f(x):\n    return x + 1", "<nowhere>", "exec"), scope)
    found = disassemble(scope["f"])
    assert {step.source for step in found.instructions} == {""}
    assert [step.line for step in found.instructions][-1] == 2


def test_a_deeply_nested_function_needs_no_recursion() -> None:
    lines = [f"{' ' * depth}def f{depth}():" for depth in range(80)]
    source = "\n".join([*lines, " " * 80 + "pass"])
    assert len(disassemble(source).listings) == 81
