"""The experiments, each a module with ``run(...)`` for notebooks and a command for the terminal.

``hpml bench NAME`` looks the name up here; a module is imported when its suite is run.

>>> from hpml.suites import SUITES
>>> sorted(SUITES)
['activations', 'convnext-infer', 'convnext-train', 'deep-linear', 'launch', 'toy-resnet']

A suite's module has ``run(...)``, which returns the result as a value with ``cases`` and
``plot()``, and ``add_arguments(parser)``, which declares its options, and as ``main`` what runs it
with them and returns the exit code.
"""

from __future__ import annotations

__all__ = ["SUITES"]

SUITES: dict[str, tuple[str, str]] = {
    "deep-linear": (
        "hpml.suites.deep_linear",
        "forward of hundreds of tiny linear layers: what each execution of a model costs",
    ),
    "toy-resnet": (
        "hpml.suites.toy_resnet",
        "forward of a small residual network, where overhead fades as the images grow",
    ),
    "launch": (
        "hpml.suites.launch",
        "the device itself: starting an operator, copying, multiplying, transfers to a GPU",
    ),
    "convnext-train": (
        "hpml.suites.convnext_train",
        "an epoch of a ConvNeXt by each recipe: its time, and the accuracy that is reached",
    ),
    "convnext-infer": (
        "hpml.suites.convnext_infer",
        "forward of a ConvNeXt at batch 64 and 1, with each activation, eager and compiled",
    ),
    "activations": (
        "hpml.suites.activations",
        "forward and backward of FastSwish, three ways, beside PyTorch's own activations",
    ),
}
"""Each suite's name, its module and what it measures in one line."""
