"""The compiled kernel beside what users combine it with: transforms, subclasses, odd tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn
from torch.autograd import forward_ad

from hpml.symbolic import SymbolicModel
from hpml.symbolic.errors import ArgumentError
from tests.symbolic.test_kernel import chain_of, close

# PyTorch itself calls it when derivatives in forward mode begin.
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit.script.*:DeprecationWarning")


def linear_model() -> SymbolicModel:
    torch.manual_seed(0)
    return chain_of((4,), [nn.Linear(4, 2), nn.Tanh()]).requires_grad_(False)


TRANSFORMS: dict[str, Callable[[Any, Any], Any]] = {
    "vmap": lambda model, x: torch.vmap(model)(torch.stack([x, x + 1])),
    "jvp": lambda model, x: torch.func.jvp(model, (x,), (torch.ones_like(x),)),
    "grad of weights": lambda model, x: tuple(
        torch.func.grad(lambda weights: torch.func.functional_call(model, weights, (x,)).sum())(
            dict(model.named_parameters())
        ).values()
    ),
}


@pytest.mark.parametrize("name", TRANSFORMS)
def test_a_transform_gets_the_layers(name: str) -> None:
    model, x = linear_model(), torch.rand(3, 4)
    received = TRANSFORMS[name](model, x)
    model.execution = "ordered"
    close(received, TRANSFORMS[name](model, x))


def test_a_tracer_sees_the_layers_of_a_model_inside_another() -> None:
    class Outer(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.inner = linear_model()

        def forward(self, x: Any) -> Any:
            return self.inner(x) + 1

    outer, x = Outer(), torch.rand(3, 4)
    close(torch.fx.symbolic_trace(outer)(x), outer(x))


@pytest.mark.parametrize("what", ["input", "weights"])
def test_derivatives_in_forward_mode_are_not_lost(what: str) -> None:
    model, x = linear_model(), torch.rand(3, 4)

    def tangent() -> Any:
        with forward_ad.dual_level():
            if what == "input":
                return forward_ad.unpack_dual(model(dual(x))).tangent
            weights = {name: dual(p.detach()) for name, p in model.named_parameters()}
            result = torch.func.functional_call(model, weights, (x,))
            return forward_ad.unpack_dual(result).tangent

    def dual(tensor: torch.Tensor) -> torch.Tensor:
        return forward_ad.make_dual(tensor, torch.ones_like(tensor))

    received = tangent()
    assert received is not None
    model.execution = "ordered"
    close(received, tangent())


class Doubling(torch.Tensor):
    """A tensor with an operator of its own."""

    @classmethod
    def __torch_function__(
        cls, function: Any, types: Any, given: Any = (), named: Any = None
    ) -> Any:
        result = super().__torch_function__(function, types, given, named or {})
        return result * 2 if function is torch.tanh else result


def test_subclasses_of_tensor_keep_their_operators() -> None:
    model, x = linear_model(), torch.rand(3, 4)
    plain = model(x)
    received = model(x.as_subclass(Doubling))
    assert type(received) is Doubling
    close(received.as_subclass(torch.Tensor), plain * 2)
    with pytest.raises(ArgumentError):
        model.compiled_inference()(x.as_subclass(Doubling))


@pytest.mark.parametrize("kind", ["half", "bfloat16", "double", "int"])
def test_of_two_equal_layers_one_in_another_dtype_is_not_converted(kind: str) -> None:
    """PyTorch puts tensors of two types together in the larger one and says nothing."""
    layers = [nn.Linear(4, 4), nn.Linear(4, 4)]
    model, x = chain_of((4,), layers).requires_grad_(False), torch.rand(2, 4)
    layers[0].weight.data = getattr(layers[0].weight.data, kind)()
    for run in (nn.Sequential(*layers), model):
        with pytest.raises(RuntimeError, match="dtype"):
            run(x)
