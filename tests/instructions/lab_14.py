from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import torch

from hpml.course import runtimes
from tests.causes.shown import OwnedBy
from tests.instructions.kinds import (
    ADVICE,
    EXPLAINED,
    NEXT_CELL,
    NONE,
    Change,
    Followed,
    seen,
)


def the_file_is_one_that_netron_opens() -> None:
    """`save` writes what `onnx` reads, and the environment has the command `netron`."""
    import onnx

    exported = runtimes.export_onnx(torch.nn.Linear(2, 2), torch.rand(1, 2))
    with tempfile.TemporaryDirectory() as folder:
        exported.save(Path(folder, "convnext.onnx"))
        assert onnx.load(Path(folder, "convnext.onnx")).graph.node
    assert shutil.which("netron", path=str(Path(sys.executable).parent))


SMALLER = "Replace 256 by 32 in this section's cells and run them again"
FOLLOWED: Followed = {
    "A new character needs of them only the keys and values in each block, the **KV cache**.": NONE,
    "In the loop each new character becomes an earlier one, and `generate` appends its keys and "
    "values to the cache.": NONE,
    "To run it elsewhere, save its graph.": NEXT_CELL,
    'The file opens in **Netron**, a viewer in the browser: `exported.save("convnext.onnx")`, '
    "then `netron convnext.onnx`.": the_file_is_one_that_netron_opens,
    "With `training=False` one `Conv` is left: try it.": Change(
        "14-07", "training=True", "training=False", r"1 operator\b|1 operators|Conv +1\n *\n? *$"
    ),
    "RTen, a runtime written in Rust, advises: compare with optimisation on and off, and with "
    "different numbers of threads.": seen(
        "14-11", "ONNX Runtime, off: ", "ONNX Runtime, all: ", "ONNX Runtime, all, 2 threads: "
    ),
    "So measure again before you claim that one is slower.": ADVICE,
    "- **Quantisation-aware training**: train further with simulated rounding; the weights adapt "
    "to it.": NONE,
    "Choose a larger outlier: what becomes of the others?": OwnedBy(
        "tests/browser/test_ruler.py",
        "test_a_larger_outlier_is_chosen_by_mouse_and_by_keyboard_and_costs_the_others",
    ),
    "Add up those that leave the loop.": (
        seen("14-34", r"Linear_1 +\d+ +yes", r"Linear_3 +\d+ +no", r"whole step +\d+"),
        seen("14-35", r"Predicted saving: \d+ % of a step"),
    ),
    f"{SMALLER}: for smaller layers, calls are a larger share of the time.": (
        Change("14-27", "256", "32", in_place=True),
        Change("14-32", "256", "32", "Evaluated once: ", in_place=True),
    ),
    "`similar` compares queries with keys, one after another.": NONE,
    "Compare eager and ONNX Runtime with all optimisations, for one image and one thread.": (
        seen("14-11", "eager: ", "ONNX Runtime, all: ")
    ),
    "Write the number of an experiment into the cell and run it.": EXPLAINED,
}
