from __future__ import annotations

import dis
import re
import sys
import threading
import time
import timeit
from collections.abc import Callable, Iterator

import pytest

from hpml.bytecode import count_instructions, trace
from tests.questions.answers import by_python, solution

SOURCES = {3: "CPython, InternalDocs/interpreter.md and Python/ceval.c, _PyEval_EvalFrameDefault"}
LISTING = [
    *[("LOAD_FAST", number) for number in range(3)],
    *[("BINARY_MULTIPLY", None), ("BINARY_ADD", None), ("STORE_FAST", 3)],
]


def _made(source: str) -> Callable[..., object]:
    names: dict[str, Callable[..., object]] = {}
    exec(f"def made(a, b, c):\n    {source}\n", names)
    return names["made"]


def _steps(function: Callable[..., object]) -> Iterator[str]:
    """Yield loads, stores and operators; instructions that do two at once become two."""
    for each in dis.get_instructions(function):
        kinds = re.findall(r"LOAD_FAST|STORE_FAST", each.opname)
        names = each.argval if isinstance(each.argval, tuple) else (each.argval,)
        if kinds:
            yield from (f"{kind} {name}" for kind, name in zip(kinds, names, strict=True))
        elif each.opname == "BINARY_OP":
            yield each.argrepr


def question_1() -> object:
    listing = ["LOAD_FAST a", "LOAD_FAST b", "LOAD_FAST c", "*", "+", "STORE_FAST d"]
    choices = ["d = (a + b) * c", "d = a + b * c", "d = a * b + c", "d = c * b; d = d + a"]
    (fits,) = [text for text in choices if list(_steps(_made(text))) == listing]
    assert solution("lab_02/execute")(LISTING, [2, 3, 4, None]) == [2, 3, 4, 14]
    return f"`{fits}`"


def question_2() -> object:
    steps = trace(_made("d = a + b * c"), 2, 3, 4)
    multiply = next(step for step in steps if step.opname == "BINARY_OP")
    return len(multiply.stack_before)


def _times(x: int) -> int:
    return x * 2


def _power(x: int) -> int:
    return x**2


def _itself(x: int) -> int:
    return x * x


# The number of instructions that x * 2, x ** 2 and x * x execute, and whether `*` and `**` are
# specialised for integers after a thousand calls.
@by_python(py311=(5, 5, 5, True, False), py312=(5, 5, 5, True, False), py313=(5, 5, 4, True, False))
def question_4() -> object:
    counts = [count_instructions(each, 1234) for each in (_times, _power, _itself)]
    assert counts[0] == counts[1]
    special = []
    for each in (_times, _power):
        for _ in range(1000):
            each(1234)
        names = {step.opname for step in dis.get_instructions(each, adaptive=True)}
        special.append("BINARY_OP_MULTIPLY_INT" in names)
    return (*counts, *special)


def question_4_timed() -> None:
    times = {_times: 1.0, _power: 1.0}
    for _ in range(300):
        for each in times:
            took = timeit.timeit("each(1234)", globals={"each": each}, number=500)
            times[each] = min(times[each], took)
    assert times[_power] > 1.1 * times[_times]


def question_5() -> object:
    def before(self: object) -> None:
        scale = self.scale  # noqa: F841  # type: ignore[attr-defined]

    body = [step for step in dis.get_instructions(before) if step.opname not in ("RESUME", "CACHE")]
    written = [step.opname for step in body if "RETURN" not in step.opname]
    kept = [name for name in written if name not in ("LOAD_CONST",)]
    assert len(kept) == 3, kept
    return (8 - 1) * 1000 + 5 + 3


def question_6() -> None:
    """While one thread is in `sum`, the other executes nothing."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("needs a build with the global interpreter lock")
    stop, longest = threading.Event(), [0.0]

    def watch() -> None:
        last = time.perf_counter()
        while not stop.is_set():
            now = time.perf_counter()
            longest[0] = max(longest[0], now - last)
            last = now

    other = threading.Thread(target=watch)
    other.start()
    while not longest[0]:
        time.sleep(0.001)
    try:
        numbers = range(4_000_000)
        begin = time.thread_time()
        sum(numbers)
        took = time.thread_time() - begin
    finally:
        stop.set()
        other.join()
    assert longest[0] > 0.8 * took
