from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from hpml.course.labs.lab_13_activations.networks import both_passes
from hpml.course.labs.lab_13_activations.traced import peak_of_tensors
from hpml.profiling import saved_tensors
from tests.causes.shown import RANGES, NoCause, Shown
from tests.questions import lab_13


def a_harmless_argument_gives_a_number() -> None:
    """One function with and without the clamp, at 0."""
    assert lab_13.question_3() == "0 and not a number"


def with_both_clamped_all_gradients_are_right_for_4_bytes() -> None:
    """Infinities, and what autograd keeps for each number; by `checkpoint` it keeps the input."""

    def pieces(x: Tensor, inside: Tensor) -> Tensor:
        left = 2 / (3 * x.clamp(max=-2))
        return torch.where(x < -2, left, torch.where(x < 3, inside * (inside + 3) / 6, x))

    def left_clamped(x: Tensor) -> Tensor:
        return pieces(x, x)

    def both_clamped(x: Tensor) -> Tensor:
        return pieces(x, x.clamp(-2, 3))

    x = torch.tensor([-math.inf, -4.0, 0.0, math.inf], requires_grad=True)
    (right,) = torch.autograd.grad(both_clamped(x).sum(), x)
    torch.testing.assert_close(right, torch.tensor([0.0, -2 / 48, 0.5, 1.0]))
    (wrong,) = torch.autograd.grad(left_clamped(x).sum(), x)
    assert wrong.isnan().tolist() == [True, False, False, True]

    numbers = torch.randn(1000, requires_grad=True)
    kept = [saved_tensors(each, numbers).total for each in (left_clamped, both_clamped)]
    assert kept[1] - kept[0] == 4 * numbers.numel()
    again = saved_tensors(lambda x: checkpoint(left_clamped, x, use_reentrant=False), numbers)
    assert again.total == 4 * numbers.numel()


def recomputed_operations_have_their_peak() -> None:
    """The peak of new tensors in both passes: as operations, and recomputed from the input."""

    def operations(x: Tensor) -> Tensor:
        left = 2 / (3 * x.clamp(max=-2))
        return torch.where(x < -2, left, torch.where(x < 3, x * (x + 3) / 6, x))

    def recomputed(x: Tensor) -> object:
        return checkpoint(operations, x, use_reentrant=False)

    x, above = torch.randn(2**16, requires_grad=True), torch.randn(2**16)
    peaks = [peak_of_tensors(both_passes(way, x, above)) for way in (operations, recomputed)]
    assert 0.9 < peaks[1] / peaks[0] < 1.1


def each_operation_saves_what_its_gradient_needs() -> None:
    """The numbers that each operation of the table saves, by its kind."""
    x = torch.rand(100, requires_grad=True)
    other = torch.rand(100)
    saved = {
        "add": (lambda: x + 3, 0),
        "mul with a number": (lambda: x * 2, 0),
        "mul, one needs a gradient": (lambda: x * other, 1),
        "mul, both need one": (lambda: x * (x + 1), 2),
        "reciprocal": (lambda: x.reciprocal(), 1),
        "relu": (lambda: x.relu(), 1),
        "clamp": (lambda: x.clamp(max=1), 1),
        "hardswish": (lambda: nn.functional.hardswish(x), 1),
        "less": (lambda: x < 0.5, 0),
    }
    for name, (run, tensors) in saved.items():
        kept = lab_13._kept(run)
        assert sum(kept.values()) == tensors * 400, name
    choice = x.detach() < 0.5
    assert lab_13._kept(lambda: torch.where(choice, x, 0.0)) == {choice.data_ptr(): 100}


def gelu_loses_a_tiny_rest() -> None:
    """GELU's slope at -10, in float32 and in float64."""
    slopes = {}
    for kind in (torch.float32, torch.float64):
        x = torch.full((16,), -10.0, dtype=kind, requires_grad=True)
        (slope,) = torch.autograd.grad(nn.functional.gelu(x).sum(), x)
        slopes[kind] = slope[0].item()
    assert slopes[torch.float32] == 0 != slopes[torch.float64]
    assert abs(slopes[torch.float64]) > torch.finfo(torch.float32).tiny


def the_weights_of_a_dead_unit_get_no_gradient_but_may_change() -> None:
    """AdamW shrinks them, and momentum goes on for some steps."""
    unit = nn.Linear(1, 1)
    with torch.no_grad():
        unit.weight.fill_(-1.0), unit.bias.fill_(-1.0)
    rule = torch.optim.AdamW(unit.parameters(), lr=0.1, weight_decay=0.1)
    unit(torch.ones(1, 1)).relu().sum().backward()
    assert unit.weight.grad == 0
    rule.step()
    assert unit.weight != -1


def above_minus_2_both_are_equal_up_to_rounding() -> None:
    """The values and the gradients of HardSwish and of FastSwish from -2 to 8."""
    from hpml.course.models import activations as library

    x = torch.linspace(-2, 8, 20_001)[1:]

    def gradient(way: Callable[[torch.Tensor], torch.Tensor]) -> torch.Tensor:
        own = x.clone().requires_grad_()
        (found,) = torch.autograd.grad(way(own).sum(), own)
        return found

    ways = (nn.functional.hardswish, library.fast_swish)
    for one, other in ((way(x) for way in ways), map(gradient, ways)):
        assert not torch.equal(one, other), "not always the same number"
        assert torch.allclose(one, other, rtol=1e-5, atol=1e-6)


SHOWN: dict[str, Shown] = {
    "Then all operations run again, so the peak is theirs.": recomputed_operations_have_their_peak,
    "So **make the argument harmless before the operation**: `x.clamp(max=-2)` never comes near "
    "0.": a_harmless_argument_gives_a_number,
    'It adds: "*this can be due to randomness*".': NoCause("it quotes the document"),
    "A predicts that HardSwish keeps as much as FastSwish's own backward, because it keeps its "
    "input too.": RANGES,
    "B predicts as much as ReLU, because HardSwish is no custom function.": RANGES,
}
ALSO: dict[str, Shown] = {
    "With both clamped, the gradient is right everywhere.": (
        with_both_clamped_all_gradients_are_right_for_4_bytes
    ),
    "That keeps 4 bytes more for each number.": (
        with_both_clamped_all_gradients_are_right_for_4_bytes
    ),
    "PyTorch has a general way to keep only the input: `checkpoint` runs the operations again in "
    "the backward pass (**recomputed**).": with_both_clamped_all_gradients_are_right_for_4_bytes,
    "A unit is **dead** if its gradient is 0 for every picture: its weights get none.": (
        the_weights_of_a_dead_unit_get_no_gradient_but_may_change
    ),
    "Above -2, HardSwish and FastSwish are equal up to rounding: if no input is below -2, their "
    "accuracies are nearly always equal.": above_minus_2_both_are_equal_up_to_rounding,
    "| `reciprocal`, `relu`, `exp` | its result |": each_operation_saves_what_its_gradient_needs,
    "A kernel that adds this to 0.5 first loses it: near 0.5, float32 numbers are several 10⁻⁸ "
    "apart.": gelu_loses_a_tiny_rest,
    "There it is multiplied by a slope of minus infinity, and 0 · ∞ is NaN.": (
        a_harmless_argument_gives_a_number
    ),
}
