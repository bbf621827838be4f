"""The benchmark suites, each a module with ``run(...)`` for notebooks and a command.

>>> from hpml.course.suites import SUITES
>>> sorted(SUITES)
['activations', 'convnext-infer', 'convnext-train', 'deep-linear', 'launch', 'toy-resnet']

``run(sizes, rounds=9, …)`` measures one case per size and returns a result with ``cases`` and
``plot()``; its keyword arguments are the fields of `hpml.course.suites.settings.Settings`, where
each option of ``hpml bench NAME`` is declared. ``SUITE`` is the module's declaration, with the
command's ``main``.
"""

from __future__ import annotations

__all__ = ["SUITES"]

SUITES: dict[str, tuple[str, str]] = {
    "deep-linear": (
        "hpml.course.suites.deep_linear",
        "forward pass of hundreds of tiny linear layers: the overhead of each execution",
    ),
    "toy-resnet": (
        "hpml.course.suites.toy_resnet",
        "forward pass of a small residual network, whose overhead fades as the images grow",
    ),
    "launch": (
        "hpml.course.suites.launch",
        "the device itself: launching an operator, copying, multiplying, transfers to a GPU",
    ),
    "convnext-train": (
        "hpml.course.suites.convnext_train",
        "training a ConvNeXt with each recipe: the time of an epoch and the final accuracy",
    ),
    "convnext-infer": (
        "hpml.course.suites.convnext_infer",
        "forward pass of a ConvNeXt at batch 64 and 1, with each activation, eager and compiled",
    ),
    "activations": (
        "hpml.course.suites.activations",
        "forward and backward pass of FastSwish in three variants, and of PyTorch's activations",
    ),
}
"""Module and one-line description of each suite, by its name."""
