from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from hpml.course.training import train
from tests.course.training.shared import without_dropout
from tests.course.training.small import data, recipe

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(not torch.distributed.is_available(), reason="needs a PyTorch with distributed")
def test_two_processes_train_as_one_stop_together_and_end_together(tmp_path: Path) -> None:
    words = [
        "--standalone",
        "--nproc-per-node",
        "2",
        "-m",
        "tests.course.training.shared",
        str(tmp_path),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    stopped, results, end = done.stdout.splitlines()
    # The second got the signal in step 1, counted from 0; both stop after the step in flight.
    assert stopped == "after step 3", done.stderr
    losses, accuracies = json.loads(results)
    alone = train(without_dropout(), data(), recipe(), epochs=2, device="cpu")
    assert losses == pytest.approx(alone.losses, rel=1e-5)
    assert accuracies == pytest.approx(alone.accuracies, abs=1 / 40)
    name, process, remedy = json.loads(end)
    assert (name, process) == ("ProcessEndedError", "process 0 of 2")
    assert "--resume" in remedy
    assert done.returncode != 0
