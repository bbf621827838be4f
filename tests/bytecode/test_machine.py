"""What `trace` and `Machine` promise beyond agreeing with CPython."""

from __future__ import annotations

import builtins
import contextlib
import gc
import inspect
import io
import pickle
import sys
import threading

import pytest

from hpml.base.errors import describe
from hpml.bytecode import BytecodeError, Machine, StepLimitError, UnknownOpcodeError, trace
from hpml.bytecode.disassembly.versions import python_version
from hpml.bytecode.machine.opcodes.versions import HANDLERS
from hpml.bytecode.machine.state import MachineState
from tests.bytecode.outcome import run
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
    monkeypatch.setattr(sys, "version_info", (3, 15, 0, "final", 0))
    with raises(BytecodeError, object="the stack machine", expected="3.14", received="3.15"):
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


def test_steps_into_functions_of_the_same_module_only() -> None:
    import textwrap

    def indented() -> str:
        return textwrap.indent("a", " " * double(1))

    files = {step.instruction.file for step in Machine(same_module=True).trace(indented)}
    assert files == {__file__}
    assert len({step.instruction.file for step in trace(indented)}) == 2


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
        steps = Machine(same_module=True).trace(program)
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
    assert sys.stdout is before
    assert not lock.locked()
    assert said == ["finally"]


def test_a_program_that_catches_everything_meets_the_limit_all_the_same() -> None:
    def stubborn() -> None:
        while True:
            try:
                endless()
            except BaseException:  # noqa: BLE001 - the case
                continue

    with raises(StepLimitError, object="the program", expected="300"):
        Machine(max_steps=300).trace(stubborn)


def test_a_program_may_replace_builtins() -> None:
    def inner(n: int) -> int:  # decoded while they are replaced
        try:
            return [n][0] + (1 if n else 2)
        finally:
            pass

    def program() -> tuple[object, ...]:
        names = ("len", "type", "isinstance", "getattr", "tuple", "zip", "iter", "next", "range")
        before = {name: getattr(builtins, name) for name in names}
        try:
            for name in before:
                setattr(builtins, name, None)
            return inner(3), [k + 1 for k in (0, 1)], len
        finally:
            for name in before:
                setattr(builtins, name, before[name])

    assert run(program) == (4, [1, 2], None)
    assert trace(program).value == "(4, [1, 2], None)"
    assert len("restored") == 8
