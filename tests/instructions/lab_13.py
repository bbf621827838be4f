from __future__ import annotations

from tests.instructions.kinds import ADVICE, EXPLAINED, Followed, seen

FOLLOWED: Followed = {
    "So **make the argument harmless before the operation**: `x.clamp(max=-2)` never comes near "
    "0.": ADVICE,
    "Compare the spread of one activation with the distances between them.": seen(
        "13-39", r"GELU: [\d., ]+ %; HardSwish: [\d., ]+ %; ReLU: [\d., ]+ %; FastSwish: [\d., ]+ %"
    ),
    "Write an experiment's number into the cell and run it.": EXPLAINED,
}
