from __future__ import annotations

import pytest
import torch
from torch import nn

from hpml.benchmark.comparison import Comparison
from hpml.benchmark.estimate import Estimate
from hpml.benchmark.measurement import Measurement
from hpml.course.labs.lab_07_code_generation import budget, generated, networks
from hpml.course.labs.lab_07_code_generation.budget import PARTS, Budget
from hpml.course.lesson.errors import LabError
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
    assert "too wide" in found.unsure("F.linear")
    assert found.unsure("F.linear: dispatch") == ""


def test_costs_of_two_depths_forecast_a_third():
    seconds = {"handwritten": {10: 12.0, 20: 22.0}, "lazy": {10: 32.0, 20: 62.0}}
    costs = budget.costs_of(seconds, 10, 20)
    assert costs == {"start": 2.0, "layer": 1.0, "handwritten": 0.0, "lazy": 2.0}


def test_only_one_way_of_a_chain_finds_its_layers_by_name():
    counted = {name: profile_calls(lambda way=way: way(torch.rand(2, 4))) for name, way in
               networks.chain_of(networks.nothings(5)).ways.items()}  # fmt: skip
    found = {
        n: c.python.get(("torch.nn.modules.module", "Module.__getattr__"), 0)
        for n, c in counted.items()
    }
    assert found["self.fc0, ..."] == 5
    assert found["l[0], ..."] == 0


def test_a_call_that_does_not_fail_has_no_traceback():
    with raises(LabError, object="error_page", received="did not", remedy="input"):
        generated.error_page(lambda: None)
