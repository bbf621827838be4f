"""The same training in one process and in two, as ``torchrun`` starts them."""

from __future__ import annotations

import json
import os
import subprocess
import sys

from hpml.base.environment import quick
from hpml.base.page import Page, say
from hpml.base.tables import Table, format_seconds

SCRIPT = """\
import json, os, torch
from hpml.datasets import digits
from hpml.labs.lab_12_training.networks import network
from hpml.training import RECIPES, train

torch.set_num_threads(1)
data = digits()
result = train(network(data), data, RECIPES["vanilla"], epochs=1, device="cpu")
if os.environ.get("RANK", "0") == "0":
    print(json.dumps([result.losses, result.seconds]))
"""


def two_processes() -> Table | Page:
    """Train the digits for an epoch in one process and in two; return losses and time of both."""
    if quick():
        return say("A short run leaves the two processes out.")
    torchrun = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    script = ["-c", SCRIPT]
    two = [*torchrun, "--no-python", sys.executable, *script]
    starts = {"one process": script, "two, by torchrun": two}
    rows: list[list[object]] = []
    for name, arguments in starts.items():
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        ran = subprocess.run([sys.executable, *arguments], capture_output=True, text=True,
                             check=False, timeout=240, env=environment)  # fmt: skip
        if ran.returncode:
            last = (ran.stderr.strip().splitlines() or ["it said nothing"])[-1]
            return say(f"{name[0].upper()}{name[1:]} did not train here: {last[:200]}")
        losses, seconds = json.loads(ran.stdout.strip().splitlines()[-1])
        rows.append([name, losses[0], losses[-1], format_seconds(sum(seconds))])
    return Table(["", "first loss", "last loss", "epoch"], rows,
                 formats=dict.fromkeys(["first loss", "last loss"], "{:.6f}".format))  # fmt: skip
