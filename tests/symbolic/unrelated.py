"""A program that compiles, scripts, exports and pickles code that has no symbolic values.

``python -m tests.symbolic.unrelated while`` runs it while there are some elsewhere.
"""

from __future__ import annotations

import gc
import pickle
import sys
import types
from typing import Any

import torch
from torch import nn
from torch.utils.data import DataLoader

from hpml.symbolic import Input, SymbolicModel

# What the builder has to record, so what an implementation may be tempted to replace.
FACTORIES = (
    "zeros",
    "ones",
    "empty",
    "rand",
    "randn",
    "arange",
    "eye",
    "full",
    "tensor",
    "as_tensor",
    "linspace",
    "randperm",
)


class Stem(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
        self.token = nn.Parameter(torch.zeros(1, 4))

    def forward(self, v: torch.Tensor) -> torch.Tensor:
        token = self.token.expand(v.shape[0], -1)
        return self.project(v) + token + v.new_zeros(v.shape[0], 4) + torch.ones(v.shape[0], 4)


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, v: torch.Tensor) -> torch.Tensor:
        return v * 2

    @staticmethod
    def backward(ctx: Any, gradient: torch.Tensor) -> torch.Tensor:
        return gradient * 2


def scripted(v: torch.Tensor) -> torch.Tensor:
    made = torch.ones(2).sum() + torch.zeros(2).sum() + torch.arange(3).sum() + torch.eye(2).sum()
    return v.sum() + made + torch.randn(2).mean() * 0 + torch.tensor([1.0]) + v.new_zeros(2).sum()


def unrelated() -> None:
    """Use each tool of PyTorch that looks at functions."""
    torch.manual_seed(0)
    stem, v = Stem(), torch.rand(5, 4)
    for module in (stem, lambda v: v + torch.zeros(5, 4) + torch.tensor([1.0]) + torch.eye(5, 4)):
        compiled = torch.compile(module, fullgraph=True, backend="eager")
        assert torch.equal(compiled(v), module(v))
    assert torch._dynamo.explain(stem)(v).graph_count == 1
    compiled = torch.compile(lambda v: Double.apply(v) + 1, fullgraph=True, backend="eager")
    assert torch.equal(compiled(v), v * 2 + 1)
    compiled = torch.compile(torch.vmap(lambda v: v.sum()), fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(v), v.sum(1))
    batch = torch.export.Dim("batch")
    exported = torch.export.export(stem, (v,), dynamic_shapes=({0: batch},))
    assert torch.equal(exported.module()(v), stem(v))
    assert torch.equal(torch.jit.script(stem)(v), stem(v))
    assert torch.equal(torch.jit.trace(stem, (v,))(v), stem(v))
    assert torch.equal(torch.jit.script(scripted)(v), scripted(v))
    torch.fx.symbolic_trace(stem.project)  # its proxies do not pass torch.ones(size, 4)
    assert torch.equal(pickle.loads(pickle.dumps(stem))(v), stem(v))
    for name in FACTORIES:
        function = getattr(torch, name)
        assert pickle.loads(pickle.dumps(function)) is function, name
        assert torch.overrides.resolve_name(function) == f"torch.{name}", name
        imported = types.ModuleType("imported")
        exec(f"from torch import {name}", vars(imported))
        assert vars(imported)[name] is function, name
        assert type(function) is type(torch.cat), name
    for name in ("expand", "new_zeros", "new_ones", "new_empty", "view"):
        function = getattr(torch.Tensor, name)
        assert torch.overrides.resolve_name(function) == f"torch.Tensor.{name}", name
    with torch.device("meta"):
        assert torch.zeros(2).device.type == "meta"
    weights = dict(stem.named_parameters())
    assert torch.equal(torch.func.functional_call(stem, weights, (v,)), stem(v))


def main() -> None:
    when = sys.argv[1]
    if when == "before":
        unrelated()
    x = Input(shape=(4,))
    sizes = x.shape[0], x.shape[0] // 2, x.shape
    y = nn.Linear(4, 4)(x) + torch.zeros(sizes[0], 4)
    if when in ("before", "while"):
        unrelated()
    if when == "spawn":
        loader = DataLoader(
            [[1.0, 2.0]] * 4,
            batch_size=2,
            num_workers=1,
            collate_fn=torch.tensor,
            multiprocessing_context="spawn",
        )
        assert [tuple(batch.shape) for batch in loader] == [(2, 2)] * 2
    SymbolicModel(x, y)
    del x, y, sizes
    gc.collect()
    if when != "spawn":
        unrelated()
    print("done")


if __name__ == "__main__":
    main()
