from __future__ import annotations

from tests.causes.shown import OwnedBy
from tests.instructions.kinds import CHALLENGED, EXPLAINED, NONE, Followed, Moved, seen

FOLLOWED: Followed = {
    "In this lab you write such a program, and find out what it is worth.": NONE,
    "Look for the instructions that *find* the layer, before the call.": seen(
        "07-08", r"by_attribute +by_index +by_loop", r"LOAD_(?:METHOD|ATTR) layer", "FOR_ITER"
    ),
    "Read it once with a pencil.": seen(
        "07-48", r"for layer in l\[0:10\]", r"h09", r"l\[21\]", r"l\[22\]", "identical"
    ),
    "Change the loop length: which changes more, the number of instructions in the source or the "
    "number executed?": (
        OwnedBy(
            "tests/browser/test_code_view.py",
            "test_the_execution_and_the_loop_length_are_chosen",
        ),
        Moved(
            "07-51",
            {"loops": "no loops"},
            r"no loops.*source of \d+ lines, \d+ bytecode instructions. One forward executes \d+",
        ),
    ),
    "Its layers for query, key and value have one parent.": NONE,
    "In section 4's upper table, look at the time per layer of the frozen kernel.": seen(
        "07-85", r"numba-frozen, time per layer +[\d.]+ [nµ]s"
    ),
    "Write a forward of these 250 layers that returns the same numbers, but for rounding, "
    "**twice** as fast as the loop.": CHALLENGED,
    "Choose the experiment before you go on: write its number into the cell and run it.": EXPLAINED,
}
