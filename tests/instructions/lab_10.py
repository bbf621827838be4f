from __future__ import annotations

import tempfile
from pathlib import Path

from hpml.benchmark import compare
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import (
    ADVICE,
    CHALLENGED,
    EXPLAINED,
    NEXT_CELL,
    Change,
    Followed,
    Moved,
    seen,
)

FILLED = OwnedBy(
    "tests/course/labs/lab_10/test_helpers.py", "test_an_honest_claim_has_all_of_its_parts"
)
GAPS = """\
claim = (
    "NumPy is ... times as fast as sum (95 % interval ... to ...), on ... numbers that are in an "
    "array already, in ... interleaved rounds of ... process, with the garbage collector ..., "
    "Python ... on ..."
)"""
FILLED_IN = """\
import platform
ratio = squares.ratio("NumPy", "sum").inverse
claim = (
    f"NumPy is {ratio.value:.3g} times as fast as sum (95 % interval {ratio.low:.6g} to "
    f"{ratio.high:.6g}), on {len(numbers)} numbers that are in an array already, in "
    f"{squares.rounds} interleaved rounds of one process, with the garbage collector off, "
    f"Python {platform.python_version()} on {squares['NumPy'].environment['cpu']}"
)"""


def five_processes_are_saved_for_pyperf() -> None:
    """`save` of a comparison in several processes, read by `pyperf`."""
    import pyperf

    found = compare({"one": "1 + 1", "two": "2 + 2"}, processes=2, rounds=3, min_sample_time=1e-5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "seeds.json")
        found.save(path)
        assert len(pyperf.BenchmarkSuite.load(str(path)).get_benchmarks()) == 2


FOLLOWED: Followed = {
    "So find the place with a profile; then benchmark before and after the change.": ADVICE,
    "Choose a situation.": (
        Moved("10-27", {"situation": "modes"}, "modes: minimum"),
        Moved("10-27", {"situation": "drift"}, "drift: minimum"),
    ),
    "Call the first thirty A and the last thirty B, as if measured **one after the other**.": (
        NEXT_CELL
    ),
    "Sort the 25 quotients a/b and drop seven at each end (of 25, a winner of 18 loses seven).": (
        NEXT_CELL
    ),
    "Now choose the noise yourself.": (
        Moved("10-43", {"difference": 0.0, "noise": "outliers"}, r"minimum: \d+ % right"),
        Moved(
            "10-43",
            {"difference": 0.0, "order": "one after the other", "noise": "drift of 10 %"},
            r"library: +\d+ % right",
        ),
    ),
    "Find a difference that the t-test misses and the paired rules detect.": Moved(
        "10-43",
        {"difference": 0.05, "noise": "drift of 100 %"},
        r"t-test: \d{1,2} % right.*coin tosses: (?:[6-9]\d|100) % right",
    ),
    "So choose the **baseline** before you measure:": ADVICE,
    '`five.save("seeds.json")` writes a file for `python -m pyperf stats`.': (
        five_processes_are_saved_for_pyperf
    ),
    "Fill in the gaps.": (
        FILLED,
        Change("10-48", GAPS, FILLED_IN, r"the ratio .* ✓\n[^✗]*the machine .* ✓"),
    ),
    "Add what is missing.": (
        FILLED,
        seen("10-engine-code", r"the programs compared +my engine and Sequential +✓", "missing"),
    ),
    "Choose before you go on: write the number of an experiment into the cell and run it.": (
        EXPLAINED
    ),
    "Write `yours`, so that it returns the same for any list of floats that is not empty.": (
        CHALLENGED
    ),
}
