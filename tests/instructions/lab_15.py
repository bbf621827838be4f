from __future__ import annotations

import contextlib
import linecache
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

from hpml.course.labs.catalogue import find
from hpml.course.labs.lab_15_capstone import student_script
from hpml.course.lesson.exercises.check import check_exercise
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import ADVICE, EXPLAINED, NONE, THINK, Change, Followed, seen

FREE = seen("15-16", r"cosines +[\d.]+", r"train, its own +[\d.]+|standardise +[\d.]+")
CLAIM = 'EXPECTED = None  # such as 1.2: times as fast as the version before\nBECAUSE = ""'
CLAIMED = 'EXPECTED = 1.5\nBECAUSE = "swish has 18 % of the profile" or ""'


@contextlib.contextmanager
def _results() -> Any:
    with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, HPML_RESULTS=folder):
        yield Path(folder)


def the_script_is_put_into_a_cell_where_train_passes_its_check() -> None:
    """`PASTE = True`: the text of the next input, executed and checked."""
    shell = mock.Mock()
    with _results(), mock.patch.object(student_script, "notebook_shell", return_value=shell):
        student_script.into_next_cell(student_script.own_script("Ada"))
    (source,) = shell.set_next_input.call_args.args
    linecache.cache["<pasted>"] = (len(source), None, source.splitlines(True), "<pasted>")
    cell: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(source, "<pasted>", "exec"), cell)
    assert check_exercise(find("train"), cell["train"]).right


def the_script_runs_on_its_own() -> None:
    """`python slow_....py`, in a process of its own."""
    with _results():
        path = student_script.own_script("Ada").path
        ran = subprocess.run(
            [sys.executable, path.name],
            cwd=path.parent,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr


PASTED = the_script_is_put_into_a_cell_where_train_passes_its_check
FOLLOWED: Followed = {
    "Find the faults, fix them, and prove with measurements what each fix gained.": NONE,
    'Write your name between the quotes, and choose `"network"` or `"transformer"`.': Change(
        "15-04",
        '"your name"',
        '"Ada"',
        r"slow_network_\d+\.py, seed \d+",
    ),
    "Read it, starting with `train`, as if you were reviewing a colleague's work.": seen(
        "15-04", r"def train\(signals, labels, width, epochs, batch_size, rate, seed\)"
    ),
    "Predict first, by counting.": seen("operators", r"select +\d+"),
    "In the picture the width of a function is roughly its time (`cProfile` stores no call paths); "
    "click to open one.": OwnedBy(
        "tests/browser/test_icicle.py",
        "test_a_profile_is_shown_below_its_cell_and_opened_again_without_a_kernel",
    ),
    "Predict first, from the shares above.": seen("15-10", r"cosines +\d+%"),
    "Take the fixes in the order of what they can gain.": FREE,
    "If an interval contains 1, you do not know yet whether the change helps: close other programs "
    "and run the cell again.": ADVICE,
    "Compare what the script computes with what its task requires.": THINK,
    "Sort the functions by the largest gain that each can give.": FREE,
    "For each, ask: how many operators does it call for one batch?": THINK,
    "Change one line, and any other that complains.": THINK,
    "Run the next cell.": OwnedBy(
        "tests/browser/test_labs.py", "test_a_lab_runs_from_the_menu_without_an_error"
    ),
    "In the cell after it, set `PASTE` to `True` once: this puts the script into a new cell "
    "below.": (
        PASTED,
        Change("15-21", "PASTE = False", "PASTE = True"),
    ),
    "Work there: the last definition of `train` counts.": (
        PASTED,
        OwnedBy(
            "tests/course/grading/test_course.py",
            "test_right_solutions_graded_side_by_side_earn_full_points",
        ),
    ),
    "Pass the shares to `speed_up`: what can the next fix gain?": Change(
        "shares-now",
        "shares_now = script.shares(now)",
        'print("free:", speed_up(script.shares(now), {"grad": math.inf}))\n'
        "shares_now = script.shares(now)",
        r"free: [\d.]+",
    ),
    "Fix, then run that cell and the one after it.": (
        Change("15-25", CLAIM, CLAIMED, r"table, and my next fix: [\d.]+"),
        seen("15-26", r"swish has 18 % of the profile"),
    ),
    "Compare the last row's last column with the product of all measured gains.": seen(
        "15-26", r"fix +because +claimed +measured +claim +autograd keeps +total\n"
    ),
    "Write the number of an experiment into the cell and run it, before you go on.": EXPLAINED,
    "The fix is the same: read late, and read all at once.": ADVICE,
    "Answer them once more; then the table shows what changed, and where each answer comes "
    "from.": Change(
        "15-ten-code", 'MY_ANSWERS = ""', 'MY_ANSWERS = "abc-abcabc"', r"right +see lab"
    ),
    "Keep the order of work: profile, predict, fix one thing, measure in interleaved rounds, check "
    "that the result is the same.": ADVICE,
}
ALSO: Followed = {
    "The code at its end generates a data set, so the script also runs on its own: "
    "`python slow_....py` takes seconds.": the_script_runs_on_its_own,
    "`python -m hpml.course.labs.lab_15_capstone.fixes results_*.jsonl` makes one table, by "
    "ratio, from the files of a class, on any machine.": OwnedBy(
        "tests/course/labs/lab_15/test_helpers.py",
        "test_who_cannot_be_told_apart_shares_a_rank",
    ),
}
