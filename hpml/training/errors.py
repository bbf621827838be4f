"""The errors of `hpml.training`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class TrainingError(HpmlError):
    """A training was asked for something impossible, or cannot go on."""


class NotFiniteError(TrainingError):
    """The loss is no longer finite.

    Attributes:
        step: from 0, counted over all epochs.
    """

    def __init__(self, step: int, loss: float) -> None:
        super().__init__(
            f"Step {step}: expected a finite loss, got {loss}. Try a lower learning_rate, bf16 "
            "instead of amp, whose float16 ends at 65,504, or float32. Check the pictures and "
            "labels of this step and of the one before."
        )
        self.step = step


class ProcessEndedError(TrainingError):
    """Another process of the same training has ended, so that this one cannot go on."""
