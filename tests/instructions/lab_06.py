from __future__ import annotations

from tests.causes.shown import OwnedBy
from tests.instructions.kinds import EXPLAINED, NEXT_CELL, NONE, Followed, Moved, Nothing, seen

PLAYED = OwnedBy(
    "tests/browser/test_instructions.py",
    "test_after_a_click_on_the_player_space_plays_and_the_arrows_step",
)
SCORED = OwnedBy(
    "tests/course/labs/test_scoreboard.py",
    "test_a_change_gets_a_row_and_a_repetition_replaces_its_own",
)
FOLLOWED: Followed = {
    "Step through both executions in the player: lazy on the left, with its open requests, and the "
    "precomputed order on the right.": PLAYED,
    "Click on the player; then Space plays and the arrow keys step.": PLAYED,
    "Then choose the chain: how long does its list of open requests become?": Moved(
        "06-13", {"graph": "chain"}, "n1 asks for x"
    ),
    "Read from the right.": seen("06-19", "Four diamonds, pulled from the right", "join4"),
    "One dictionary is enough: look there first, and store there what you compute.": NEXT_CELL,
    "Move both sliders.": (
        Moved("06-28", {"diamonds": 5}, "5 diamonds, memory: False, 93 executions"),
        Moved("06-28", {"diamonds": 5, "memory": True}, "5 diamonds, memory: True, 15 executions"),
    ),
    "Keep a list of the waiting values yourself.": Nothing("what exercise 06.2 then asks for"),
    "Read the steps for the tiny graph from top to bottom:": seen(
        "06-45", r"1 +sum +sum needs double, square", r"7 +sum +sum is known: off the stack"
    ),
    "A dictionary keeps the order in which its keys were inserted, so the memory of one lazy run "
    "*is* a topological order.": NONE,
    "Look at the distance between `lazy` and `ordered`, and at the bands.": seen(
        "06-88", r"lazy: [\d.]+ [mµ]s", r"ordered: [\d.]+ [mµ]s"
    ),
    "Your two functions are an **engine**: give it something real, the transformer's block of lab "
    "05.": NEXT_CELL,
    "Change a function, check it and run this cell again: the new version gets a row of its own.": (
        SCORED
    ),
    "Now put the model on a server with two users, a thread each.": NEXT_CELL,
    "Choose before you go on: write the number of an experiment into the cell and run it.": (
        EXPLAINED
    ),
}
