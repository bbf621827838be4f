"""CUDA graphs on top of each execution. These run on a machine with a CUDA GPU."""

from __future__ import annotations

import copy
from typing import Any

import pytest
import torch
from torch import nn

from hpml.symbolic import EXECUTIONS, Input, SymbolicModel
from hpml.symbolic.errors import ArgumentError, DeviceError

pytestmark = pytest.mark.gpu

each_execution = pytest.mark.parametrize("execution", EXECUTIONS)


def pair(execution: str, *, outputs: int = 1) -> tuple[SymbolicModel, SymbolicModel]:
    """Return a model with CUDA graphs and the same without, with weights of its own."""
    torch.manual_seed(0)
    x = inputs = Input(shape=(8,))
    values = []
    for _ in range(4):
        x = nn.Linear(8, 8)(x).tanh() + x
        values.append(x)
    x = nn.BatchNorm1d(8)(x)
    results = [x, *values][:outputs]
    model = SymbolicModel(inputs, results, enable_cuda_graphs=True, execution=execution).cuda()
    plain = copy.deepcopy(SymbolicModel(inputs, results, execution=execution)).cuda()
    return model, plain


def batch(size: int = 4, seed: int = 0) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand(size, 8, generator=generator).cuda()


@each_execution
@pytest.mark.parametrize("outputs", [1, 3])
def test_a_recorded_inference_equals_an_ordinary_one(execution: str, outputs: int) -> None:
    model, plain = (each.eval() for each in pair(execution, outputs=outputs))
    with torch.no_grad():
        for seed in range(3):
            value = batch(seed=seed)
            torch.testing.assert_close(model(value), plain(value))


def test_results_of_one_call_are_not_overwritten_by_the_next() -> None:
    model, plain = (each.eval() for each in pair("codegen"))
    with torch.no_grad():
        first = model(batch(seed=1))
        kept = first.clone()
        model(batch(seed=2))
        assert torch.equal(first, kept)
        torch.testing.assert_close(first, plain(batch(seed=1)))


def test_another_shape_and_other_weights_are_recorded_anew() -> None:
    model, plain = (each.eval() for each in pair("codegen"))
    with torch.no_grad():
        for size in (4, 9, 4):
            torch.testing.assert_close(model(batch(size)), plain(batch(size)))
        for each in (model, plain):
            each.Linear_1.weight.mul_(2)
        torch.testing.assert_close(model(batch()), plain(batch()))
        for each in (model, plain):
            each.Linear_1.weight = nn.Parameter(torch.ones(8, 8).cuda())
        torch.testing.assert_close(model(batch()), plain(batch()))


@each_execution
def test_a_model_trains_as_without_graphs(execution: str) -> None:
    model, plain = pair(execution)
    losses: list[list[float]] = []
    for each in (model, plain):
        optimiser = torch.optim.SGD(each.parameters(), lr=0.1)
        losses.append([])
        for step in range(4):
            loss = (each(batch(16, seed=step)) - 1).square().mean()
            optimiser.zero_grad(set_to_none=False)
            loss.backward()
            optimiser.step()
            losses[-1].append(loss.item())
    torch.testing.assert_close(losses[0], losses[1])
    for name, buffer in model.named_buffers():
        torch.testing.assert_close(buffer, dict(plain.named_buffers())[name])


@pytest.mark.parametrize("value", [torch.rand(4, 8), "text"], ids=["on the CPU", "no tensor"])
def test_an_input_that_is_not_on_the_gpu_is_refused(value: Any) -> None:
    model, _ = pair("ordered")
    with pytest.raises(ArgumentError):
        model(value)


def test_a_switched_model_and_a_copy_stay_recorded() -> None:
    model, plain = (each.eval() for each in pair("lazy"))
    model.execution = "codegen"
    with torch.no_grad():
        torch.testing.assert_close(copy.deepcopy(model)(batch()), plain(batch()))
        torch.testing.assert_close(model(batch()), plain(batch()))


class ReadsBack(nn.Module):
    """A layer that asks for a value."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return x * x.sum().item()


def test_what_cannot_be_captured_is_explained() -> None:
    x = Input(shape=(8,))
    model = SymbolicModel(x, ReadsBack()(x), enable_cuda_graphs=True)
    with torch.no_grad(), pytest.raises(DeviceError):
        model(batch())
