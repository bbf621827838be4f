"""The errors of `hpml.course.training`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class TrainingError(HpmlError):
    """A training is impossible as requested, or cannot continue."""


class NotFiniteError(TrainingError):
    """The loss of `step`, counted from 0 over all epochs, is not finite."""

    def __init__(self, step: int, loss: float) -> None:
        super().__init__(
            object=f"step {step}",
            expected="a finite loss",
            received=str(loss),
            remedy="Try a lower learning_rate, bf16 instead of amp (float16 overflows at 65,504), "
            "or float32. Check the pictures and labels of this step and the previous one.",
        )
        self.step = step


class ProcessEndedError(TrainingError):
    """Another process of the same training has ended, so this one cannot continue."""
