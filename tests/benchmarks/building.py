"""From `Input` to a ready model, per node: ``python -m tests.benchmarks.building [NODES ...]``.

A model builder that looks at the whole graph for every new node needs four times as long for twice
the nodes. The time per node shows it: flat is linear, rising is not. The layers are made
beforehand, since making them is torch's work and the same for all.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import Any

import torch

from hpml.benchmark import compare
from hpml.benchmark.agreement import same_results
from hpml.course.models import DeepLinear, linear_layers, symbolic_deep_linear
from hpml.course.suites.forwards import uniform_input
from hpml.symbolic import EXECUTIONS, config

NODES = (1000, 10_000, 50_000)
FEATURES = 4


def checked(build: Callable[[], Any], layers: list[torch.nn.Module]) -> Callable[[], Any]:
    """Return `build`, once a model that it made was found to compute what it should."""
    x = uniform_input((2, FEATURES))
    with torch.no_grad():
        same_results()({"handwritten": DeepLinear(layers)(x), "built": build()(x)})
    return build


def straight(layers: list[torch.nn.Module]) -> object:
    """Build with generated code, a line of source for each node and no loop."""
    before = config.CODEGEN_MIN_LOOP_LENGTH
    config.CODEGEN_MIN_LOOP_LENGTH = float("inf")
    try:
        return symbolic_deep_linear(layers, FEATURES, "codegen")
    finally:
        config.CODEGEN_MIN_LOOP_LENGTH = before


def main() -> None:
    """Print a table for each number of nodes."""
    for nodes in [int(word) for word in sys.argv[1:]] or NODES:
        layers = list(linear_layers(nodes, FEATURES))
        builds = {
            name: functools.partial(symbolic_deep_linear, layers, FEATURES, name)
            for name in EXECUTIONS
        }
        builds["codegen, no loops"] = functools.partial(straight, layers)
        contenders = {name: checked(build, layers) for name, build in builds.items()}
        label = f"{nodes:,} nodes, time per node"
        print(f"\n{label}\n{compare(contenders, rounds=9, progress=label).per(nodes)}")


if __name__ == "__main__":
    main()
