from __future__ import annotations

import os
from unittest import mock

from hpml.base.environment import flag
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import ADVICE, EXPLAINED, Change, Followed, seen


def the_variable_switches_the_compiler_on() -> None:
    """The cell reads `HPML_FULL`, which a command before `make lab` passes on."""
    for value, on in (("1", True), ("", False)):
        with mock.patch.dict(os.environ, HPML_FULL=value):
            assert flag("HPML_FULL") is on


FOLLOWED: Followed = {
    "Move the slider: from which scale on is the step skipped?": OwnedBy(
        "tests/browser/test_float16_line.py",
        "test_a_larger_scale_moves_gradients_from_one_end_of_float16_to_the_other",
    ),
    "It takes part if you write `COMPILE = True` in the cell, or start the lab with "
    "`HPML_FULL=1 make lab`.": (
        Change(
            "12-34",
            'COMPILE = flag("HPML_FULL")',
            "COMPILE = True",
            r"torch\.compile +145\.69 s +(?!–)[\d.]+ m?s",
        ),
        the_variable_switches_the_compiler_on,
    ),
    "- Compare ratios only: network, pictures and machine are different.": seen(
        "12-34", r"ratio, published +ratio, here"
    ),
    "A count is not a time: compare the two results.": seen(
        "12-37", r"small ConvNeXt +\d+ +\d+ +\d+%", r"toy ResNet +\d+ +\d+ +\d+%", "times as long"
    ),
    "Look at the published accuracies once more.": seen(
        "12-34", "accuracy, published", r"46\.53 %", r"47\.86 %"
    ),
    "Write the number of an experiment into the cell and run it.": EXPLAINED,
    "Train each recipe with the same set of seeds, and look at the spread between seeds before you "
    "believe a difference.": ADVICE,
}
