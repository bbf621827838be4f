from __future__ import annotations

import operator
import time
from typing import Any

import pytest
import torch
from torch import nn

from hpml.benchmark import compare
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.estimate import Estimate
from hpml.benchmark.measurement import Measurement
from hpml.course.labs.lab_06_forward_order.references import ordered_forward
from hpml.course.labs.lab_07_code_generation import budget, generated, networks
from hpml.course.labs.lab_07_code_generation.budget import PARTS, Budget
from hpml.course.lesson.errors import LabError
from hpml.course.lesson.model_graphs import operations_of, parents_of
from hpml.profiling import profile_calls
from hpml.symbolic import config
from tests.parts import raises


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


def test_the_documents_example_is_printed_as_in_the_documents():
    with config.loop_length(10):
        assert networks.documents_example()._generated_forward_source == networks.DOCUMENTS_SOURCE


def test_a_name_for_each_value_keeps_all_of_them_alive():
    x = torch.ones(16, 4)
    with config.loop_length(float("inf")):
        model = networks.chain_model([nn.Linear(4, 4) for _ in range(10)])
        named = generated.live_bytes(model, model._generated_forward_source, x)
        again = generated.live_bytes(model, model.source, x)
    assert [count // x.nbytes for count in named] == list(range(1, 11))
    assert [count // x.nbytes for count in again] == [1] + [2] * 9


def test_an_error_in_generated_code_shows_its_line_and_names_the_layer():
    model = networks.documents_example()
    page = generated.error_page(lambda: model(torch.ones(2, 4), torch.ones(3, 4)))
    assert "l[20](" in page.plain
    assert "In layer AddOpLayer_1" in page.plain
    assert ".py" not in page.plain.split("RuntimeError")[0]


def stages(**microseconds):
    times = {
        "loop": 1.0, "function": 3.0, "module": 10.0, "linear, no rows": 12.0,
        "linear": 21.0, "whole": 45.0, "floor": 7.0, **microseconds,
    }  # fmt: skip
    made = [
        Measurement(name, tuple(1e-6 * t * slow for slow in (1, 1, 2, 3, 2, 1)), number=10)
        for name, t in times.items()
    ]
    return Comparison(tuple(made), "loop", 6)


def test_the_parts_add_up_to_the_whole_within_each_round():
    found = budget.budget(stages())
    middle = 1.5e-6
    expected = [1 * middle, 2 * middle, 7 * middle, 11 * middle, 9 * middle, 15 * middle]
    assert [part.value for part in found.parts.values()] == pytest.approx(expected)
    assert sum(part.value for part in found.parts.values()) == pytest.approx(found.whole.value)
    assert found.share("F.linear") == pytest.approx(20 / 45)
    assert all(part.low < part.value < part.high for part in found.parts.values())


def test_what_the_parts_leave_of_the_whole_is_shown_and_wide_parts_are_not_scored():
    sure, wide = Estimate(1e-6, 0.9e-6, 1.1e-6), Estimate(4e-6, 1.35e-6, 14.6e-6)
    whole = Estimate(10e-6, 9e-6, 11e-6)
    parts = {**dict.fromkeys(PARTS, sure), "F.linear: kernel": wide}
    found = Budget(parts, whole, sure)
    assert found.gap == pytest.approx(1e-6)
    assert "not attributed: 1000 ns" in found.picture().plain
    assert "% to 146%;" in found.picture().plain
    assert "weights: 1.00 µs (900 ns to 1.10 µs), 10.0%" in found.picture().plain
    assert "the floor: 1.00 µs (900 ns to 1.10 µs), 10.0%" in found.picture().plain
    assert "the floor, a loop of its own and none of the parts" in found.picture().plain
    assert "too wide" in found.unsure("F.linear")
    assert found.unsure("F.linear: dispatch") == ""


def test_costs_of_two_depths_forecast_a_third():
    seconds = {"handwritten": {10: 12.0, 20: 22.0}, "lazy": {10: 32.0, 20: 62.0}}
    costs = budget.costs_of(seconds, 10, 20)
    assert costs == {"start": 2.0, "layer": 1.0, "handwritten": 0.0, "lazy": 2.0}


def test_only_one_way_of_a_chain_finds_its_layers_by_name():
    counted = {
        name: profile_calls(lambda way=way: way(torch.rand(2, 4)))
        for name, way in networks.chain_of(networks.nothings(5)).ways.items()
    }
    found = {
        n: c.python.get(("torch.nn.modules.module", "Module.__getattr__"), 0)
        for n, c in counted.items()
    }
    assert found["self.fc0, ..."] == 5
    assert found["l[0], ..."] == 0


def test_a_call_that_does_not_fail_has_no_traceback():
    with raises(LabError, object="error_page", received="did not", remedy="input"):
        generated.error_page(lambda: None)


@pytest.mark.thorough
def test_on_a_block_an_order_keeps_up_with_the_forward_by_hand_and_only_inlined_is_faster():
    blocks, words = networks.block_forwards(), torch.rand(1, 16, 64)
    ways = {name: (lambda model=model: model(words)) for name, model in blocks.items()}
    found = compare(ways, baseline="by hand", rounds=60, clock=time.process_time, warm_up=5)
    assert found.ratio("inlined").high < 0.97
    for name in ("codegen", "torch.fx"):
        assert 0.9 < found.ratio(name).value < 1.1


def test_one_merged_layer_gives_the_results_of_three():
    layers, x = [torch.nn.Linear(5, 3) for _ in range(3)], torch.rand(2, 4, 5)
    results = networks.merged_linear(layers)(x)
    assert len(results) == 3
    for layer, result in zip(layers, results, strict=True):
        torch.testing.assert_close(result, layer(x))


@pytest.mark.thorough
def test_the_rewritten_block_is_faster_than_the_block_by_hand():
    blocks, words = networks.block_forwards(), torch.rand(1, 16, 64)
    needs, steps = parents_of(blocks["codegen"]), operations_of(blocks["codegen"])
    three = [name for name, above in needs.items() if above == ["LayerNorm_1"]]
    assert len(three) == 3
    order = [name for name in steps if name not in three]
    order[1:1] = ["merged", *three]
    needs |= {"merged": ["LayerNorm_1"]} | {name: ["merged"] for name in three}
    steps["merged"] = networks.merged_linear([steps[name] for name in three])
    steps |= {name: operator.itemgetter(k) for k, name in enumerate(three)}

    def rewritten() -> Any:
        return ordered_forward(order, needs, steps, {"input": words}, order[-1])

    with torch.no_grad():
        torch.testing.assert_close(rewritten(), blocks["by hand"](words))
        ways = {"by hand": lambda: blocks["by hand"](words), "rewritten": rewritten}
        found = compare(ways, baseline="by hand", rounds=60, clock=time.process_time, warm_up=5)
    assert found.ratio("rewritten").high < 1


def test_a_block_by_hand_looks_up_each_of_its_layers_and_an_order_none():
    blocks, words = networks.block_forwards(), torch.rand(1, 16, 64)

    def looked_up(name: str) -> int:
        calls = profile_calls(lambda: blocks[name](words)).python
        return calls.get(("torch.nn.modules.module", "Module.__getattr__"), 0)

    # Ten layers of its own; what the layers look up is the same in both.
    assert looked_up("by hand") - looked_up("codegen") == 10
