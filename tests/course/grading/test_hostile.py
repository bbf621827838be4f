"""Submissions that fight: for points, for the worker they run in, for their processes.

What they reach is their own process. What they say of a result is judged by someone else; after all
of them, a right submission is graded by the same grader.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hpml.course.grading.judge import Item
from tests.course.grading.handed_in import CATALOGUE, EXPLANATION, PATIENT, TOTAL, hand_in

Graded = Callable[..., dict[str, Item]]
pytestmark = [pytest.mark.thorough, pytest.mark.needs("bubblewrap")]


def _indented(body: str) -> str:
    return "\n".join(f"    {line}" for line in body.strip().splitlines())


def _double(body: str, result: str = "2 * n") -> str:
    """Return a `double` that does this in each call."""
    return f"def double(n):\n{_indented(body)}\n    return {result}"


def _at_load(body: str, result: str = "2 * n") -> str:
    return f"def attack():\n{_indented(body)}\n\ndef double(n, _=attack()):\n    return {result}"


def _graded(
    graded: Graded, tmp_path: Path, cell: str, catalogue: Any = CATALOGUE, *others: str
) -> Item:
    """Return what the cell earns for `double`; the others of the submission lose nothing by it."""
    rest = others or (TOTAL, EXPLANATION)
    items = graded(hand_in(tmp_path / "one", cell, *rest), catalogue)
    assert [items[name].status for name in ("total", "explanation")] == ["right"] * 2
    return items["double"]


FORGED = """
import os, json
for descriptor in range(3, 1024):
    try:
        os.write(descriptor, FORGERY)
    except OSError:
        pass
"""
FORGERIES = {
    "not JSON": b"right right right\n",
    "an answer to no question": b'{"id": "0", "outcome": {"outcome": "returned", "value": 4}}\n',
    "points": b'{"item": {"earned": 100, "status": "right"}, "done": true}\n',
    "nested too deep": b"[" * 10_000 + b"\n",
}
ENDLESS = """
import os
while True:
    for descriptor in range(200, 210):
        try:
            os.write(descriptor, b"x" * 60000)
        except OSError:
            pass
"""
OUTCOME = """
import sys
serve = sys.modules["hpml.course.sandbox.serve"]
serve.Worker._outcome = lambda *_: {"outcome": "right", "points": 100}
"""
IGNORING = """
import signal
for number in range(1, 65):
    try:
        signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError):
        pass
while True:
    pass
"""
BOMB = """
hoard = []
while True:
    hoard.append(bytearray(b"x" * 2**24))
"""
# A child whose first thread has ended shows its memory in its other threads only.
HIDDEN_BOMB = """
import ctypes, os, threading, time
if os.fork() == 0:
    def hoard():
        kept = []
        while True:
            kept.append(bytearray(b"x" * 2**22))
            time.sleep(0.001)
    threading.Thread(target=hoard).start()
    ctypes.CDLL(None).pthread_exit(None)
time.sleep(60)
"""
DEEP = """
import ctypes
ctypes.pythonapi.Py_SetRecursionLimit(10**9)
def down(k):
    return 0 if k == 0 else down(k - 1)
down(10**7)
"""
FORKS = """
import os
while True:
    try:
        os.fork()
    except OSError:
        pass
"""
NO_ANSWER: dict[str, tuple[str, str, Any]] = {
    f"a forged result, {what}": (
        _double(FORGED.replace("FORGERY", repr(text)), "0"), "garbled", CATALOGUE
    )
    for what, text in FORGERIES.items()
} | {
    "an answer that never ends": (_double(ENDLESS, "0"), "no answer: garbled", CATALOGUE),
    # Each is shorter than the limit; five of them are not, and the second is the last one taken.
    "answers that take minutes to judge": (
        _double("return list(range(600_000)) if n > 2 else 4"), "4 of 5 cases fail", PATIENT
    ),
    "an outcome of its own making": (_double(OUTCOME), "garbled", CATALOGUE),
    "all descriptors closed": (_double("import os\nos.closerange(0, 1000)"), "ended", CATALOGUE),
    "the pipes closed": (_double("import os\nos.closerange(3, 1000)"), "ended", CATALOGUE),
    "an endless loop that ignores signals": (_double(IGNORING), "too slow", CATALOGUE),
    "an endless loop while it is loaded": (_at_load("while True: pass"), "too slow", CATALOGUE),
    "a memory bomb": (_double(BOMB), "no answer: too much memory", CATALOGUE),
    "a hidden memory bomb": (_double(HIDDEN_BOMB), "no answer: too much memory", PATIENT),
    # Counted from outside for root; for others the system refuses more, and it goes on trying.
    "a fork bomb": (_double(FORKS), "no answer: too ", CATALOGUE),
    "recursion without a limit": (_double(DEEP), "no answer", PATIENT),
    "an exit": (_double("import os\nos._exit(0)"), "no answer: ended", CATALOGUE),
    "an exit while it is loaded": (_at_load("import os\nos._exit(0)"), "ended", CATALOGUE),
    "a crash of the interpreter": (_double("import ctypes\nctypes.string_at(0)"), "ended", PATIENT),
    "a process that stops itself": (
        _double("import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)"), "too slow", CATALOGUE
    ),
    "a process that kills itself": (
        _double("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"), "ended", CATALOGUE
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", NO_ANSWER)
def test_what_gives_no_answer_costs_its_exercise_only(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    cell, said, catalogue = NO_ANSWER[what]
    item = _graded(beside_a_right_one, tmp_path, cell, catalogue)
    assert (item.score, item.status) == (0, "no answer")
    assert said in item.text


LEAVES = {
    "SystemExit": "raise SystemExit(0)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "BaseException": "class Mine(BaseException): pass\nraise Mine('right')",
    "an exception whose text raises": (
        "class Mine(Exception):\n    def __str__(self): raise SystemExit(0)\n"
        "    __repr__ = __str__\nraise Mine"
    ),
}
PATCHES = {
    "builtins": """
import builtins
builtins.isinstance = builtins.callable = lambda *_: True
builtins.len = lambda _: 0
builtins.print = lambda *_: None
""",
    "the clock": """
import time
for name in ("time", "monotonic", "perf_counter", "process_time"):
    setattr(time, name, lambda: 0.0)
""",
    "pytest and hpml": """
import sys, types
judging = "hpml.course.lesson.exercises.judging"
for name in ("pytest", "_pytest", "hpml", "hpml.course.labs", judging):
    sys.modules[name] = types.ModuleType(name)
""",
    "the worker's own comparison": """
import sys
plain = sys.modules["hpml.course.sandbox.plain"]
plain.Opaque.__eq__ = plain.Array.__eq__ = lambda *_: True
""",
}
EQUAL = """
class Equal:
    __hash__ = None
    def __eq__(self, other): return True
"""
EQUALS = {
    "an object": (EQUAL, "Equal()"),
    "a subclass of int": ("class Equal(int):\n    __eq__ = lambda *_: True", "Equal(0)"),
    "a mock": ("import unittest.mock", "unittest.mock.ANY"),
}
WRONG: dict[str, tuple[str, str]] = {
    **{f"a call leaves by {what}": (_double(body), "raises") for what, body in LEAVES.items()},
    **{f"{what} patched": (_at_load(body, "0"), "") for what, body in PATCHES.items()},
    **{f"{what} equals everything": (_double(*cell), "") for what, cell in EQUALS.items()},
    "what failed while it was loaded is told": (
        _at_load("import sys\nsys.exit('bye')"), "In cell 1, line 5: SystemExit: bye"
    ),
    "the example by heart": ("def double(n):\n    return {2: 4}.get(n, 0)", "4 of 5 cases fail"),
    "a known mistake": ("def double(n):\n    return n * n", "It squares the number."),
}  # fmt: skip


@pytest.mark.parametrize("what", WRONG)
def test_what_claims_or_hides_a_result_is_wrong(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    cell, said = WRONG[what]
    item = beside_a_right_one(hand_in(tmp_path / "one", cell), names=["double"])["double"]
    assert item.score == 0
    assert item.status in ("wrong", "no answer")  # a worker may break by what it patched
    assert said in item.text


SEARCH = """
import gc, sys
held = []
frame = sys._getframe()
while frame is not None:
    held += [*frame.f_locals, *map(repr, frame.f_locals.values())]
    frame = frame.f_back
held += [repr(each)[:2000] for each in gc.get_objects() if type(each) in (dict, list, tuple, set)]
text = "".join(held)
# Looked for backwards, so that what is looked for is not found in the search itself.
if str(2 * n)[::-1] in text[::-1] and n > 2:
    return "the answer was here"
if any(name.startswith("hpml.course.labs") for name in sys.modules):
    return "the grader was here"
"""
ORPHANS = """
import os, signal, time
for _ in range(3 if n == 2 else 0):
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            os.chdir("/")
            os.environ.clear()
            while True:
                time.sleep(0.01)
        os._exit(0)
"""
STOPPED = """
import os, signal
if os.fork() == 0:
    os.setsid()
    os.kill(os.getpid(), signal.SIGSTOP)
    os._exit(0)
"""
THREADS = """
import threading, time
def for_ever():
    while True:
        time.sleep(0.001)
threading.Thread(target=for_ever).start()
"""
PLANTS = """
import os, pathlib, tempfile
for folder in (".", os.environ["HOME"], os.path.expanduser("~"), tempfile.gettempdir()):
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "hpml.py", "json.py"):
        pathlib.Path(folder, name).write_text("raise SystemExit(0)")
os.makedirs(f"locked{n}/in")
os.chmod(f"locked{n}", 0)
os.symlink("/", f"root{n}")
"""
DELETES = "import os, shutil\nshutil.rmtree(os.environ['HOME'], ignore_errors=True)"
HARMLESS = {
    "frames and the collector searched": _double(SEARCH),
    "the standard descriptors closed": _double("import os\nos.closerange(0, 3)"),
    "an import of the course beside it": (
        "from hpml.course import check, say\n\ndef double(n):\n    return 2 * n\n\ncheck(double)"
    ),
    "children that leave their session": _double(ORPHANS),
    "a stopped child": _double(STOPPED),
    "a fork that comes back from the call": _double("import os\nif os.fork() == 0: n = n + 1"),
    "threads that never end": _double(THREADS),
    "files that it plants": _double(PLANTS),
    "its home deleted": _double(DELETES),
    **{
        f"{what} while it is loaded": f"{_at_load(body)}\n\ndef double(n, helper=None):\n"
        "    return 2 * n"
        for what, body in LEAVES.items()
    },
}


@pytest.mark.parametrize("what", HARMLESS)
def test_what_reaches_only_itself_costs_nothing(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    # That no process and no file is left, the fixtures assert.
    folder = hand_in(tmp_path / "one", HARMLESS[what])
    item = beside_a_right_one(folder, PATIENT, names=["double"])["double"]
    assert item.status == "right", item.text


@pytest.mark.parametrize("who", ["-1", "os.getppid()"])
@pytest.mark.parametrize("number", ["SIGKILL", "SIGSTOP"])
def test_signals_reach_nobody_else(
    who: str, number: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    cell = _double(f"import os, signal\nos.kill({who}, signal.{number})")
    _graded(beside_a_right_one, tmp_path, cell)


def test_a_pickle_trap_is_not_opened(tmp_path: Path, beside_a_right_one: Graded) -> None:
    mark = tmp_path / "opened"
    body = f"""
class Trap:
    def __reduce__(self): return (open, ({str(mark)!r}, "w"))
    __getstate__ = __deepcopy__ = __copy__ = __reduce__
"""
    cell = _double(body, "[Trap(), b'cos\\nsystem\\n.']")
    item = _graded(beside_a_right_one, tmp_path, cell)
    assert (item.score, item.status) == (0, "wrong")
    assert not mark.exists()


def test_a_forbidden_module_is_found_in_the_source(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    item = _graded(beside_a_right_one, tmp_path, _double("import graphlib"))
    assert (item.score, item.status) == (0, "forbidden")
    assert "graphlib" in item.text
    assert "Write it yourself." in item.text


def test_what_makes_a_function_without_binding_it_is_read_as_well(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    helper = "import graphlib\ndef twice(n): return 2 * n"
    for cell, status in (("globals()['double'] = twice", "forbidden"), ("", "missing")):
        folder = hand_in(tmp_path / status, helper, cell)
        item = beside_a_right_one(folder, names=["double"])["double"]
        assert (item.score, item.status) == (0, status)


def test_a_hundred_megabytes_of_output_are_cut_and_cost_nothing(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    body = """
import os, sys
if n == 2:
    print("the first words")
    sys.stdout.flush()
    for _ in range(1600):
        os.write(1, b"x" * 2**16)
"""
    item = _graded(beside_a_right_one, tmp_path, _double(body), PATIENT)
    assert item.status == "right", item.text
    assert item.printed.startswith("the first words")
    assert item.printed.rstrip().endswith("more bytes]")
    assert len(item.printed) < 5000


def test_the_environment_does_not_tell_the_seed(tmp_path: Path, beside_a_right_one: Graded) -> None:
    item = _graded(beside_a_right_one, tmp_path, _double("import os\nprint(os.environ)"))
    assert item.status == "right"
    assert "'PYTHONHASHSEED'" in item.printed
    assert str(zlib.crc32(b"7")) not in item.printed


def test_what_steers_a_terminal_or_fits_no_encoding_is_spelt_out(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    signs = ["\\ud800", "\\x1b[2J", "\\u202e", "\\r", "\\x07"]
    what = "".join(signs)
    cell = _double(
        f"""
import sys
outcome = {{"outcome": "raised", "type": "A{what}", "bases": [], "message": "{what}", "line": ""}}
sys.modules["hpml.course.sandbox.serve"].Worker._outcome = lambda *_: outcome
print("{what}".encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
"""
    )
    item = _graded(beside_a_right_one, tmp_path, cell)
    assert what in item.text
    for text in (item.text, item.printed):
        assert all(each.isprintable() for each in text.replace("\n", ""))
