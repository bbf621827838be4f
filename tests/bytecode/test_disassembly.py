from __future__ import annotations

import functools
import sys
from collections.abc import Callable

import pytest

from hpml.base.errors import describe
from hpml.bytecode.disassembly import disassemble, pyc_of
from hpml.bytecode.errors import BytecodeError
from tests.bytecode.plain_checks import CHECKS
from tests.parts import raises


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
    "value",
    [
        len,
        [].append,
        Box,
        int,
        Box(),
        vars(Box)["label"],
        functools.partial(plain, 1),
        functools.cache(plain),
        3,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_has_no_bytecode_is_refused(value: object) -> None:
    with raises(BytecodeError, object=describe(value), received=type(value).__name__):
        disassemble(value)


@pytest.mark.parametrize(
    ("source", "received"),
    [("a = = 1", "line 1"), ("x = '\x00'", "null bytes"), ("return 1", "outside function")],
)
def test_a_text_that_does_not_compile_is_refused(source: str, received: str) -> None:
    with raises(BytecodeError, object="source text", expected="compiles", received=received):
        disassemble(source)


@pytest.mark.parametrize(
    "value",
    [
        plain,
        plain.__code__,
        Box().open,
        Box.open,
        vars(Box)["of"],
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


# Python 3.15 compiles deeper ones than these.
DEEP = ["-" * 100_000 + "1", "x" + ".y" * 20_000] if sys.version_info < (3, 15) else []


@pytest.mark.parametrize("source", ["a b", *DEEP])
def test_a_pyc_of_what_does_not_compile_is_refused(source: str) -> None:
    with raises(BytecodeError, object="source text", expected="compiles") as caught:
        pyc_of(source)
    assert caught.value.received


def test_a_pyc_of_what_is_no_text_is_refused() -> None:
    with raises(BytecodeError, object="source of pyc_of", received=describe(len)):
        pyc_of(len)  # type: ignore[arg-type]
