"""The code of the two source documents runs; lab 07 and its tests compare the generated source."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import torch

from hpml.symbolic import FunctionalModel, SymbolicModel, config

BENCHMARKS_SYMBOLIC = [
    """from torch import nn
from pytorch_symbolic import Input, SymbolicModel, optimize_module_calls

x = inputs = Input(shape=(3, 32, 32))
x = nn.Identity()(x)
model = SymbolicModel(inputs, x)

optimize_module_calls()

# Here goes:
# * Model training
# * Model inference
# * Model benchmarking
""",
    """import torch

data = torch.rand(size=(4, 4))
""",
    """from torch import nn
from pytorch_symbolic import Input, SymbolicModel

n_layers = 250  # other used values: 500, 750, 1000

x = inputs = Input(shape=(4,))
for _ in range(n_layers):
    x = nn.Linear(4, 4)(x)
model = SymbolicModel(inputs, x)
""",
    """import torch

data = torch.rand(size=(4, 3, 16, 16))  # Resolution from 16x16 to 64x64
""",
    """config.CODEGEN_MIN_LOOP_LENGTH = 10
...
print(model._generated_forward_source)
""",
]

BENCHMARKS_FUNCTIONAL = [
    """import torch

data = torch.rand(size=(4, 4))
""",
    """from torch import nn
from pytorch_functional import Input, FunctionalModel

n_layers = 250  # other used values: 500, 750, 1000

x = inputs = Input(shape=(4,))
for _ in range(n_layers):
    x = nn.Linear(4, 4)(x)
model = FunctionalModel(inputs, x)
""",
    """...
print(model._generated_forward_source)
""",
]


def run_blocks(
    blocks: list[str], imported: str
) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    """Run blocks one after the other in one namespace, as a reader would."""
    namespace: dict[str, Any] = {"config": config}
    states = []
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks:
            exec(block.replace(f"from {imported} import", "from hpml.symbolic import"), namespace)
            states.append(dict(namespace))
    return namespace, states, printed.getvalue()


def test_the_blocks_of_the_symbolic_page_run() -> None:
    namespace, states, printed = run_blocks(BENCHMARKS_SYMBOLIC, "pytorch_symbolic")
    identity = states[0]["model"]
    images = torch.rand(2, 3, 32, 32)
    assert torch.equal(identity(images), images)
    model = namespace["model"]
    assert isinstance(model, SymbolicModel)
    assert model(states[1]["data"]).shape == (4, 4)
    assert namespace["data"].shape == (4, 3, 16, 16)
    assert len(model.graph.calls) == 250
    assert printed == model._generated_forward_source + "\n"
    assert "for layer in l[0:250]:" in printed


def test_the_blocks_of_the_functional_page_run() -> None:
    namespace, _, printed = run_blocks(BENCHMARKS_FUNCTIONAL, "pytorch_functional")
    model = namespace["model"]
    assert type(model) is FunctionalModel
    assert model(namespace["data"]).shape == (4, 4)
    assert printed.startswith("def _generated_forward(self, i000):\n")
