from __future__ import annotations

import dis
import io
import itertools
import marshal
import os
import random
import re
import sys
import tempfile
import threading
import tokenize
import traceback
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from hpml.bytecode import count_instructions, disassemble, trace
from hpml.course.files import recorded
from hpml.course.labs.lab_02_bytecode import stages
from hpml.course.labs.lab_02_bytecode.unlocked import Threads, read_threads
from tests.causes.shown import DEFINITION, DESIGN, RANGES, NoCause, Shown, Source, python
from tests.questions import lab_02


def _larger(a: int, b: int) -> int:
    if a > b:
        return a
    return b


def a_jump_counts_from_the_end_of_its_caches() -> None:
    """The target in the listing, and the one computed from the oparg."""
    steps = list(dis.get_instructions(_larger))
    found = 0
    for step, following in itertools.pairwise(steps):
        if step.opcode in dis.hasjrel and "BACKWARD" not in step.opname:
            assert step.argval == following.offset + 2 * (step.arg or 0)
            found += 1
    assert found


def the_path_is_in_the_file() -> None:
    """One source, compiled under two paths."""
    sizes = [len(marshal.dumps(compile("x = 1\n", path, "exec"))) for path in ("a.py", "long/a.py")]
    assert sizes[1] - sizes[0] == len("long/")


def the_stack_names_the_operands() -> None:
    """An addition of the first two variables and of the last two: its bytes are the same."""

    def first(a: int, b: int, c: int, d: int) -> int:
        return a + b

    def last(a: int, b: int, c: int, d: int) -> int:
        return c + d

    found = []
    for function in (first, last):
        (add,) = [each for each in dis.get_instructions(function) if each.opname == "BINARY_OP"]
        found.append(function.__code__.co_code[add.offset : add.offset + 2])
    assert found[0] == found[1]
    assert len(found[0]) == 2


def it_takes_more_than_one_call() -> None:
    """A function that runs once, and the same function later."""

    def lecture(a: int, b: int, c: int) -> int:
        return a + b * c

    log = stages.specialisation_log(lecture, [(2, 3, 4)] * 100)
    first = next(row for row in log.rows if row[3] == "BINARY_OP")
    assert 1 < first[0] < 100


def reading_lets_others_run() -> None:
    """A thread that waits for data; the main thread runs meanwhile, and then sends them."""
    reader, writer = os.pipe()
    got: list[bytes] = []
    waiting = threading.Thread(target=lambda: got.append(os.read(reader, 4)))
    waiting.start()
    counted = sum(range(1000))
    os.write(writer, b"data")
    waiting.join(timeout=30)
    os.close(reader), os.close(writer)
    assert (counted, got) == (499500, [b"data"])


def each_result_is_a_new_float() -> None:
    """The four expressions, each calculated twice: the results are two objects."""
    for text in ("x * x", "x ** 2.0", "x * 2.0", "x / x"):
        made = eval(f"lambda x: {text}")
        assert made(1234.0) is not made(1234.0)


def the_control_differs_in_the_form_alone() -> None:
    """Three operators on floats: which has a specialised form."""

    def product(x: float) -> float:
        return x * x

    def power(x: float) -> float:
        return x**2.0  # type: ignore[no-any-return]

    def quotient(x: float) -> float:
        return x / x

    special = {}
    for function in (product, power, quotient):
        for _ in range(1000):
            function(1234.0)
        steps = dis.get_instructions(function, adaptive=True)
        (form,) = [each.opname for each in steps if each.opname.startswith("BINARY_OP")]
        special[function] = form == "BINARY_OP_MULTIPLY_FLOAT"
    assert special == {product: True, power: False, quotient: False}


def the_counter_does_not_look_at_types() -> None:
    """The call that specialises, with the ints that came before it and with floats."""

    def first_form(last: tuple[float, ...], before: int) -> str:
        def lecture(a: float, b: float, c: float) -> float:
            return a + b * c

        calls: list[tuple[float, ...]] = [(2, 3, 4)] * before + [last]
        log = stages.specialisation_log(lecture, calls)
        return str(next(row for row in log.rows if row[3] == "BINARY_OP")[4])

    def lecture(a: int, b: int, c: int) -> int:
        return a + b * c

    log = stages.specialisation_log(lecture, [(2, 3, 4)] * 100)
    call = next(row for row in log.rows if row[3] == "BINARY_OP")[0]
    assert first_form((2, 3, 4), int(call) - 1).endswith("_INT")
    assert first_form((2.0, 3.0, 4.0), int(call) - 1).endswith("_FLOAT")


def only_a_block_is_indented() -> None:
    """One change of indentation, in a block and in brackets."""

    def changes(text: str) -> list[str]:
        tokens = tokenize.generate_tokens(io.StringIO(text).readline)
        names = [tokenize.tok_name[token.type] for token in tokens]
        return [name for name in names if name in ("INDENT", "DEDENT")]

    assert changes("if a:\n    b\n") == ["INDENT", "DEDENT"]
    assert changes("x = (a,\n    b)\n") == []


def a_finished_for_skips_the_end_of_its_loop() -> None:
    """The instructions of the block after a loop, and whether each was executed."""

    def loop(n: int) -> int:
        for _ in range(n):
            pass
        return 1

    ran = {step.offset for step in trace(loop, 3)}
    skipped = [
        each.opname
        for block in disassemble(loop).blocks
        for each in block.instructions
        if each.offset not in ran
    ]
    version = sys.version_info[:2]
    expected = {(3, 11): [], (3, 12): ["END_FOR"], (3, 13): ["END_FOR", "POP_TOP"]}
    if version in expected:
        assert skipped == expected[version]


def a_generator_pauses_inside_a_block() -> None:
    """The first block of a generator, of which one value is taken."""

    def two() -> Iterable[int]:
        yield 1
        yield 2

    first = disassemble(two).blocks[0].instructions
    assert [each.opname for each in first].count("YIELD_VALUE") == 2


def most_types_are_checked_late() -> None:
    """Two wrong lines; the compiler warns about one of them."""
    warned = []
    for line in ('d = 1 + "text"', "d = 1()"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            code = compile(line, "<line>", "exec")
        warned.append(len(caught))
        with pytest.raises(TypeError):
            exec(code, {})
    assert warned == [0, 1]


def a_file_of_bytecode_is_compared_by_size_and_second() -> None:
    """A source that is changed: within its second and size, with another size, a second later."""
    run = "import sys; sys.path.insert(0, {!r}); import m; print(m.X)"
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "m.py"
        results = []
        for turn, (text, second) in enumerate(
            [("X = 1", 10.0), ("X = 2", 10.9), ("X = 3 ", 10.0), ("X = 4 ", 11.0)]
        ):
            source.write_text(text)
            os.utime(source, (10**9 + second,) * 2)
            done = python(
                f"import sys; sys.dont_write_bytecode = False  # {turn}\n{run.format(folder)}"
            )
            results.append(int(done.stdout))
    assert results == [1, 1, 3, 4]


def a_traceback_begins_where_the_exception_is_caught() -> None:
    """One chain of three calls, whose exception the second catches."""

    def inner() -> float:
        return 1 / 0

    def catching() -> str:
        try:
            inner()
        except ZeroDivisionError:
            return traceback.format_exc()
        return ""

    def outer() -> str:
        return catching()

    assert re.findall(r"in (\w+)", outer()) == ["catching", "inner"]


def a_try_costs_a_nop_and_sometimes_a_jump() -> None:
    """The same line alone and in a `try`, on lines of its own and on the line of the `try`."""

    def plain(values: list[int]) -> None:
        for x in values:
            y = x
            z = y  # noqa: F841

    def tried(values: list[int]) -> None:
        for x in values:
            try:
                y = x
            except OSError:
                y = 0
            z = y  # noqa: F841

    # fmt: off
    def same_line(values: list[int]) -> None:
        for x in values:
            try: y = x  # noqa: E701
            except OSError: y = 0  # noqa: E701
            z = y  # noqa: F841
    # fmt: on

    def added(function: Callable[..., object]) -> float:
        counts = [count_instructions(each, [1] * 100) for each in (function, plain)]
        return (counts[0] - counts[1]) / 100

    found = [added(tried), added(same_line)]
    if sys.version_info < (3, 14):
        assert found == ([2, 1] if sys.version_info < (3, 12) else [1, 0])
    assert 0 <= min(found) <= max(found) <= 2


def a_cache_of_an_operator_holds_a_counter() -> None:
    """One addition, specialised for ints and for floats: the form differs, the cache does not."""
    forms, caches = [], []
    for numbers in ((1000, 2000), (1.5, 2.5)):

        def add(a: float, b: float) -> float:
            return a + b

        for _ in range(200):
            add(*numbers)
        steps = dis.get_instructions(add, adaptive=True)
        (step,) = [each for each in steps if each.opname.startswith("BINARY_OP")]
        forms.append(step.opname)
        caches.append(add.__code__._co_code_adaptive[step.offset + 2 : step.offset + 4])
    assert forms == ["BINARY_OP_ADD_INT", "BINARY_OP_ADD_FLOAT"]
    assert caches[0] == caches[1]


def a_count_covers_libraries_in_python() -> None:
    """Two functions of one module: one is written in Python, the other in C."""
    assert count_instructions(lambda: random.randint(1, 6)) > 40
    assert count_instructions(lambda: random.random()) < 10


INTERPRETERS = """
import sys, threading, time
try: import _interpreters as interpreters
except ImportError: import _xxsubinterpreters as interpreters
other, code = interpreters.create(), "sum(range(20_000_000))"
def longest_stop(work):
    thread, longest, last = threading.Thread(target=work), 0, time.perf_counter()
    thread.start()
    while thread.is_alive():
        now = time.perf_counter(); longest, last = max(longest, now - last), now
    return longest
print(longest_stop(lambda: exec(code)), longest_stop(lambda: interpreters.run_string(other, code)))
"""


@pytest.mark.thorough
def a_second_interpreter_may_have_a_lock_of_its_own() -> None:
    """How long one call of C stops this thread: in a thread, and in an interpreter of its own."""
    if not getattr(sys, "_is_gil_enabled", lambda: True)():
        pytest.skip("needs a build with the global interpreter lock")
    if (os.cpu_count() or 1) < 2 or sys.version_info >= (3, 14):
        pytest.skip("needs two cores and a version whose private module is known")
    thread, interpreter = map(float, python(INTERPRETERS).stdout.split())
    own = sys.version_info >= (3, 12)
    assert (interpreter < thread / 2) == own


def _recorded(program: str) -> dict[bool, Threads]:
    """Return the recorded results of a program, by whether the lock was on."""
    runs = map(read_threads, recorded("free_threading")["runs"][program])
    return {each.lock: each for each in runs}


def without_the_lock_a_shared_list_costs() -> None:
    """Two threads that add to one list, and to a list of each thread's own; the lock is off."""
    one, own = (_recorded(name)[False].ratio for name in ("one list", "own lists"))
    assert one.low > 2
    assert own.high < 1.5


def only_without_the_lock_additions_are_lost() -> None:
    """The share of the additions that count, in one build with its lock on and off."""
    kept = {lock: each.returned for lock, each in _recorded("add").items()}
    assert set(kept[True]) == {1.0}
    assert max(kept[False]) < 0.95


def a_lock_around_the_line_is_right() -> None:
    """Two threads that add to one counter inside `with lock`."""
    counter, lock = [0], threading.Lock()

    def add(n: int) -> None:
        for _ in range(n):
            with lock:
                counter[0] += 1

    both = [threading.Thread(target=add, args=(20_000,)) for _ in range(2)]
    for thread in both:
        thread.start()
    for thread in both:
        thread.join()
    assert counter == [40_000]


SHOWN: dict[str, Shown] = {
    "So the last two rows differ in the lock alone.": Source(
        "Python, `-X gil=0` and `-X gil=1`: https://docs.python.org/3/using/cmdline.html"
    ),
    "Importing one that does not say so switches the lock on again.": Source(
        "https://docs.python.org/3/howto/free-threading-extensions.html; tried with a module of "
        "three lines in 3.13.15, which warned and reported the lock as on"
    ),
    "So let threads share as little as possible, and add up at the end.": NoCause("it is advice"),
    "Without the lock two threads took longer than one thread takes for both shares, because they "
    "share one list.": without_the_lock_a_shared_list_costs,
    "So a forward jump with oparg 2 lands 4 bytes after the end of its own instruction and its "
    "caches (section 4).": a_jump_counts_from_the_end_of_its_caches,
    "It contains the path of the source, for tracebacks, so its size depends on that path.": (
        the_path_is_in_the_file
    ),
    "An instruction does not have to say where its operands are; that is why two bytes are "
    "enough.": the_stack_names_the_operands,
    "So a function has two counts: instructions *written* and instructions *executed*.": DEFINITION,
    "So there is a counter, whose start value differs between versions of CPython.": (
        it_takes_more_than_one_call
    ),
    "They still share the cores, the caches and the memory of the machine, so two shares rarely "
    "take exactly as long as one.": Source("the lab's own measurement, data/reference/02.json"),
    "So a data loader can read files in threads.": reading_lets_others_run,
    "So: count to understand *what* is done, measure to know *how long* it takes.": NoCause(
        "it is advice"
    ),
    "All four run over the same numbers, so only the expressions differ.": DESIGN,
    "Each result is a new float, so all four allocate alike.": each_result_is_a_new_float,
    "A and B both predict that it does not, so it does not separate them.": RANGES,
}
ALSO: dict[str, Shown] = {
    "`x / x` has no specialised form, as the power has none.": (
        the_control_differs_in_the_form_alone
    ),
    "Called through `map`, which uses no forms, `*` and `/` take equally long.": Source(
        "compared over the verdict's numbers in 75 rounds: `/` took 1.01 times as long as `*` in "
        "3.11.7, 0.98 in 3.12.1 and 0.99 in 3.13.0; a power took 1.3 to 1.6 times as long there"
    ),
    "If the other thread has written in between, its addition is lost.": (
        only_without_the_lock_additions_are_lost
    ),
    "A `threading.Lock` around the line is right in every build.": a_lock_around_the_line_is_right,
    "Python 3.9 lost additions even with the lock.": Source(
        "tried in 3.9.18, which lost four of ten additions; 3.10.13 to 3.13.0 lost none"
    ),
    "(In 3.13 such a build also does without the specialised instructions of section 4.": Source(
        "in 3.13.15 500 calls changed no instruction of `lecture`"
    ),
    "From 3.14 on it has them and is officially supported; there it takes 5 to 10 % longer, says "
    "Python's documentation.)": Source(
        "https://docs.python.org/3/whatsnew/3.14.html, free-threaded mode improvements"
    ),
    "It counts executions, not types: after some calls with ints, the next call with floats may "
    "produce the form for floats.": the_counter_does_not_look_at_types,
    "A power is one `BINARY_OP`, a product is one `BINARY_OP`.": lab_02.question_4_timed,
    "A change of a block's indentation becomes a token, `INDENT` or `DEDENT`.": (
        only_a_block_is_indented
    ),
    "Unless an exception is raised or a generator pauses, a block is executed from its first "
    "instruction to its last.": a_generator_pauses_inside_a_block,
    "(From Python 3.12 on, a `for` that has finished enters the next block after `END_FOR`.)": (
        a_finished_for_skips_the_end_of_its_loop
    ),
    "Most types and values are checked when the line is executed, which may never happen.": (
        most_types_are_checked_late
    ),
    "If the source's size or time (in whole seconds) changes, the file is written again.": (
        a_file_of_bytecode_is_compared_by_size_and_second
    ),
    "A traceback lists this chain of waiting frames, from the one that catches the exception "
    "on.": a_traceback_begins_where_the_exception_is_caught,
    "A `try` leaves at most a `NOP`, so that a debugger can stop at its line, and in Python 3.11 "
    "sometimes a jump. Apart from that it costs nothing until something fails.": (
        a_try_costs_a_nop_and_sometimes_a_jump
    ),
    "**caches**, in which the interpreter keeps counters and what it has learned there.": (
        a_cache_of_an_operator_holds_a_counter
    ),
    "A count covers only code that is written in Python.": a_count_covers_libraries_in_python,
    "(From 3.12 on, a second interpreter in one process may also have its own lock.)": (
        a_second_interpreter_may_have_a_lock_of_its_own
    ),
}
