from __future__ import annotations

from typing import Any

import torch
from torch import nn

from hpml.profiling import ProfilingError, saved_tensors
from tests.parts import raises


def test_memory_that_two_steps_save_is_counted_once() -> None:
    net = nn.Sequential(nn.Linear(1000, 100), nn.ReLU(), nn.Linear(100, 10))
    found = saved_tensors(net, torch.randn(64, 1000))
    assert found.total == 4 * 64 * (1000 + 100)
    assert [tensor.not_counted for tensor in found.tensors] == ["", "", "counted above",
                                                               "a parameter"]  # fmt: skip
    assert "275 KiB in total" in str(found)
    assert found.result.shape == (64, 10)


def test_a_view_keeps_the_whole_memory_that_it_looks_at() -> None:
    x = torch.ones(100, 50, requires_grad=True)
    (tensor,) = saved_tensors(lambda: x[0].exp()).tensors
    assert (tensor.shape, tensor.bytes) == ((50,), 200)
    base = torch.ones(100, 50)
    weight = nn.Parameter(torch.ones(50))
    rows = {row.bytes: row for row in saved_tensors(lambda: base[0] * weight).tensors}
    assert rows[20_000].shape == (50,)
    assert 0 not in rows or rows[0].not_counted == "a parameter"


def test_without_numbers_the_same_is_counted() -> None:
    def net() -> Any:
        return nn.Sequential(nn.Linear(8, 6), nn.GELU(), nn.LayerNorm(6), nn.Linear(6, 2))

    real = saved_tensors(net(), torch.rand(3, 5, 8)).tensors
    assert real == saved_tensors(net().to("meta"), torch.rand(3, 5, 8, device="meta")).tensors


def test_buffers_and_what_a_functions_gradients_arrive_at_are_no_news() -> None:
    norm = nn.BatchNorm1d(4).eval()
    rows = saved_tensors(norm, torch.rand(8, 4)).tensors
    roles = {row.role: row.not_counted for row in rows}
    assert roles["running_mean"] == roles["weight"] == "a parameter"
    weight = nn.Parameter(torch.rand(4, 4))
    x = torch.rand(4, 4, requires_grad=True)
    of_a_function = saved_tensors(lambda: x @ weight.t()).tensors
    assert {row.not_counted for row in of_a_function} == {"", "a parameter"}


def test_a_function_with_its_own_backward_is_named() -> None:
    class Cube(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: Any) -> Any:
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx: Any, gradient: Any) -> Any:
            (x,) = ctx.saved_tensors
            return 3 * x**2 * gradient

    apply: Any = Cube.apply
    (tensor,) = saved_tensors(apply, torch.ones(5, requires_grad=True)).tensors
    assert (tensor.operation, tensor.role, tensor.bytes) == ("CubeBackward", "saved_tensors", 20)


def test_a_call_and_a_forward_with_its_own_backward_are_refused() -> None:
    with raises(ProfilingError, object="function of saved_tensors", received="Tensor"):
        saved_tensors(torch.ones(3))  # type: ignore[arg-type]
    x = torch.ones(5, requires_grad=True)

    def whole_step() -> Any:
        y: Any = x.exp().sum()
        y.backward()
        return y

    with raises(
        ProfilingError, object="function of saved_tensors", received="the backward pass of"
    ):
        saved_tensors(whole_step)
    with raises(
        ProfilingError, object="function of saved_tensors", expected="forward pass", received="None"
    ):
        saved_tensors(lambda: whole_step() and None)
