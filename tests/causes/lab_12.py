from __future__ import annotations

import random
import sys
import weakref
from collections.abc import Callable

import pytest
import torch
from torch import nn

from hpml.course.labs.lab_12_training.debugging import by_case, with_logs
from hpml.course.labs.lab_12_training.exercises import FORMATS
from hpml.profiling import work_of
from tests.causes.shown import DESIGN, RANGES, Shown, Source, python
from tests.questions.answers import solution

FAULTS = """
import resource, torch
torch.set_num_threads(1)
model = torch.nn.Sequential(torch.nn.Linear(500, 500), torch.nn.GELU(), torch.nn.Linear(500, 10))
rule = torch.optim.AdamW(model.parameters())
x = torch.rand(64, 500)
def faults(): return resource.getrusage(resource.RUSAGE_SELF).ru_minflt
found = []
for _ in range(8):
    before = faults()
    rule.zero_grad(); model(x).square().mean().backward(); rule.step()
    found.append(faults() - before)
print(found[0], max(found[4:]))
"""


def matrix_products_have_most_parameters_and_arithmetic() -> None:
    """The weights of a 7 × 7 convolution of each channel and of a linear layer on 384 channels."""
    channels = 384
    apart = nn.Conv2d(channels, channels, 7, padding=3, groups=channels, bias=False)
    pairs = nn.Linear(channels, 4 * channels, bias=False)
    assert apart.weight.numel() == 49 * channels
    assert pairs.weight.numel() == 4 * channels * channels
    share = apart.weight.numel() / (apart.weight.numel() + 2 * pairs.weight.numel())
    assert share < 0.02, "each weight is used once for each pixel, in both"


@pytest.mark.thorough
def the_first_step_touches_new_memory() -> None:
    """The page faults of the first step of a training and of later ones."""
    if not sys.platform.startswith("linux"):
        pytest.skip("needs Linux")
    first, later = map(int, python(FAULTS).stdout.split())
    assert first > 2 * later, "later steps still touch some pages"


def the_best_scale_depends_on_the_gradients() -> None:
    """The largest scale without an overflow in float16, for gradients of two sizes."""

    def largest(gradient: float) -> float:
        scale = 1.0
        while torch.tensor(gradient * scale * 2).half().isfinite():
            scale *= 2
        return scale

    assert largest(1e-3) == 2**4 * largest(16e-3)


def bfloat16_has_the_range_of_float32() -> None:
    """A small gradient in three types."""
    small = torch.tensor(1e-30)
    assert small.bfloat16() != 0
    assert small.half() == 0
    assert torch.finfo(torch.bfloat16).tiny == torch.finfo(torch.float32).tiny
    largest = torch.tensor(torch.finfo(torch.float32).max)
    assert largest.bfloat16().isinf(), "nearly the range"
    assert (0.99 * largest).bfloat16().isfinite()


def sixteen_bits_are_too_few_one_by_one_only() -> None:
    """16,384 ones added to a float16 or a bfloat16, one after another or in pairs."""
    for kind, stops in ((torch.float16, 2048), (torch.bfloat16, 256)):
        total, one = torch.zeros((), dtype=kind), torch.ones((), dtype=kind)
        for _ in range(3000):
            total += one
        assert total == stops
        pairs = torch.ones(2**14, dtype=kind)
        while len(pairs) > 1:
            pairs = pairs[::2] + pairs[1::2]
        assert pairs == 2**14


def an_interval_of_two_deviations_covers_95_percent() -> None:
    """How often the interval covers an epoch: many steps that scatter normally, few, and others."""
    estimate = solution("lab_12/epoch_estimate")

    def covered(count: int, draw: Callable[[random.Random], float]) -> float:
        rng, inside = random.Random(12), 0
        for _ in range(1000):
            _, low, high = estimate([draw(rng) for _ in range(count)], 100)
            inside += low <= sum(draw(rng) for _ in range(100)) <= high
        return inside / 1000

    def normal(rng: random.Random) -> float:
        return rng.gauss(1, 0.05)

    def some_slow(rng: random.Random) -> float:
        return 3.0 if rng.random() < 0.1 else normal(rng)

    assert 0.93 < covered(60, normal) < 0.98
    assert covered(6, normal) < 0.93
    assert covered(12, some_slow) < 0.8


def the_rule_for_sums_holds_for_added_values() -> None:
    """Values of which each alone may vanish, added in float16; and two that cancel."""
    choose = solution("lab_12/choose_precision")
    small = [0.0061] + [6.05e-5] * 19
    least = torch.finfo(torch.float16).tiny
    kept = sum(value for value in small if value >= least)
    assert 1 - kept / sum(small) > 0.15
    two_formats = {name: FORMATS[name] for name in ("float16", "float32")}
    assert choose(small, two_formats, 0.01, added=True) == "float32"
    assert choose(small, two_formats, 0.01, added=False) == "float16"
    two = [1.0, -0.9997]
    assert choose(two, FORMATS, 0.01, added=True) == "float16"
    error = abs(torch.tensor(two).half().sum().item() - sum(two))
    assert error > 0.5 * abs(sum(two)), "much of the sum itself"
    assert error <= 0.01 * sum(map(abs, two)), "little of the magnitudes"


def half_a_batch_each_gives_the_same_mean_gradient() -> None:
    """The gradient of a batch, and the mean of those of its halves; batch statistics differ."""
    torch.manual_seed(0)
    layer, x = nn.Linear(4, 1).double(), torch.rand(8, 4, dtype=torch.float64)

    def gradient(x: torch.Tensor) -> torch.Tensor:
        (found,) = torch.autograd.grad(layer(x).square().mean(), layer.weight)
        return found

    halves = (gradient(x[:4]) + gradient(x[4:])) / 2
    assert torch.allclose(gradient(x), halves, rtol=1e-12)
    norm = nn.BatchNorm1d(4).double()
    assert not torch.allclose(norm(x)[:4], norm(x[:4]))


def autocast_chooses_by_operator() -> None:
    """The types of four results under `autocast` on a CPU."""
    x = torch.rand(4, 8)
    layer, norm, image = nn.Linear(8, 8), nn.LayerNorm(8), nn.Conv2d(1, 1, 3)
    with torch.no_grad(), torch.autocast("cpu", dtype=torch.bfloat16):
        y = layer(x)
        types = [y.dtype, image(torch.rand(1, 1, 8, 8)).dtype]
        first_two = [norm(y).dtype, y.softmax(1).dtype]
        of_float32 = [norm(x).dtype, x.softmax(1).dtype]
        loss = nn.functional.cross_entropy(y, torch.zeros(4, dtype=torch.long))
        others = [torch.outer(x[0], x[0]).dtype, (x.double() @ x.double().T).dtype]
    assert set(types) == set(first_two) == {torch.bfloat16}
    assert set(of_float32) == {torch.float32}, "they keep the type of their input"
    assert loss.dtype == torch.float32
    assert others == [torch.float32, torch.float64], "not all products"
    assert layer.weight.dtype == torch.float32


def a_fused_optimiser_is_one_operator() -> None:
    """The operators of one step of AdamW on three weights, fused and not."""
    counts = {}
    for fused in (True, False):
        weights = [nn.Parameter(torch.rand(5)) for _ in range(3)]
        rule = torch.optim.AdamW(weights, fused=fused)
        for each in weights:
            each.grad = torch.rand(5)
        rule.step()
        counts[fused] = work_of(rule.step).operations
    assert len([name for name in counts[True] if "fused" in name]) == 1
    assert 8 <= len(counts[False]) / 3 <= 14
    groups = [{"params": [nn.Parameter(torch.rand(5))]} for _ in range(2)]
    rule = torch.optim.AdamW(groups, fused=True)
    for group in rule.param_groups:
        group["params"][0].grad = torch.rand(5)
    rule.step()
    names = work_of(rule.step).operations
    assert len([name for name in names if "fused" in name]) == 2, "one for each group"


RISING = """
import torch
class Rising(torch.nn.Module):
    def __init__(self, step):
        super().__init__()
        self.layer, self.step = torch.nn.Linear(64, 64), step
    def forward(self, x):
        self.step += 1
        return self.layer(x) * (self.step / 100)
for step in (0, torch.zeros(())):
    torch.compiler.reset()
    print("case:", type(step).__name__, flush=True)
    model = torch.compile(Rising(step), backend="eager")
    for _ in range(4):
        model(torch.rand(8, 64))
"""


@pytest.mark.thorough
def an_int_of_a_module_is_a_constant_of_the_graph() -> None:
    """The failed guards of four steps that are counted in an int, and in a tensor."""
    found = by_case(with_logs(RISING, "recompiles"))
    assert found == {"int": [f"self.step == {n}" for n in range(3)], "Tensor": []}


@pytest.mark.thorough
def after_eight_graphs_a_function_runs_uncompiled() -> None:
    """Which calls of a function with a new constant each time run a captured graph."""
    with_graph: list[bool] = []

    def backend(graph: torch.fx.GraphModule, _: object) -> Callable[..., object]:
        def run(*given: object) -> object:
            with_graph[-1] = True
            return graph.forward(*given)

        return run

    class Rising(nn.Module):
        step = 0

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.step += 1
            return x * self.step

    torch.compiler.reset()
    model = torch.compile(Rising(), backend=backend)
    for _ in range(11):
        with_graph.append(False)
        model(torch.rand(3))
    torch.compiler.reset()
    assert with_graph == [True] * 8 + [False] * 3


def a_number_keeps_no_graph() -> None:
    """The results that are alive during a sum of numbers, and during one of tensors."""
    layer = nn.Linear(8, 8)

    def most(count: Callable[[torch.Tensor], object]) -> int:
        alive: list[weakref.ref[torch.Tensor]] = []
        most, total = 0, 0.0

        def loss() -> torch.Tensor:
            nonlocal most
            result = layer(torch.rand(4, 8)).tanh()
            alive.append(weakref.ref(result))
            most = max(most, sum(each() is not None for each in alive))
            return result.square().mean()

        for _ in range(4):
            total = total + count(loss())  # type: ignore[operator]
        return most

    assert most(torch.Tensor.item) == 1
    assert most(lambda loss: loss) == 4


def a_sum_of_losses_keeps_the_graph_of_each_batch() -> None:
    """The tensors that a total keeps of one batch and of four, with gradients and without."""
    layers = nn.Sequential(nn.Linear(8, 8), nn.Tanh())

    def kept(batches: int, *, recorded: bool) -> int:
        alive = []
        with torch.set_grad_enabled(recorded):
            total = torch.zeros(())
            for _ in range(batches):
                result = layers(torch.rand(4, 8))
                alive.append(weakref.ref(result))
                total = total + result.square().mean()
                del result
        return sum(each() is not None for each in alive) + 0 * int(total.numel())

    assert [kept(n, recorded=True) for n in (1, 4)] == [1, 4]
    assert [kept(n, recorded=False) for n in (1, 4)] == [0, 0]


def backward_frees_what_the_forward_kept() -> None:
    """A result that is kept for the backward pass, before it and after it."""
    x = torch.rand(4, 8, requires_grad=True)
    result = x.tanh()
    alive, total = weakref.ref(result), result.square().sum()
    del result
    assert alive() is not None
    total.backward()
    assert alive() is None


SHOWN: dict[str, Shown] = {
    "NVIDIA's GPUs since Hopper (2022) also multiply numbers of 8 bits; with those, scales are "
    "back: `torchao.float8` computes one for each tensor or row.": (
        Source("torchao.float8.config.ScalingGranularity; NVIDIA H100 architecture, 2022, for FP8")
    ),
    "So nearly all parameters, and nearly all arithmetic, are in matrix products.": (
        matrix_products_have_most_parameters_and_arithmetic
    ),
    "So later epochs avoid this cost.": the_first_step_touches_new_memory,
    "That limit changes while the network learns, so it is found by trying.": (
        the_best_scale_depends_on_the_gradients
    ),
    "An `int` of a module is a constant of the graph, so each step fails the guard of the step "
    "before.": an_int_of_a_module_is_a_constant_of_the_graph,
    "`bfloat16` has nearly the range of `float32`, so it needs no scale.": (
        bfloat16_has_the_range_of_float32
    ),
    "Then it shows the effect of compiling each (64 pixels, so not section 5's ratio).": DESIGN,
    "So the losses should equal those of one process, up to rounding.": (
        half_a_batch_each_gives_the_same_mean_gradient
    ),
    "B predicts that the two agree, because the seed is the same.": RANGES,
    "A and C both allow a difference, so the experiment cannot separate them.": RANGES,
}
ALSO: dict[str, Shown] = {
    "Through it each batch's graph stays alive, with all activations that a backward pass would "
    "need.": a_sum_of_losses_keeps_the_graph_of_each_batch,
    "NVIDIA's GPUs before Ampere (2020) had only `float16`; *going further* shows how they "
    "trained.": (
        Source("NVIDIA A100 Tensor Core GPU Architecture, 2020, for bfloat16 as a new type")
    ),
    "With `.item()` behind each `cross_entropy(...)` instead, one batch's graph is alive at a "
    "time.": a_number_keeps_no_graph,
    "In training, `backward()` frees the activations.": backward_frees_what_the_forward_kept,
    "After eight graphs (`torch._dynamo.config.recompile_limit`) the function runs uncompiled: "
    "slow, with a warning and no error.": after_eight_graphs_a_function_runs_uncompiled,
    "The processes gather the weights of a layer before its forward and its backward, and free "
    "them afterwards.": Source("PyTorch's documentation of torch.distributed.fsdp.fully_shard"),
    "After the backward each process gets its part of the summed gradients (reduce-scatter).": (
        Source("PyTorch's documentation of torch.distributed.fsdp.fully_shard")
    ),
    "On a CPU the first two keep their input's type, and add in `float32`.": (
        autocast_chooses_by_operator
    ),
    "A **fused optimiser** updates each group of weights with one operator; otherwise AdamW runs "
    "about ten per weight tensor on a CPU.": a_fused_optimiser_is_one_operator,
    "Neither has enough digits to add many numbers one by one.": (
        sixteen_bits_are_too_few_one_by_one_only
    ),
    "It covers about 95 % if steps are many and scatter normally.": (
        an_interval_of_two_deviations_covers_95_percent
    ),
    "The sum of all magnitudes must not be above `largest`, and at most `error` times it may "
    "vanish.": the_rule_for_sums_holds_for_added_values,
}
