"""The exceptions of the model builder; every message names what was expected and received."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class GraphError(HpmlError):
    """Base class of all errors about a graph or its inputs."""


class ShapeError(GraphError, ValueError):
    """A layer does not accept the shape or dtype of its argument."""


class ForeignNodeError(GraphError, ValueError):
    """An output depends on a value that cannot be computed from the model's inputs."""


class ArgumentError(GraphError, TypeError):
    """An argument has the wrong kind, or the number of arguments is wrong."""


class DeviceError(GraphError, RuntimeError):
    """This machine cannot run the requested execution."""


class GradientError(GraphError, RuntimeError):
    """Gradients were requested from an execution that computes none."""


class MissingNameError(GraphError, RuntimeError):
    """This version of PyTorch lacks a private name that a feature needs."""
