from __future__ import annotations

from tests.causes.shown import OwnedBy
from tests.instructions.kinds import EXPLAINED, Change, Followed, seen

FOLLOWED: Followed = {
    "Step through the picture: it fuses the loops, then repeats the last operation.": OwnedBy(
        "tests/browser/test_fusing.py", "test_each_step_fuses_more_until_arithmetic_is_the_bound"
    ),
    "First look at the gates: which one becomes a single graph?": seen(
        "08-38", r"decide, with its if +2 ", r"your one_graph +1 "
    ),
    "Then answer a question.": seen("08-38", "Predict: How many graphs do those five calls need"),
    "Compare it with `one_loop`.": seen("08-44", r"for\(", r"Vectorized<float>", r"tmp9\.store\("),
    "Compare its two rows with each other only.": seen(
        "ahead-of-time", r"torch.compile +[\d.]+ s", r"AOTInductor +[\d.]+ s"
    ),
    "With `AGAIN = True` the cell measures later calls here.": Change(
        "ahead-of-time", "AGAIN = False", "AGAIN = True", r"ahead of time +[\d.]+ [nµm]s"
    ),
    "Write the number of an experiment into the cell and run it.": EXPLAINED,
}
