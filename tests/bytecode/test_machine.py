"""What `trace` and `Machine` promise beyond agreeing with CPython."""

from __future__ import annotations

import collections
import contextlib
import gc
import importlib
import inspect
import io
import logging
import os
import pickle
import sys
import textwrap
import threading
import traceback
import warnings
from pathlib import Path
from typing import Any

import pytest

from hpml.base.errors import describe
from hpml.bytecode import BytecodeError, Machine, StepLimitError, UnknownOpcodeError, run, trace
from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.machine.opcodes.versions import HANDLERS
from hpml.bytecode.machine.state import MachineState
from tests.bytecode.cases import from_text
from tests.parts import raises


def double(x: int) -> int:
    return 2 * x


def endless() -> None:
    while True:
        pass


def test_runs_a_bound_method() -> None:
    class Scale:
        factor = 3

        def times(self, x: int) -> int:
            return self.factor * x

    assert trace(Scale().times, 4).value == "12"


def test_arguments_that_do_not_fit_are_refused_in_the_words_of_cpython() -> None:
    with pytest.raises(TypeError, match=r"double\(\) missing 1 required positional argument: 'x'"):
        trace(double)


async def wait() -> int:
    return 1


@pytest.mark.parametrize("thing", [len, 3, "text", int, None])
def test_refuses_what_is_no_python_function(thing: object) -> None:
    with raises(
        BytecodeError, object="the stack machine", received=describe(thing), remedy="lambda"
    ):
        trace(thing)  # type: ignore[arg-type]


def test_arguments_that_only_cpython_can_bind_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(MachineState, "frame", lambda *_: None)
    name = "arguments of double"
    with raises(BytecodeError, object=name, received="CPython", remedy="Report"):
        trace(double, 3)


def test_refuses_an_async_function() -> None:
    with raises(BytecodeError, object="wait", received="async"):
        trace(wait)


def test_an_async_function_that_is_called_is_left_to_cpython() -> None:
    coroutine = run(lambda: wait())
    assert inspect.iscoroutine(coroutine)
    coroutine.close()


def test_refuses_an_unknown_opcode_by_name_and_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(HANDLERS, "BINARY_OP")
    line = double.__code__.co_firstlineno + 1
    with raises(
        UnknownOpcodeError, object=f"double, line {line}", received="BINARY_OP", remedy="statement"
    ) as caught:
        trace(double, 3)
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert (error.opname, error.version) == ("BINARY_OP", python_version())


def test_refuses_except_star_by_name() -> None:
    def grouped() -> None:
        try:
            raise ExceptionGroup("two", [ValueError(), KeyError()])
        except* ValueError:
            pass

    line = grouped.__code__.co_firstlineno + 3
    name = f"{grouped.__qualname__}, line {line}"
    with raises(UnknownOpcodeError, object=name, received="CHECK_EG_MATCH") as caught:
        trace(grouped)
    assert caught.value.opname == "CHECK_EG_MATCH"


def test_refuses_a_python_without_a_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "version_info", (3, 99, 0, "final", 0))
    with raises(BytecodeError, object="the stack machine", expected="3.15", received="3.99"):
        trace(double, 3)


@pytest.mark.parametrize("value", [0, -1, 2.5, "many", True])
def test_refuses_a_limit_that_is_no_number_of_steps(value: object) -> None:
    with raises(BytecodeError, object="max_steps", expected="positive", received=describe(value)):
        Machine(max_steps=value)  # type: ignore[arg-type]


def test_the_limit_keeps_the_trace_until_then() -> None:
    with raises(StepLimitError, object="the program", expected="50", remedy="max_steps") as caught:
        Machine(max_steps=50).trace(endless)
    assert caught.value.steps == 50
    partial = caught.value.trace
    assert partial is not None
    assert [step.index for step in partial] == list(range(50))
    assert partial.value is None
    assert partial.exception is None


def test_steps_into_the_students_functions_and_not_into_installed_packages(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "second_file.py").write_text("def half(x):\n    return x // 2\n")
    monkeypatch.syspath_prepend(tmp_path)
    second_file = importlib.import_module("second_file")
    generated = from_text("def third(x):\n    return x * 3\n", "<generated>")
    unknown: dict[str, Any] = {}
    exec("def fourth(x):\n    return x * 4\n", unknown)

    def program() -> tuple[object, ...]:
        indented = textwrap.indent("a", " " * double(1))
        point = collections.namedtuple("Point", "x y")(1, 2)  # noqa: PYI024 - a call of a library
        return indented, point, second_file.half(4), generated(5), unknown["fourth"](6)

    try:
        functions = {step.function for step in trace(program)}
    finally:
        del sys.modules["second_file"]
    assert functions == {program.__qualname__, "double", "half", "third"}


def test_a_function_of_a_library_is_stepped_through_with_those_of_its_module() -> None:
    functions = {step.function for step in trace(textwrap.shorten, "a  b", 9)}
    assert functions == {"shorten"} | {f for f in functions if f.startswith("TextWrapper.")}
    assert len(functions) > 3


def test_libraries_see_the_program_as_their_caller(caplog: pytest.LogCaptureFixture) -> None:
    def program() -> tuple[object, ...]:
        logging.getLogger("hpml.test").warning("said")
        warnings.warn("warned", stacklevel=2)
        frame = sys._getframe()
        point = collections.namedtuple("Point", "x y")  # noqa: PYI024 - it asks for its caller
        return point.__module__, frame.f_code.co_name, type("Made", (), {}).__module__

    line = program.__code__.co_firstlineno
    with warnings.catch_warnings(record=True):
        warnings.simplefilter("always")
        assert run(program) == (__name__, "program", __name__)
    (record,) = caplog.records
    assert (record.funcName, record.lineno, record.filename) == (
        "program",
        line + 1,
        Path(__file__).name,
    )


def test_an_exception_shows_the_lines_of_the_program_and_none_of_the_machine() -> None:
    def fails(x: int) -> float:
        return 1 / x

    def outer() -> float:
        return fails(0)

    for call in (run, Machine().run):
        with pytest.raises(ZeroDivisionError) as caught:
            call(outer)
        found = traceback.extract_tb(caught.value.__traceback__)
        assert [entry.name for entry in found[1:]] == ["outer", "fails"]
        assert found[-1].lineno == fails.__code__.co_firstlineno + 1
        assert found[-1].line == "return 1 / x"
        assert not any(f"{os.sep}bytecode{os.sep}machine" in entry.filename for entry in found)


def test_the_context_of_an_exception_is_that_of_the_program() -> None:
    def fails() -> None:
        raise KeyError("inner")

    try:
        raise ValueError("outside")
    except ValueError:
        with pytest.raises(KeyError) as during:
            run(fails)
    assert isinstance(during.value.__context__, ValueError)
    with pytest.raises(KeyError) as after:
        run(fails)
    assert after.value.__context__ is None


def test_an_interrupt_stops_a_trace() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        trace(interrupted)


def test_a_trace_without_a_console_prints_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    assert trace(lambda: print("lost")).value == "None"
    assert sys.stdout is None


def test_the_machine_does_not_step_into_itself() -> None:
    def twice() -> int:
        return len(trace(double, 3).steps)

    assert {step.function for step in trace(twice)} == {twice.__qualname__}


def test_recursion_without_end_meets_the_limit_of_python() -> None:
    depths = []

    def down(n: int) -> None:
        depths.append(n)
        down(n + 1)

    with pytest.raises(RecursionError):
        down(0)
    native = len(depths)
    depths.clear()
    with pytest.raises(RecursionError):
        run(down, 0)
    assert abs(len(depths) - native) < 20


def test_a_generator_that_left_the_machine_goes_on() -> None:
    def count() -> object:
        yield from range(3)

    assert list(run(count)) == [0, 1, 2]
    made = run(count)
    assert inspect.isgenerator(made)
    assert next(made) == 0
    made.close()


def test_steps_of_other_threads_are_taken_and_not_recorded() -> None:
    def numbers():  # type: ignore[no-untyped-def]
        yield from range(200)

    def program() -> tuple[list[int], int]:

        sums: list[int] = []
        threads = [
            threading.Thread(target=lambda drained: sums.append(sum(drained)), args=(source,))
            for source in (numbers(), numbers(), numbers())  # type: ignore[no-untyped-call]
        ]
        for thread in threads:
            thread.start()
        total = 0
        for number in range(500):
            total += number
        for thread in threads:
            thread.join()
        return sums, total

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        assert run(program) == program()
        steps = trace(program)
    finally:
        sys.setswitchinterval(interval)
    assert steps.value == "([19900, 19900, 19900], 124750)"
    assert numbers.__qualname__ not in {s.function for s in steps if s.opname == "YIELD_VALUE"}


def test_objects_die_when_the_program_lets_them_go(capsys: pytest.CaptureFixture[str]) -> None:
    class Loud:
        def __init__(self, name: str) -> None:
            self.name = name

        def __del__(self) -> None:
            print("gone:", self.name)

    def program() -> None:
        def inner() -> float:
            kept = Loud("raising")
            return 1 / (kept is None)

        def numbers() -> object:
            kept = Loud("generator")
            yield kept is None
            yield 2

        a = Loud("deleted")
        del a
        print("after del")
        with contextlib.suppress(ZeroDivisionError):
            inner()
        print("after except")
        for _ in numbers():  # type: ignore[attr-defined]
            break
        print("after loop")

    gc.disable()
    try:
        program()
        native = capsys.readouterr().out
        run(program)
        assert capsys.readouterr().out == native
    finally:
        gc.enable()


def test_the_limit_leaves_nothing_altered() -> None:
    lock, said = threading.Lock(), []

    def program() -> None:
        try:
            with lock, contextlib.redirect_stdout(io.StringIO()):
                endless()
        finally:
            said.append("finally")

    before = sys.stdout
    with raises(StepLimitError, object="the program", expected="500"):
        Machine(max_steps=500).trace(program)
    with pytest.raises(StepLimitError) as caught:
        Machine(max_steps=500).run(program)
    assert (caught.value.steps, caught.value.trace) == (500, None)
    assert sys.stdout is before
    assert not lock.locked()
    assert said == ["finally", "finally"]


def test_a_program_that_catches_everything_meets_the_limit_all_the_same() -> None:
    def stubborn() -> None:
        while True:
            try:
                endless()
            except BaseException:  # noqa: BLE001 - the case
                continue

    with raises(StepLimitError, object="the program", expected="300"):
        Machine(max_steps=300).trace(stubborn)
