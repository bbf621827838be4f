"""Run by torchrun: trains on two processes, is interrupted in one, resumes, and one is killed."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import torch
from torch import nn

from hpml.course.training import Trainer, TrainingError, train
from tests.course.training.small import data, network, recipe


def without_dropout() -> nn.Module:
    """Two processes draw other random numbers than one."""
    model = network()
    model[3] = nn.Identity()
    return model


def struck(step: int, by: int) -> None:
    """Let the second process get a signal at a step."""
    update = Trainer._update

    def updating(trainer: Trainer) -> None:
        update(trainer)
        if trainer.step == step and trainer.processes.rank == 1:
            os.kill(os.getpid(), by)

    Trainer._update = updating  # type: ignore[method-assign]


def main(folder: str) -> int:
    torch.set_num_threads(1)
    first = os.environ["RANK"] == "0"
    told = {"epochs": 2, "device": "cpu", "out": Path(folder)}
    update = Trainer._update
    struck(1, signal.SIGINT)
    try:
        train(without_dropout(), data(), recipe("accumulate"), **told)
    except KeyboardInterrupt as interrupt:
        if first:
            print(interrupt, flush=True)
    Trainer._update = update  # type: ignore[method-assign]
    result = train(without_dropout(), data(), recipe("accumulate"), **told, resume=True)
    if first:
        print(json.dumps([result.losses, result.accuracies]), flush=True)
    struck(2, signal.SIGKILL)
    try:
        train(without_dropout(), data(), recipe(), epochs=2, device="cpu")
    except TrainingError as error:
        print(json.dumps([type(error).__name__, error.object, error.remedy]), flush=True)
        return 3
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
