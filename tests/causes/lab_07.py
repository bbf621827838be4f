from __future__ import annotations

import dis
import random
import statistics
from typing import Any

import torch
from torch import nn

from hpml.profiling.calls import profile_calls
from hpml.symbolic import Input, SymbolicModel
from tests.causes.lab_06 import a_median_of_ratios_is_not_a_ratio_of_medians
from tests.causes.shown import DESIGN, NoCause, OwnedBy, Shown
from tests.questions import lab_07

FORMS = {"LOAD_ATTR_INSTANCE_VALUE", "LOAD_ATTR_WITH_HINT", "LOAD_ATTR_SLOT"}


def _forms(owner: object) -> set[str]:
    def look_up(owner: Any) -> object:
        return owner.layer

    for _ in range(2000):
        look_up(owner)
    return {each.opname for each in dis.get_instructions(look_up, adaptive=True)}


def _owners() -> tuple[object, nn.Module]:
    plain, net = type("Plain", (), {})(), nn.Module()
    plain.layer = net.layer = nn.ReLU()
    return plain, net


def one_instruction_two_speeds() -> None:
    """One function, called with a plain object and with a module: only one gets a fast form."""
    plain, net = _owners()
    assert _forms(plain) & FORMS
    assert not _forms(net) & FORMS
    assert any(name.startswith("LOAD_ATTR") for name in _forms(net))


def a_name_for_each_result_keeps_it() -> None:
    """One chain with a name for each result, and with one name for all."""

    def most_alive(source: str) -> int:
        alive, most = [0], [0]

        class Value:
            def __init__(self) -> None:
                alive[0] += 1
                most[0] = max(most[0], alive[0])

            def __del__(self) -> None:
                alive[0] -= 1

        names: dict[str, Any] = {}
        exec(source, names)
        names["forward"](lambda _: Value())
        return most[0]

    lines = [f"    h{n + 1} = f(h{n})\n" for n in range(10)]
    own = "def forward(f):\n    h0 = 0\n" + "".join(lines) + "    return h10\n"
    reused = "def forward(f):\n    h = 0\n" + "    h = f(h)\n" * 10 + "    return h\n"
    assert most_alive(own) == 10
    assert most_alive(reused) == 2


def _chain(layers: list[nn.Module], execution: str) -> SymbolicModel:
    x = hidden = Input(shape=(4,))
    for layer in layers:
        hidden = layer(hidden)
    return SymbolicModel(x, hidden, execution=execution)


def the_arithmetic_of_four_features_is_small() -> None:
    """The multiplications of a layer of four features and of one of 1,024, for one call of each."""
    batch = 4
    assert batch * 4 * 4 < 100 < batch * 1024 * 1024 / 1000


def the_kernel_is_one_call_for_any_number_of_layers() -> None:
    """The calls of Python functions by a kernel and by a loop, for 10 and for 20 layers."""
    x = torch.rand(4, 4)
    counts: dict[str, list[int]] = {"numba": [], "loop": []}
    with torch.no_grad():
        for depth in (10, 20):
            layers: list[nn.Module] = [nn.Linear(4, 4) for _ in range(depth)]
            model, sequential = _chain(layers, "numba").compiled_inference(), nn.Sequential(*layers)
            model(x)
            counts["numba"].append(profile_calls(lambda m=model: m(x)).total)
            counts["loop"].append(profile_calls(lambda m=sequential: m(x)).total)
    assert counts["numba"][0] == counts["numba"][1]
    assert counts["loop"][0] < counts["loop"][1]


def a_fixed_cost_is_shared() -> None:
    """The time per layer that a fixed cost and a cost per layer give, at two depths."""
    start, layer = 20.0, 4.0
    per_layer = [(start + n * layer) / n for n in (10, 100)]
    assert per_layer[0] > per_layer[1] > layer


def medians_do_not_add_up() -> None:
    """The median of sums, and the sum of medians, of the same parts."""
    rng = random.Random(1)
    parts = [[rng.expovariate(1) for _ in range(25)] for _ in range(3)]
    whole = statistics.median(map(sum, zip(*parts, strict=True)))
    assert abs(whole - sum(map(statistics.median, parts))) > 0.05


def equal_bytecode_may_have_other_constants() -> None:
    """One function with two constants: its bytecode is the same, its work is not."""

    def small(n: int) -> int:
        return n**2

    def large(n: int) -> int:
        return n**20_000

    assert small.__code__.co_code == large.__code__.co_code
    assert small.__code__.co_consts != large.__code__.co_consts
    assert small(3).bit_length() < 10_000 < large(3).bit_length()


def inlined_source_calls_layers_that_it_does_not_know() -> None:
    """A layer of PyTorch and one of one's own."""

    class Own(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * x

    known, own = (_chain([layer], "inlined").source for layer in (nn.Linear(4, 4), Own()))
    assert "l[0](" not in known
    assert "l[0](" in own


def the_guard_does_not_notice_a_replaced_getattr() -> None:
    """An inlined source, after a weight was replaced and after `__getattr__` was."""
    layer, x = nn.Linear(4, 4), torch.rand(2, 4)
    model = _chain([layer], "inlined")
    before = nn.Module.__getattr__

    def doubled(self: nn.Module, name: str) -> Any:
        return before(self, name) * 2 if name == "weight" else before(self, name)

    with torch.no_grad():
        model(x)
        layer.weight = nn.Parameter(torch.ones(4, 4))
        assert torch.allclose(model(x), layer(x))
        nn.Module.__getattr__ = doubled  # type: ignore[method-assign]
        try:
            assert not torch.allclose(model(x), layer(x))
        finally:
            nn.Module.__getattr__ = before  # type: ignore[method-assign]


SHOWN: dict[str, Shown] = {
    "A ratio is the Hodges-Lehmann estimate of the rounds' ratios (lab 10), so it may differ from "
    "the ratio of two medians.": a_median_of_ratios_is_not_a_ratio_of_medians,
    "`plain.layer` is compiled to the same instruction as `net.layer`, so attributes in general "
    "are not slow.": one_instruction_two_speeds,
    '*"It is one instruction, so it is one step.': NoCause(
        "it is a wrong answer that the text quotes and then rejects"
    ),
    "So with a name for each result, all results of a forward are alive at its end.": (
        a_name_for_each_result_keeps_it
    ),
    "Such a network does little arithmetic, so the overhead of each variant is visible.": (
        the_arithmetic_of_four_features_is_small
    ),
    "Each interval extends at least a factor of 1.07 in both directions, because smaller "
    "differences change when Python is started again.": DESIGN,
    "Your engine's graph consists of dictionaries, so you can **rewrite** it before it runs.": (
        OwnedBy(
            "tests/course/labs/lab_07/test_helpers.py",
            "test_the_rewritten_block_is_faster_than_the_block_by_hand",
        )
    ),
    "- `numba` compiles all layers into one function, a **kernel**, so no Python runs between "
    "them.": the_kernel_is_one_call_for_any_number_of_layers,
    "The kernel's time per layer falls, because more layers share its fixed cost.": (
        a_fixed_cost_is_shared
    ),
    "So a forward has a fixed cost, plus the same cost for each layer.": NoCause(
        "it names the model of the next exercise; the lab compares it with a measurement"
    ),
    "*Not attributed* is left over because each row is a median of its own.": medians_do_not_add_up,
    "Before each forward the library checks that the layers have not changed since the source was "
    "written.": NoCause("since names a time"),
}
ALSO: dict[str, Shown] = {
    "With equal bytecode, names and constants neither can be faster.": (
        equal_bytecode_may_have_other_constants
    ),
    "The source of `inlined` does not call the layers that it knows: it contains what they "
    "compute.": inlined_source_calls_layers_that_it_does_not_know,
    "Container access is all that generated code can save as long as it *calls* its layers with "
    "their hooks, `l[3](h)`.": lab_07.question_3,
    "(It does not notice a replaced `nn.Module.__getattr__`.)": (
        the_guard_does_not_notice_a_replaced_getattr
    ),
    "For a search that ends in `__getattr__`, Python 3.11 to 3.13 has no such form.": (
        one_instruction_two_speeds
    ),
    "Only when the search has failed does Python call `__getattr__`, a function written in "
    "Python.": lab_07.question_1,
}
