from __future__ import annotations

import contextlib
import io

from hpml import cli
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import CHALLENGED, EXPLAINED, Change, Followed, Nothing


def the_command_has_both_devices() -> None:
    """The suite's own help names `cuda` and `mps` for `--device`."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        assert cli.main(["bench", "toy-resnet", "--help"]) == 0
    (line,) = [line for line in said.getvalue().splitlines() if "--device DEVICE  " in line]
    assert "cuda" in line
    assert "mps" in line


FOLLOWED: Followed = {
    "Click on a cell of the map; then the arrow keys go to its neighbours.": OwnedBy(
        "tests/browser/test_launch_explorer.py",
        "test_a_pair_of_times_is_chosen_by_mouse_and_by_keyboard",
    ),
    "Choose before you go on: write the number of an experiment into the cell and run it.": (
        EXPLAINED
    ),
    "**Going further: run it yourself.": Nothing("it is a heading"),
    "In the cell that calls `toy_resnet.run`, make `[16, 32, 128]` its first argument, or set "
    '`ways = ["inlined"]`, and run it again.': (
        Change("11-25", "toy_resnet.run(", "toy_resnet.run([16, 32, 128], ", "128 pixels"),
        Change(
            "11-25",
            "ways, rounds = resnet.ways(device_name, compiled=compiled), 7",
            'ways, rounds = ["inlined"], 7',
            "inlined, here",
        ),
    ),
    "In a terminal, run `hpml bench toy-resnet --device cuda`, or `mps` on a Mac.": (
        the_command_has_both_devices
    ),
    "Write `yours` so that it returns the same list for any number of networks.": CHALLENGED,
}
