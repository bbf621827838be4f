from __future__ import annotations

import inspect

from hpml.course.labs.lab_01_dynamic_typing import types
from tests.instructions.kinds import (
    CHALLENGED,
    EXPLAINED,
    NEXT_CELL,
    NONE,
    THINK,
    Followed,
    Moved,
    seen,
)


def the_source_of_written_fits_on_one_screen() -> None:
    """`types.Written??` shows the source of the class, of at most 45 lines."""
    assert len(inspect.getsource(types.Written).splitlines()) <= 45


THINGS = (
    Moved("01-08", {"thing": "a large int"}, "4 digits"),
    Moved("01-08", {"thing": "a list"}, "ob_item"),
    Moved("01-08", {"thing": "a tensor"}, "torch.Tensor|C\\+\\+|storage"),
)
FOLLOWED: Followed = {
    "In this lab you look in memory at what is stored for that purpose, measure what it costs, and "
    "see what it makes possible.": NONE,
    "Now look at other types.": THINGS,
    "First predict how many references point to the list; the call itself holds "
    "one more, which the cell subtracts.": seen("01-08", "references to the list: 4"),
    "Then find out: how is an int of more than 30 bits stored?": THINGS,
    "Read the type of `a` and find its addition function there; if needed, also that of `b`.": NONE,
    "Call it.": NONE,
    "Take both numbers out of their objects.": NONE,
    "**Add them.**": NONE,
    "Make a new object: allocate it, and write type, count and result into it.": NONE,
    "Find the numbers that you need in another cell and write them down; you may give them names, "
    "as in `EMPTY = sys.getsizeof([])`.": seen("01-21", "✓ list_bytes: right"),
    "Compare your formula with the measurement.": seen(
        "01-38", r"as measured +[\d.,–]+", r"by your formula +[\d.,–]+"
    ),
    "**Choose for yourself.": THINK,
    "Choose one of four operations and a number of elements, n; the picture shows every variant.": (
        Moved("01-40", {"operation": "sqrt(a)", "size": 1_000}, r"sqrt\(a\), n = 1,000"),
        Moved("01-40", {"operation": "sum of a", "size": 1}, "sum of a, n = 1"),
    ),
    "Before you choose, predict what will happen:": THINK,
    "Now call your function with the same values and with `types.Written`, which records "
    "operations as text.": seen("01-52", r"written +Written +", r"a string +str +TypeError"),
    "Write its number in place of `None` and run the cell.": EXPLAINED,
    "Write `yours` so that it returns an equal list for any list of floats.": CHALLENGED,
}
ALSO: Followed = {
    "`types.Written??` shows its source, which fits on one screen.": (
        the_source_of_written_fits_on_one_screen
    ),
    "The next cells call the *same* function `add_loop` with NumPy arrays instead of lists.": (
        NEXT_CELL
    ),
}
