"""What is typed into a stepper: run in a namespace of its own, its mistakes said kindly."""

from __future__ import annotations

import sys

import pytest

from hpml.widgets import WidgetError, stepper_editor
from hpml.widgets.stepper.editor import typed_page
from hpml.widgets.stepper.typed import function_of_text

F = "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    ("source", "call", "says"),
    [
        ("def f(x) return x", "f(1)", "expected ':' (line 1).\n   1  def f(x) return x"),
        (F, "f(1", "The call does not compile: '(' was never closed (line 1).\n   1  f(1"),
        (F, "f(1, 2)", "takes 1 positional argument but 2 were given"),
        (F, "g(1)", "asks for g, which is not defined above. Defined are: f."),
        (F, "f(y)", "NameError: name 'y' is not defined"),
        (F, "f(1); f(2)", "The call does not compile: invalid syntax"),
        (F, " ", "There is no call yet"),
        ("", "f(1)", "There is no function yet"),
        ("x = 1 / 0", "f(1)", "The text, line 1: ZeroDivisionError: division by zero"),
        ("import sys\nsys.exit(3)", "f(1)", "The text, line 2: SystemExit: 3"),
        ("while True: pass\n" + F, "f(1)", "is there a loop that does not end?"),
        (F, "f([n for n in iter(int, 1)])", "is there a loop that does not end?"),
        ("async def f(x): return x", "f(1)", "async"),
        (F + "\0", "f(1)", "does not compile"),
    ],
)
def test_a_mistake_is_said_and_never_a_traceback(source: str, call: str, says: str) -> None:
    page = typed_page(source, call)
    assert says in page.plain
    assert "Traceback" not in page.plain
    assert 'role="alert"' in page.html
    assert "hpml-animation" not in page.html


def test_an_endless_loop_of_the_call_is_in_the_animation() -> None:
    page = typed_page("def f(x):\n    while True: x += 1\n", "f(1)", max_steps=40)
    assert "Stopped here, after 40 instructions" in page.html


@pytest.mark.parametrize("call", ["f(2) + 1", "max([f(3)], key=f)[0]", "A().double(3)", "(f)(1)"])
def test_an_expression_that_is_no_plain_call_is_itself_stepped_through(call: str) -> None:
    source = F + "class A:\n    def double(self, n):\n        return 2 * n\n"
    page = typed_page(source, call)
    assert page.plain.startswith(f"{call}, step by step")
    assert 'data-part="l0.1"' in page.html
    assert "lambda" not in page.plain


def test_the_readers_own_names_are_neither_seen_nor_touched() -> None:
    before = set(vars(sys.modules[__name__]))
    assert "NameError" in typed_page("def f(x):\n    return F\n", "f(1)").plain
    typed_page("F = 3\ndef f(x):\n    global F\n    F = 4\n    return F\n", "f(1)")
    assert F.startswith("def f")
    assert set(vars(sys.modules[__name__])) == before


def test_a_body_becomes_a_function_of_its_names() -> None:
    assert function_of_text("y = x + 1\nreturn y", ("x",))(2) == 3
    assert function_of_text("  def f():\n      return 4").__name__ == "f"
    assert function_of_text("class A: pass\nreturn A")().__name__ == "A"
    with pytest.raises(WidgetError):
        function_of_text("def f(): pass\nf = 3")


def test_without_a_notebook_the_first_state_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    stepper_editor(F, "f(7)")
    assert capsys.readouterr().out.startswith("f(7), step by step: 4 steps\n  1. f(7) is called")
