from __future__ import annotations

from tests.instructions.kinds import EXPLAINED, NONE, Change, Followed, seen

FOLLOWED: Followed = {
    "Now run your function on the leak.": seen("03-24", "Trainer", "list"),
    "Take 2,048 examples in place of 64, and run the cell again.": Change(
        "03-27",
        '"setup"](64, ',
        '"setup"](2048, ',
        r"backward: at most 4[67]\.\d MiB.*AddmmBackward0, backward.*aten::relu, forward",
    ),
    "A large array that is allocated and freed *within* a line usually does not appear: compare "
    "the last line with the snapshot.": (
        seen("03-27", r"aten::mul, update +\d"),
        seen("03-27d", r"305\.\d+ MiB\s+5\s+loss\.backward"),
    ),
    "So the cell first trains two steps unprofiled (printed: step, loss).": NONE,
    "Now compare your prediction with the hooks, on four networks.": seen(
        "03-51", r"lecture: ([\d.]+ KiB); yours: \1", r"trained: ([\d.]+ KiB); yours: \1"
    ),
    "Write the number of an experiment into the cell and run it.": EXPLAINED,
}
