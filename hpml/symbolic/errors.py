"""The errors of the model builder: one family, each naming what was expected and what came."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class GraphError(HpmlError):
    """Something is wrong with a graph, or with what was given to one. The root of the family."""


class ShapeError(GraphError, ValueError):
    """A layer does not accept the shape or dtype of the value it was given."""


class ForeignNodeError(GraphError, ValueError):
    """An output needs a value that none of the model's inputs leads to."""


class ArgumentError(GraphError, TypeError):
    """An argument is of a kind that cannot be used here, or there are too many or too few."""


class DeviceError(GraphError, RuntimeError):
    """An execution was asked for on a machine that cannot run it."""


class GradientError(GraphError, RuntimeError):
    """Gradients were asked for of an execution that computes none."""
