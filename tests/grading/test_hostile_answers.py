"""Submissions that fight for points: forged answers, and changes to what the worker uses.

What they reach is their own process. What they say of a result is judged by someone else.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from hpml.grading.reports.report import Item
from tests.grading.handed_in import CATALOGUE, EXPLANATION, PATIENT, TOTAL, hand_in

Graded = Callable[..., dict[str, Item]]


def _double(body: str, result: str = "2 * n") -> str:
    """Return a `double` that does this in each call."""
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"def double(n):\n{lines}\n    return {result}"


def _at_load(body: str, result: str = "2 * n") -> str:
    lines = "\n".join(f"    {line}" for line in body.strip().splitlines())
    return f"def attack():\n{lines}\n\ndef double(n, _=attack()):\n    return {result}"


def _graded(graded: Graded, tmp_path: Path, cell: str, catalogue: str = CATALOGUE) -> Item:
    items = graded(hand_in(tmp_path / "one", cell, TOTAL, EXPLANATION), catalogue)
    assert items["total"].status == "right", items["total"].text
    assert items["explanation"].status == "right"
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
    "no object": b"[1, 2]\n",
    "an answer to no question": b'{"id": "0", "outcome": {"outcome": "returned", "value": 4}}\n',
    "points": b'{"item": {"earned": 100, "status": "right"}, "done": true}\n',
    "bytes that are no text": b"\xff\xfe\x00\n",
    "nested too deep": b"[" * 10_000 + b"\n",
}


@pytest.mark.parametrize("what", FORGERIES)
def test_a_forged_result_on_every_descriptor_is_not_believed(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    body = FORGED.replace("FORGERY", repr(FORGERIES[what]))
    item = _graded(beside_a_right_one, tmp_path, _double(body, "0"))
    assert (item.earned, item.status) == (0, "no answer")
    assert "garbled" in item.text


def test_an_answer_that_never_ends_is_cut(tmp_path: Path, beside_a_right_one: Graded) -> None:
    body = """
import os
while True:
    for descriptor in range(200, 210):
        try:
            os.write(descriptor, b"x" * 60000)
        except OSError:
            pass
"""
    item = _graded(beside_a_right_one, tmp_path, _double(body, "0"))
    assert (item.earned, item.status) == (0, "no answer")


def test_long_answers_are_refused_before_judging_them_takes_minutes(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    # Each is shorter than the limit; five of them are not, and the second is the last one taken.
    cell = _double("return list(range(600_000)) if n > 2 else 4")
    item = _graded(beside_a_right_one, tmp_path, cell, catalogue=PATIENT)
    assert (item.earned, item.status) == (0, "no answer")
    assert "4 of 5 cases fail" in item.text


def test_an_outcome_of_its_own_making_is_judged_like_any_other(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    body = """
import sys
serve = sys.modules["hpml.sandbox.serve"]
serve.Worker._outcome = lambda *_: {"outcome": "right", "points": 100}
"""
    item = _graded(beside_a_right_one, tmp_path, _at_load(body))
    assert (item.earned, item.status) == (0, "no answer")
    assert "garbled" in item.text


@pytest.mark.parametrize("low", [0, 3])
def test_closing_descriptors_costs_its_own_exercise_at_most(
    low: int, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    item = _graded(beside_a_right_one, tmp_path, _double(f"import os\nos.closerange({low}, 1000)"))
    assert (item.earned, item.status) == (0, "no answer")
    assert "ended" in item.text


def test_closing_the_standard_descriptors_costs_nothing(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    item = _graded(beside_a_right_one, tmp_path, _double("import os\nos.closerange(0, 3)"))
    assert item.status == "right", item.text


LEAVES = {
    "SystemExit": "raise SystemExit(0)",
    "sys.exit": "import sys\nsys.exit(0)",
    "KeyboardInterrupt": "raise KeyboardInterrupt",
    "BaseException": "class Mine(BaseException): pass\nraise Mine('right')",
    "an exception whose text raises": (
        "class Mine(Exception):\n    def __str__(self): raise SystemExit(0)\n"
        "    __repr__ = __str__\nraise Mine"
    ),
    "an exception group": "raise ExceptionGroup('all', [ValueError()])",
}


@pytest.mark.parametrize("what", LEAVES)
def test_whatever_a_call_raises_is_an_outcome(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    item = _graded(beside_a_right_one, tmp_path, _double(LEAVES[what]))
    assert (item.earned, item.status) == (0, "wrong")
    assert "raises" in item.text


@pytest.mark.parametrize("what", LEAVES)
def test_whatever_loading_raises_spoils_only_its_statement(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    cell = _at_load(LEAVES[what]) + "\n\ndef double(n, helper=None):\n    return 2 * n"
    assert _graded(beside_a_right_one, tmp_path, cell).status == "right"


def test_what_failed_while_it_was_loaded_is_told(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    item = _graded(beside_a_right_one, tmp_path, _at_load("import sys\nsys.exit('bye')"))
    assert (item.earned, item.status) == (0, "wrong")
    assert "In cell 1, line 5: SystemExit: bye" in item.text


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
    "pytest": """
import sys, types
sys.modules["pytest"] = sys.modules["_pytest"] = types.ModuleType("pytest")
""",
    "hpml": """
import sys, types
for name in ("hpml", "hpml.labs", "hpml.course.exercises", "hpml.course.exercises.judging"):
    sys.modules[name] = types.ModuleType(name)
""",
    "the worker's own comparison": """
import sys
plain = sys.modules["hpml.sandbox.plain"]
plain.Opaque.__eq__ = plain.Array.__eq__ = lambda *_: True
""",
}


@pytest.mark.parametrize("what", PATCHES)
def test_patches_reach_no_verdict(what: str, tmp_path: Path, beside_a_right_one: Graded) -> None:
    assert _graded(beside_a_right_one, tmp_path, _at_load(PATCHES[what], "0")).earned == 0


EQUAL = """
class Equal:
    __hash__ = None
    def __eq__(self, other): return True
    def __ne__(self, other): return False
"""
EQUALS = {
    "an object": (EQUAL, "Equal()"),
    "a subclass of int": ("class Equal(int):\n    __eq__ = lambda *_: True", "Equal(0)"),
    "a float": ("pass", "float(2 * n)"),
    "a bool": ("pass", "True"),
    "a mock": ("import unittest.mock", "unittest.mock.ANY"),
}


@pytest.mark.parametrize("what", EQUALS)
def test_what_equals_everything_is_not_right(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    body, result = EQUALS[what]
    item = _graded(beside_a_right_one, tmp_path, _double(body, result))
    assert (item.earned, item.status) == (0, "wrong")


def test_a_pickle_trap_is_not_opened(tmp_path: Path, beside_a_right_one: Graded) -> None:
    mark = tmp_path / "opened"
    body = f"""
class Trap:
    def __reduce__(self): return (open, ({str(mark)!r}, "w"))
    __getstate__ = __deepcopy__ = __copy__ = __reduce__
"""
    item = _graded(beside_a_right_one, tmp_path, _double(body, "[Trap(), b'cos\\nsystem\\n.']"))
    assert (item.earned, item.status) == (0, "wrong")
    assert not mark.exists()


def test_a_changed_argument_is_seen(tmp_path: Path, beside_a_right_one: Graded) -> None:
    cell = "def total(numbers):\n    found = sum(numbers)\n    numbers.clear()\n    return found"
    items = beside_a_right_one(hand_in(tmp_path / "one", cell))
    assert items["total"].parts == {"right": 0, "empty": 1}
    assert items["total"].status == "partly right"
    assert "changed its argument `numbers`" in items["total"].text


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
if any(name.startswith("hpml.labs") for name in sys.modules):
    return "the grader was here"
"""


def test_frames_and_the_collector_hold_no_answer(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    item = _graded(beside_a_right_one, tmp_path, _double(SEARCH), catalogue=PATIENT)
    assert item.status == "right", item.text


def test_the_graders_own_modules_cannot_be_imported(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    body = "from hpml.labs.catalogue import find"
    item = _graded(beside_a_right_one, tmp_path, _double(body))
    assert item.earned == 0
    assert "No module named 'hpml.labs'" in item.text


def test_an_import_in_the_cell_of_a_right_answer_costs_nothing(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    cell = "from hpml.labs import check, say\n\ndef double(n):\n    return 2 * n\n\ncheck(double)"
    assert _graded(beside_a_right_one, tmp_path, cell).status == "right"


def test_a_forbidden_module_is_found_in_the_source(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    item = _graded(beside_a_right_one, tmp_path, _double("import graphlib"))
    assert (item.earned, item.status) == (0, "forbidden")
    assert "graphlib" in item.text
    assert "Write it yourself." in item.text


def test_the_visible_example_by_heart_is_not_enough(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    item = _graded(beside_a_right_one, tmp_path, "def double(n):\n    return {2: 4}.get(n, 0)")
    assert (item.earned, item.status) == (0, "wrong")


def test_a_known_mistake_is_named(tmp_path: Path, beside_a_right_one: Graded) -> None:
    item = _graded(beside_a_right_one, tmp_path, "def double(n):\n    return n * n")
    assert "It squares the number." in item.text


def test_a_hundred_megabytes_of_output_are_cut_and_cost_nothing(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    body = """
import os, sys, warnings
if n == 2:
    print("the first words")
    sys.stdout.flush()
    for _ in range(1600):
        os.write(1, b"x" * 2**16)
    warnings.warn("a warning")
    print("the last words", file=sys.stderr, flush=True)
"""
    item = _graded(beside_a_right_one, tmp_path, _double(body), catalogue=PATIENT)
    assert item.status == "right", item.text
    assert item.printed.startswith("the first words")
    assert item.printed.rstrip().endswith("the last words")
    assert "bytes left out" in item.printed
    assert len(item.printed) < 5000


def test_files_that_it_plants_or_deletes_are_its_own(
    tmp_path: Path, beside_a_right_one: Graded
) -> None:
    plants = """
import os, pathlib, tempfile
for folder in (".", os.environ["HOME"], os.path.expanduser("~"), tempfile.gettempdir()):
    for name in ("conftest.py", "sitecustomize.py", "usercustomize.py", "hpml.py", "json.py"):
        pathlib.Path(folder, name).write_text("raise SystemExit(0)")
os.makedirs(f"locked{n}/in")
os.chmod(f"locked{n}", 0)
os.symlink("/", f"root{n}")
"""
    deletes = """
def total(numbers):
    import os, shutil
    shutil.rmtree(os.environ["HOME"], ignore_errors=True)
    return sum(numbers)
"""
    items = beside_a_right_one(hand_in(tmp_path / "one", _double(plants), deletes))
    assert items["double"].status == "right", items["double"].text
    assert items["total"].status == "right", items["total"].text


def test_the_environment_does_not_tell_the_seed(tmp_path: Path, beside_a_right_one: Graded) -> None:
    body = "import os\nprint(os.environ)"
    item = _graded(beside_a_right_one, tmp_path, _double(body))
    assert item.status == "right"
    assert "'PYTHONHASHSEED'" in item.printed
    assert str(zlib.crc32(b"7")) not in item.printed


@pytest.mark.parametrize("what", ["\\ud800", "\\x1b[2J", "\\u202e", "\\r", "\\x07"])
def test_what_steers_a_terminal_or_fits_no_encoding_is_spelt_out(
    what: str, tmp_path: Path, beside_a_right_one: Graded
) -> None:
    cell = _at_load(
        f"""
import sys
outcome = {{"outcome": "raised", "type": "A{what}", "bases": [], "message": "{what}", "line": ""}}
sys.modules["hpml.sandbox.serve"].Worker._outcome = lambda *_: outcome
print("{what}".encode("utf-8", "surrogatepass").decode("utf-8", "replace"))
"""
    )
    item = _graded(beside_a_right_one, tmp_path, cell)
    assert what in item.text
    for text in (item.text, item.printed):
        assert all(each.isprintable() for each in text.replace("\n", ""))
