"""Run as a program: is killed at each step of a training in turn, resumes, and compares."""

from __future__ import annotations

import os
import signal
import sys
import tempfile
from pathlib import Path

import torch

from hpml.course.training import Trainer, train
from tests.course.training.small import EPOCHS, STEPS, data, network, recipe


def in_a_copy(work: object) -> int:
    """Run a function in a forked process; return by which signal it died."""
    copy = os.fork()
    if copy == 0:
        try:
            work()  # type: ignore[operator]
        finally:
            os._exit(0)
    return os.WTERMSIG(os.waitpid(copy, 0)[1])


def killed_training(out: Path, step: int, writing: bool) -> None:
    """Train, and die in the middle of a step or of writing."""
    update, replace = Trainer._update, os.replace
    trainers = []

    def dying(trainer: Trainer) -> None:
        trainers.append(trainer)
        if trainer.step == step and not writing:
            os.kill(os.getpid(), signal.SIGKILL)
        update(trainer)

    def dying_replace(source: str, target: str) -> None:
        if writing and trainers[-1].step >= step:
            os.kill(os.getpid(), signal.SIGKILL)
        replace(source, target)

    Trainer._update, os.replace = dying, dying_replace  # type: ignore[method-assign]
    train(network(), data(), recipe(), epochs=EPOCHS, seed=3, device="cpu", out=out)


def main() -> None:
    torch.set_num_threads(1)
    whole = network()
    expected = train(whole, data(), recipe(), epochs=EPOCHS, seed=3, device="cpu")
    assert len(expected.losses) == STEPS, expected.losses
    for step in range(STEPS):
        # In the middle of each step; of writing too, of the first checkpoint and of a later one.
        for writing in (False, True)[: 1 + (step in (1, 5))]:
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder, "out")
                died = in_a_copy(lambda: killed_training(out, step, writing))  # noqa: B023
                assert died == signal.SIGKILL, (step, writing, died)
                begun = (out / "checkpoint.pt").exists()
                torch.manual_seed(step)  # another state than that of the one who died
                model = network(seed=5)  # other weights than the checkpoint's
                if not begun:
                    model = network()
                again = train(
                    model,
                    data(),
                    recipe(),
                    epochs=EPOCHS,
                    seed=3,
                    device="cpu",
                    out=out,
                    resume=begun,
                )
                assert again.losses == expected.losses, (step, writing)
                assert again.accuracies == expected.accuracies, (step, writing)
                pairs = zip(model.parameters(), whole.parameters(), strict=True)
                assert all(torch.equal(a, b) for a, b in pairs), (step, writing)
    print("equal", STEPS)


if __name__ == "__main__":
    sys.exit(main())
