"""The code of the two source documents runs; their generated source is printed again."""

from __future__ import annotations

import ast
import contextlib
import gc
import io
from collections.abc import Iterator
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import FunctionalModel, SymbolicModel, config
from tests.symbolic.models import PROGRAMS

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

GENERATED_SYMBOLIC = """def _generated_forward(self, i00, i01):
    l = self._execution_order_layers
    h09 = i01
    for layer in l[0:10]:
        h09 = layer(h09)
    h19 = i00
    for layer in l[10:20]:
        h19 = layer(h19)
    h20 = l[20](h19, h09)
    h21 = l[21](h20)
    h22 = l[22](h21)
    h32 = h22
    for layer in l[23:33]:
        h32 = layer(h32)
    h42 = h22
    for layer in l[33:43]:
        h42 = layer(h42)
    o00 = l[43](h42, h32)
    return o00
"""

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

GENERATED_FUNCTIONAL = """def _generated_forward(self,i00,i01):
    l = self._execution_order_layers
    h09 = i01
    for layer in l[0:10]:
        h09 = layer(h09)
    h19 = i00
    for layer in l[10:20]:
        h19 = layer(h19)
    h20 = l[20](h19,h09)
    h21 = l[21](h20)
    h22 = l[22](h21)
    h32 = h22
    for layer in l[23:33]:
        h32 = layer(h32)
    h42 = h22
    for layer in l[33:43]:
        h42 = layer(h42)
    o00 = l[43](h42,h32)
    return o00
"""


@pytest.fixture(autouse=True)
def _loop_length() -> Iterator[None]:
    before = config.CODEGEN_MIN_LOOP_LENGTH
    yield
    config.CODEGEN_MIN_LOOP_LENGTH = before


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


def test_the_first_block_leaves_module_calls_as_torch_made_them() -> None:
    namespace, _, _ = run_blocks(BENCHMARKS_SYMBOLIC[:1], "pytorch_symbolic")
    assert nn.Module.__call__ is nn.Module._wrapped_call_impl
    assert "x" in namespace, "a symbolic handle is alive all the while"


def test_the_blocks_of_the_functional_page_run() -> None:
    namespace, _, printed = run_blocks(BENCHMARKS_FUNCTIONAL, "pytorch_functional")
    model = namespace["model"]
    assert type(model) is FunctionalModel
    assert model(namespace["data"]).shape == (4, 4)
    assert printed.startswith("def _generated_forward(self, i000):\n")


def test_the_generated_source_of_the_documents_is_reproduced() -> None:
    config.CODEGEN_MIN_LOOP_LENGTH = 10
    program = PROGRAMS["chains_of_the_documents"]("codegen")
    source = program.model("codegen")._generated_forward_source
    assert source == GENERATED_SYMBOLIC
    # The older page prints the same program without spaces after commas.
    assert source.replace(", ", ",") == GENERATED_FUNCTIONAL
    assert ast.dump(ast.parse(source)) == ast.dump(ast.parse(GENERATED_FUNCTIONAL))


def test_the_toy_resnet_of_the_documents_builds_and_runs() -> None:
    program = PROGRAMS["toy_resnet"]("codegen")
    model = program.model("codegen")
    gc.collect()
    assert model(*program.samples).shape == (4, 10)
