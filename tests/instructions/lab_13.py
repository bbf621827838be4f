from __future__ import annotations

from tests.causes.shown import OwnedBy
from tests.instructions.kinds import ADVICE, EXPLAINED, Followed, seen

FOLLOWED: Followed = {
    "Choose one of them: which piece makes it?": OwnedBy(
        "tests/browser/test_gradient_flow.py",
        "test_a_gradient_is_chosen_by_mouse_and_by_keyboard_and_its_piece_is_named",
    ),
    "So **make the argument harmless before the operation**: `x.clamp(max=-2)` never comes near "
    "0.": ADVICE,
    "Compare the spread of one activation with the distances between them.": seen(
        "13-39", r"GELU: [\d., ]+ %; HardSwish: [\d., ]+ %; ReLU: [\d., ]+ %; FastSwish: [\d., ]+ %"
    ),
    "Write an experiment's number into the cell and run it.": EXPLAINED,
}
