"""The errors of `hpml.training`."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class TrainingError(HpmlError):
    """A training was asked for something impossible, or cannot go on."""


class NotFiniteError(TrainingError):
    """The loss is no longer a number.

    Attributes:
        step: from 0, counted over all epochs.
        layer: where it first appeared, by its name in the model; "" for the loss itself.
    """

    def __init__(self, message: str, step: int, layer: str) -> None:
        super().__init__(message)
        self.step = step
        self.layer = layer


class ProcessEndedError(TrainingError):
    """Another process of the same training has ended, so that this one cannot go on."""
