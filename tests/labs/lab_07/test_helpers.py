"""What lab 07 shows of generated code."""

from __future__ import annotations

import contextlib
import sys

import pytest
import torch
from torch import nn

from hpml.benchmark.comparison import Comparison
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.ratio import Ratio
from hpml.course.errors import LabError
from hpml.labs import lab_07_code_generation as cg
from hpml.labs.lab_07_code_generation.explanation import EXPLANATION
from hpml.symbolic import config

WITHOUT_LOOPS = float("inf")


@pytest.fixture(autouse=True)
def _no_gradients():
    with torch.no_grad():
        yield


# --- networks ---


def test_the_documents_example_is_printed_as_in_the_documents():
    with cg.loop_length(10):
        assert cg.documents_example()._generated_forward_source == cg.DOCUMENTS_SOURCE


def test_the_loop_length_is_put_back_even_after_an_error():
    before = config.CODEGEN_MIN_LOOP_LENGTH
    with contextlib.suppress(ZeroDivisionError), cg.loop_length(7):
        assert config.CODEGEN_MIN_LOOP_LENGTH == 7
        _ = 1 / 0
    assert before == config.CODEGEN_MIN_LOOP_LENGTH


# --- bytecode ---


def test_instructions_stand_side_by_side_and_shorter_functions_end_in_blanks():
    def short(h):
        return h

    def longer(h):
        return h + h

    table = cg.instructions(short, longer)
    assert table.column("longer")[-1] == "RETURN_VALUE"
    assert table.column("short")[-1] == ""
    assert any("h" in str(cell) for cell in table.column("short"))


@pytest.mark.parametrize("wrong", [(), (len,)])
def test_instructions_refuse_what_has_no_bytecode(wrong):
    with pytest.raises(LabError, match="functions written in Python"):
        cg.instructions(*wrong)


def test_generated_code_executes_fewer_instructions_than_the_other_executions():
    def each(execution):
        with cg.loop_length(WITHOUT_LOOPS):
            few, many = (
                cg.chain_model([nn.Identity() for _ in range(n)], execution) for n in (5, 10)
            )
        x = torch.ones(1, 4)
        return (cg.count_instructions(many, x) - cg.count_instructions(few, x)) / 5

    lazy, ordered, codegen = each("lazy"), each("ordered"), each("codegen")
    assert lazy > ordered > codegen > 0
    assert codegen == int(codegen)


def each_layer(execution, *, inside):
    with cg.loop_length(WITHOUT_LOOPS):
        few, many = (
            cg.chain_model([nn.Linear(4, 4) for _ in range(n)], execution) for n in (5, 10)
        )
    x = torch.ones(1, 4)
    counts = [cg.count_instructions(model, x, inside=inside) for model in (few, many)]
    return (counts[1] - counts[0]) / 5


def test_an_inlined_line_is_longer_than_a_call_and_all_that_is_executed():
    line = each_layer("inlined", inside=False)
    assert line > each_layer("codegen", inside=False)
    assert line == each_layer("inlined", inside=True) < each_layer("codegen", inside=True)


def test_counting_leaves_the_tracer_that_was_there():
    def tracer(frame, event, argument):
        return None

    before = sys.gettrace()
    sys.settrace(tracer)
    try:
        cg.count_instructions(cg.chain_model([nn.Identity()]), torch.ones(1, 4))
        kept = sys.gettrace()
    finally:
        sys.settrace(before)
    assert kept is tracer


def test_a_measured_expression_takes_a_thousandth_of_the_call_that_repeats_it():
    runs = []
    found = cg.measure_expressions({"one": "note()"}, {"note": lambda: runs.append(1)}, rounds=6)
    assert found["one"].number % 1000 == 0
    assert len(runs) % 1000 == 0
    assert len(runs) > 0


# --- memory ---


def both_forms(model, x):
    layers = model._execution_order_layers
    named = cg.live_bytes(model._generated_forward_source, layers, x)
    return named, cg.live_bytes(model.source, layers, x)


def test_a_name_for_each_value_keeps_all_of_them_alive():
    x = torch.ones(16, 4)
    with cg.loop_length(WITHOUT_LOOPS):
        named, again = both_forms(cg.chain_model([nn.Linear(4, 4) for _ in range(10)]), x)
    assert [count // x.nbytes for count in named] == list(range(1, 11))
    assert [count // x.nbytes for count in again] == [1] + [2] * 9


def test_a_residual_block_needs_three_results_at_once():
    x = torch.ones(16, 4)
    with cg.loop_length(WITHOUT_LOOPS):
        named, again = both_forms(cg.residual_model(5), x)
    assert max(named) == 15 * x.nbytes
    assert max(again) == 3 * x.nbytes


def test_results_that_share_their_memory_are_counted_once():
    source = (
        "def forward(self, x):\n    l = self._execution_order_layers\n"
        "    a = l[0](x)\n    b = l[1](a)\n    return b\n"
    )
    x = torch.ones(16, 4)
    layers = [lambda t: t * 2, lambda t: t.view(4, 16)]
    assert cg.live_bytes(source, layers, x) == (x.nbytes, x.nbytes)


def test_the_picture_of_memory_says_both_peaks():
    page = cg.draw_live_bytes({"a net": {"one": [1024, 4096], "other": [1024, 2048]}})
    assert page.plain == "a net: at the peak 4.00 KiB (one) and 2.00 KiB (other)."


# --- errors ---


def test_an_error_in_generated_code_shows_its_line_and_names_the_layer():
    model = cg.documents_example()
    page = cg.error_page(lambda: model(torch.ones(2, 4), torch.ones(3, 4)))
    assert "l[20](" in page.plain
    assert "In layer AddOpLayer_1" in page.plain
    assert ".py" not in page.plain.split("RuntimeError")[0]


def test_an_error_in_a_plain_exec_shows_no_line():
    scope = {}
    exec("def forward(x):\n    return x.nothing", scope)
    page = cg.error_page(lambda: scope["forward"](1))
    first, second = page.plain.splitlines()
    assert first == 'File "<string>", line 2, in forward'
    assert second.startswith("AttributeError")


def test_an_error_page_of_what_does_not_fail_is_refused():
    with pytest.raises(LabError, match="nothing did"):
        cg.error_page(lambda: None)


def test_a_listing_escapes_what_it_shows():
    assert "a &lt; b" in cg.listing("a < b").html


# --- budget ---


def stages(**microseconds):
    times = {
        "loop": 1.0, "function": 3.0, "module": 10.0, "into C++": 2.0, "linear, no rows": 12.0,
        "linear": 21.0, "whole": 45.0, **microseconds,
    }  # fmt: skip
    made = [
        # The slow samples are the other programs of the machine.
        Measurement(name, tuple(1e-6 * t * slow for slow in (1, 1, 2, 3, 2, 1)), number=10)
        for name, t in times.items()
    ]
    return Comparison(tuple(made), "loop", 6)


def test_the_parts_add_up_to_the_whole():
    parts = cg.budget(stages(), layers=10)
    expected = [1e-7, 2e-7, 7e-7, 1e-7, 1e-6, 9e-7, 1.5e-6]
    assert parts.column("time") == pytest.approx(expected)
    assert sum(parts.column("share")) == pytest.approx(1)
    assert "by the medians 6.75 µs" in str(parts)


def test_the_parts_of_the_operator_add_up_to_the_operator():
    parts = cg.budget(stages(), layers=10)
    operator = [row[1] for row in parts.rows if row[0].startswith("F.linear")]
    assert len(operator) == 3
    assert sum(operator) == pytest.approx((21 - 1) * 1e-7)


def test_a_negative_part_is_shown_and_drawn():
    parts = cg.budget(stages(whole=26.0), layers=10)
    assert parts.column("time")[-1] == pytest.approx(-4e-7)
    page = cg.draw_budget(parts, 1.7e-6)
    assert "F.linear: dispatch takes 1,000 ns" in page.plain
    assert "the floor is 1,700 ns" in page.plain


def test_a_budget_without_all_stages_is_refused():
    found = stages()
    few = Comparison(found.measurements[:3], "loop", 6)
    with pytest.raises(LabError, match="linear, no rows, linear, whole"):
        cg.budget(few, layers=10)


# --- inlining ---


def test_a_moment_says_who_is_called_and_why():
    model = cg.residual_model(2)
    model.execution = "inlined"
    moments = {"before": model.explain()}
    handle = model._execution_order_layers[1].register_forward_hook(lambda *given: None)
    moments["hook"] = model.explain()
    handle.remove()
    moments["after"] = model.explain()
    before, hook, after = cg.explained(moments).rows
    assert before[1:] == after[1:] == (6, 0, "")
    assert hook[:3] == ("hook", 5, 1)
    assert "hook" in hook[3]


def test_of_many_called_layers_only_some_are_named():
    model = cg.chain_model([nn.Linear(4, 4) for _ in range(5)])
    ((_, inlined, called, names),) = cg.explained({"now": model.explain()}).rows
    assert (inlined, called) == (0, 5)
    assert names.count(":") == 3
    assert names.endswith("…")


# --- the explanation ---


def ratio(low, high):
    answer = "slower" if low > 1.01 else "cannot tell"
    return Ratio((low + high) / 2, low, high, answer)


@pytest.mark.parametrize(
    ("few", "many", "said"),
    [
        (ratio(1.8, 1.9), ratio(1.8, 1.9), "A fits"),
        (ratio(1.10, 1.12), ratio(1.9, 2.1), "B fits"),
        (ratio(1.8, 1.9), ratio(1.08, 1.1), "C fits"),
        (ratio(1.1, 1.9), ratio(1.1, 1.9), "too wide"),
        (ratio(1.8, 1.9), ratio(0.9, 1.1), "nothing can be explained"),
        (ratio(0.9, 1.1), ratio(1.8, 1.9), "nothing can be explained"),
    ],
)
def test_the_intervals_decide_which_explanation_fits(few, many, said):
    assert said in cg.what_fits(few, many)


def test_the_best_experiment_is_one_of_those_offered():
    assert EXPLANATION.best in EXPLANATION.experiments
    assert len(EXPLANATION.claims) == 3


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (Ratio(0.5, 0.48, 0.52, "faster"), "**new** took 50 % less time than old"),
        (Ratio(1.0, 0.5, 3.0, "cannot tell"), "**new** and old cannot be told apart (too noisy)"),
    ],
)
def test_a_ratio_in_words(given, said):
    assert cg.in_words("new", given, "old") == said


# --- how quiet the machine is ---


def spreading(*widths):
    made = [
        Measurement(str(n), tuple(1e-6 * (1 + width * k) for k in range(5)), number=10)
        for n, width in enumerate(widths)
    ]
    return Comparison(tuple(made), "0", 5)


def test_a_machine_is_busy_where_most_samples_spread_and_not_where_one_contender_does():
    assert "quiet enough, if not for `2`." in cg.how_quiet(spreading(0.01, 0.01, 1.0)).plain
    busy = cg.how_quiet(spreading(0.1, 0.01, 0.1)).plain
    assert busy.startswith("This machine is busy. The middle half of the samples spans 17 %")
    assert "ROUNDS = 75" in busy


# --- running ---


def test_source_gives_the_function_that_it_defines():
    assert cg.function_of("import math\ndef forward(self, x): return math.fabs(x)")(None, -3) == 3


def test_source_without_a_function_is_refused():
    with pytest.raises(LabError, match="defines no function"):
        cg.function_of("x = 1")
