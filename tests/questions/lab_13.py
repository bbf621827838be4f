from __future__ import annotations

from typing import Any

import torch
from torch import nn


def question_1() -> None:
    """A dead unit above a layer that is trained, and above the same layer frozen."""

    def train(below_trained: bool, *, decay: float = 0.0) -> list[bool]:
        torch.manual_seed(0)
        below, dead, alive = nn.Linear(1, 1), nn.Linear(1, 1), nn.Linear(1, 1)
        with torch.no_grad():
            below.weight.fill_(1.0), below.bias.fill_(0.0)
            dead.weight.fill_(1.0), dead.bias.fill_(-3.0)
            alive.weight.fill_(1.0), alive.bias.fill_(0.0)
        x, target = torch.ones(4, 1), torch.full((4, 1), 10.0)
        below.requires_grad_(below_trained)
        parameters = [*below.parameters(), *dead.parameters()]
        rule = torch.optim.SGD(
            [each for each in parameters if each.requires_grad], lr=0.05, weight_decay=decay
        )
        firing = []
        for _ in range(60):
            hidden = below(x)
            unit = dead(hidden).relu()
            firing.append(bool((unit > 0).any()))
            loss = (unit + alive(hidden) - target).square().mean()
            rule.zero_grad()
            if loss.requires_grad:
                loss.backward()
            if not firing[-1]:
                for each in dead.parameters():
                    assert each.grad is None or not each.grad.any()
            rule.step()
        return firing

    frozen, trained = train(below_trained=False), train(below_trained=True)
    assert not any(frozen)
    assert not trained[0]
    assert any(trained), "the layer below has moved its input"
    assert not any(train(below_trained=False, decay=0.5)), "its weight and bias shrink together"
    _what_decay_revives()


def _what_decay_revives() -> None:
    """A dead unit, and what weight decay does to it alone."""

    def revived(rule: Any, weights: list[float], bias: float, x: list[float]) -> bool:
        layer, row = nn.Linear(2, 1), torch.tensor([x])
        with torch.no_grad():
            layer.weight.copy_(torch.tensor([weights]))
            layer.bias.fill_(bias)
        optimiser = rule(layer)
        assert layer(row) < 0
        for _ in range(60):
            optimiser.zero_grad()
            layer(row).relu().sum().backward()
            assert layer.weight.grad is not None
            if layer(row) > 0:
                return True
            assert not layer.weight.grad.any()
            optimiser.step()
        return False

    mixed, x = [1.0, -0.3], [1.0, 4.0]
    optim = torch.optim
    assert revived(lambda own: optim.Adam(own.parameters(), 0.02, weight_decay=0.01), mixed, 0, x)
    adamw = revived(lambda own: optim.AdamW(own.parameters(), 0.02, weight_decay=0.5), mixed, 0, x)
    assert not adamw
    one, at = [-1.0, 0.0], [1.0, 0.0]
    assert revived(lambda own: optim.SGD([own.weight], 0.1, weight_decay=0.5), one, 0.5, at)
    assert not revived(lambda own: optim.SGD(own.parameters(), 0.1, weight_decay=0.5), one, 0.5, at)
    zero = nn.Linear(2, 1)
    for each in zero.parameters():
        nn.init.zeros_(each)
    zero(torch.ones(3, 2)).relu().sum().backward()
    assert zero.weight.grad is not None
    assert not zero.weight.grad.any(), "at 0 it is dead too"


def question_2() -> None:
    x = torch.tensor([-10.0, 0.0], requires_grad=True)
    inside = torch.linspace(-10, 0, 101, requires_grad=True)

    def bump(x: torch.Tensor) -> torch.Tensor:
        return torch.where((x + 5).abs() < 1, (1 - (x + 5).square()).clamp(min=0).square(), 0 * x)

    for points, found in ((x, False), (inside, True)):
        (slope,) = torch.autograd.grad(bump(points).sum(), points)
        assert bool(slope.any()) == found


def question_3() -> object:
    x = torch.tensor(0.0, requires_grad=True)
    y = torch.where(x < -2, 2 / (3 * x), x * (x + 3) / 6)
    y.backward()
    assert x.grad is not None
    value, gradient = y.item(), x.grad.item()
    fixed = torch.tensor(0.0, requires_grad=True)
    torch.where(fixed < -2, 2 / (3 * fixed.clamp(max=-2)), fixed * (fixed + 3) / 6).backward()
    assert fixed.grad == 0.5
    assert value == 0
    return "0 and not a number" if gradient != gradient else "0 and 0.5"


def _kept(run: Any) -> dict[int, int]:
    kept: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        kept[tensor.data_ptr()] = tensor
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        run()
    return {at: each.nbytes for at, each in kept.items()}


def question_4() -> object:
    x = torch.rand(1000, requires_grad=True)
    made = []

    def run() -> None:
        y = x * x
        made.extend([y, y.exp()])

    kept = _kept(run)
    assert set(kept) == {x.data_ptr(), made[1].data_ptr()}
    return sum(kept.values()) / 1000


def question_5() -> None:
    class Square(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, x: torch.Tensor) -> torch.Tensor:
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx: Any, grad: torch.Tensor) -> torch.Tensor:
            (x,) = ctx.saved_tensors
            return grad * 2 * x

    x = torch.rand(5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.gradcheck(Square.apply, (x,))
    assert set(_kept(lambda: Square.apply(x))) == {x.data_ptr()}


def question_6() -> None:
    kept = {}
    for activation in (nn.Identity, nn.ReLU, nn.GELU):
        net = nn.Sequential(nn.Linear(3, 500), activation(), nn.Linear(500, 2))
        parameters = {each.data_ptr() for each in net.parameters()}
        found = _kept(lambda net=net: net(torch.rand(7, 3)))
        kept[activation] = sum(size for at, size in found.items() if at not in parameters)
    assert kept[nn.ReLU] == kept[nn.Identity]
    assert kept[nn.GELU] == kept[nn.ReLU] + 7 * 500 * 4
    frozen = nn.Linear(500, 2)
    frozen.weight.requires_grad_(False)
    sizes = {}
    for activation in (nn.Identity, nn.ReLU, nn.GELU):
        net = nn.Sequential(nn.Linear(3, 500), activation(), frozen)
        sizes[activation] = sum(_kept(lambda net=net: net(torch.rand(7, 3))).values())
    assert sizes[nn.ReLU] == sizes[nn.GELU] > sizes[nn.Identity], "if the next one is not trained"
