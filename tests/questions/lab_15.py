from __future__ import annotations

import math

import pytest
import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

from tests.questions.answers import ratio_of_times, solution


def question_1() -> object:
    return solution("lab_15/speed_up")({"part": 0.6}, {"part": 3.0})


def question_2() -> object:
    return solution("lab_15/speed_up")({"part": 0.6}, {"part": math.inf})


def question_3() -> None:
    """The same step with the sum in another order, and with another seed."""

    def loss(order: int, seed: int) -> float:
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(256, 32, generator=generator)
        w = torch.randn(32, generator=generator, requires_grad=True)
        for _ in range(2):
            errors = (x @ w).square()
            value = (errors if order > 0 else errors.flip(0)).mean()
            (gradient,) = torch.autograd.grad(value, w)
            w = (w - 0.01 * gradient).detach().requires_grad_()
        return value.item()

    same = abs(loss(1, 0) / loss(-1, 0) - 1)
    other = abs(loss(1, 0) / loss(1, 1) - 1)
    assert same < 1e-5
    assert other > 1e-2
    assert abs(_trained(False, 0.1, 1) / _trained(True, 0.1, 1) - 1) < 1e-5
    grown = [
        abs(_trained(False, rate, steps) / _trained(True, rate, steps) - 1)
        for rate, steps in ((0.05, 100), (0.1, 100), (0.1, 200))
    ]
    assert max(grown) > 1e-2, "rounding alone, after many large steps"


def _trained(turned: bool, rate: float, steps: int) -> float:
    """Return the last loss of a training; `turned` adds the same sums in another order."""
    torch.manual_seed(0)
    x, labels = torch.randn(256, 20), torch.randint(10, (256,))
    first, rest = (
        nn.Linear(20, 64),
        nn.Sequential(nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 10)),
    )
    rule = torch.optim.Adam([*first.parameters(), *rest.parameters()], lr=rate)
    loss = torch.zeros(())
    for step in range(steps):
        rows, wanted = x[step % 4 :: 4], labels[step % 4 :: 4]
        turn = nn.functional.linear(rows.flip(1), first.weight.flip(1), first.bias)
        loss = nn.functional.cross_entropy(rest(turn if turned else first(rows)), wanted)
        rule.zero_grad()
        torch.autograd.backward(loss)
        rule.step()
    return loss.item()


def question_4() -> None:
    operators: list[str] = []

    class Count(TorchDispatchMode):
        def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore[no-untyped-def]
            operators.append(func.overloadpacket.__name__)
            return func(*args, **(kwargs or {}))

    tensor = torch.arange(100.0)
    assert all(isinstance(x, torch.Tensor) for x in tensor)
    with Count():
        total = 0.0
        for x in tensor:
            total += float(x)
    assert operators.count("_local_scalar_dense") == 100
    assert operators.count("unbind") == 1
    operators.clear()
    with Count():
        assert tensor.sum().item() == total
    assert len(operators) == 2
    operators.clear()
    with Count():
        assert sum(tensor.tolist()) == total
    assert len(operators) <= 1


def question_5() -> None:
    expected, low, high = 4.0, 0.98, 1.06
    assert not low <= expected <= high
    assert low <= 1 <= high
    assert 1.28 <= 1.3 <= 1.34


@pytest.mark.thorough
def question_5_timed() -> None:
    """A metric by a loop over a set, and vectorised by comparing all with all."""
    numbers = torch.randint(9999, (3000,))
    seen = numbers[::3].clone()

    def loop() -> list[bool]:
        known = {*seen.tolist()}
        return [value in known for value in numbers.tolist()]

    def vectorised() -> list[bool]:
        return (numbers[:, None] == seen).any(1).tolist()

    assert loop() == vectorised()
    low, _ = ratio_of_times(vectorised, loop, rounds=30)
    assert low > 1, "the part that was fixed has its share, and the gain is none"


def question_6() -> None:
    """What a profile of functions shows of a quadratic function, and of wider numbers."""
    from hpml.course.labs.lab_09_profiling import programs
    from hpml.profiling import profile

    found = profile(programs.Visitors().run)
    own = {name: entry[2] for (_, _, name), entry in found.stats.items()}
    assert max(own, key=lambda name: own[name]) == "first_visits", "it has a row"

    def rows(kind: torch.dtype) -> set[str]:
        x = torch.rand(50, 50, dtype=kind)
        return {name for _, _, name in profile(lambda: [x.exp(), x.sum(), x.tanh()]).stats}

    assert rows(torch.float32) == rows(torch.float64), "no row says that the numbers are wide"
