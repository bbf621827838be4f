"""The counters and the forced interruption of lab 06."""

from __future__ import annotations

import functools
import operator
import sys
import threading

import pytest
import torch

from hpml.base.files import published
from hpml.benchmark import Case, Measurement
from hpml.benchmark.comparison import Comparison
from hpml.course.errors import LabError
from hpml.labs.lab_06_forward_order.forwards import (
    CallCounts,
    Pause,
    beside_published,
    change,
    deepest,
    extra_per_node,
    folded_source,
    in_words,
    interrupted,
    profile_calls,
)
from hpml.models import DeepLinear, linear_layers, symbolic_deep_linear
from hpml.symbolic import Input, SymbolicModel

WAYS = ("lazy", "ordered", "codegen")


def compared(**samples: tuple[float, ...]) -> Comparison:
    measured = tuple(Measurement(name, taken, number=1) for name, taken in samples.items())
    return Comparison(measured, measured[0].name, len(measured[0].samples))


# --- counting ---


def test_every_python_call_is_counted_once() -> None:
    def leaf() -> int:
        return len([1])

    def tree() -> int:
        return leaf() + leaf()

    counts = profile_calls(tree)
    assert {name: count for (_, name), count in counts.python.items()} == {"tree": 1, "leaf": 2}
    assert {name: count for (_, name), count in counts.builtin.items()} == {"len": 2}
    assert counts.total == 3


def test_the_profiling_hook_of_before_is_set_again_also_after_an_error() -> None:
    def fails() -> None:
        raise ZeroDivisionError

    seen: list[str] = []

    def earlier(frame: object, event: str, argument: object) -> None:
        seen.append(event)

    before = sys.getprofile()
    sys.setprofile(earlier)
    try:
        with pytest.raises(ZeroDivisionError):
            profile_calls(fails)
        assert sys.getprofile() is earlier
    finally:
        sys.setprofile(before)


def test_a_package_is_told_from_one_whose_name_begins_the_same() -> None:
    counts = CallCounts({("torch.nn", "f"): 2, ("torchvision", "g"): 3, ("torch", "h"): 4}, {})
    assert counts.of("torch") == 6


def test_all_executions_leave_the_layers_the_same_number_of_calls() -> None:
    layers = linear_layers(30)
    data = torch.rand(4, 4)
    models = [symbolic_deep_linear(layers, 4, way) for way in WAYS]
    counts = [
        profile_calls(functools.partial(model, data)) for model in (*models, DeepLinear(layers))
    ]
    # The hand-written module iterates over a ModuleList, two calls of torch's own.
    own = [count.of("torch") for count in counts]
    assert max(own) - min(own) < 5
    assert min(own) >= 3 * len(layers)


def test_the_calls_of_the_ordered_execution_do_not_grow_with_the_depth() -> None:
    data = torch.rand(4, 4)

    def own_calls(depth: int, way: str) -> int:
        model = symbolic_deep_linear(linear_layers(depth), 4, way)
        return profile_calls(functools.partial(model, data)).of("hpml")

    assert own_calls(40, "ordered") == own_calls(10, "ordered")
    assert own_calls(40, "codegen") == own_calls(10, "codegen")
    assert own_calls(40, "lazy") > own_calls(10, "lazy")


def test_the_table_shows_what_happens_in_most_layers() -> None:
    counts = CallCounts({("m", "often"): 30, ("m", "rarely"): 1, ("other", "often"): 10}, {})
    assert counts.table(10, "m").column("function") == ("often",)
    assert counts.table(10, "m").column("calls a layer") == (3.0,)


@pytest.mark.parametrize("limit", [0, 1, 63, 64, 65, 1000])
def test_the_deepest_run_is_found(limit: int) -> None:
    def run(depth: int) -> None:
        if depth > limit:
            raise RecursionError

    assert deepest(run, at_most=5000) == limit


def test_a_run_that_never_meets_the_limit_is_reported_at_the_end_of_the_search() -> None:
    assert deepest(lambda depth: None, at_most=500) == 500


# --- two callers ---


def test_values_on_nodes_leak_from_one_caller_to_the_other() -> None:
    pause = Pause()
    store: dict[str, int] = {}

    def careless(value: int) -> int:
        store["doubled"] = 2 * value
        paused = pause(store["doubled"])
        return operator.add(store["doubled"], paused)

    assert (careless(1), careless(100)) == (4, 400)
    assert interrupted(careless, pause, 1, 100) == (202, 400)


@pytest.mark.parametrize("way", WAYS)
def test_a_model_of_the_library_serves_two_callers(way: str) -> None:
    pause = Pause()
    first = Input(shape=(1,))
    twice = first * 2
    model = SymbolicModel(first, twice + pause(twice), execution=way)
    sent = torch.tensor([[1.0]]), torch.tensor([[100.0]])
    got = interrupted(model, pause, *sent)
    assert [float(value.detach()) for value in got] == [4.0, 400.0]


def test_a_forward_without_the_pause_is_refused() -> None:
    with pytest.raises(LabError, match="calls the pause layer"):
        interrupted(lambda value: value, Pause(), 1, 2)


def test_the_first_callers_error_reaches_the_caller() -> None:
    pause = Pause()

    def fails_early(value: int) -> int:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        interrupted(fails_early, pause, 1, 2)


def test_the_second_callers_error_lets_the_first_go() -> None:
    pause = Pause()

    def fails_for_two(value: int) -> int:
        if value == 2:
            raise ZeroDivisionError
        return int(pause(value))

    threads = threading.active_count()
    with pytest.raises(ZeroDivisionError):
        interrupted(fails_for_two, pause, 1, 2)
    assert threading.active_count() == threads
    assert fails_for_two(1) == 1


# --- reading comparisons ---


def test_words_claim_only_what_the_samples_support() -> None:
    noisy = compared(a=(1.0, 2.0, 1.0, 2.0, 1.0, 2.0), b=(2.0, 1.0, 2.0, 1.0, 2.0, 1.0))
    assert "cannot tell" in in_words(noisy, "b")
    clear = compared(a=(1.0,) * 6, b=(0.5,) * 6)
    assert in_words(clear, "b").startswith("**b** takes 0.50 times as long as a")


def test_the_extra_time_is_that_of_the_same_round() -> None:
    # The machine slows down threefold; the difference within a round does not change.
    fast = (1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 3.0)
    slow = tuple(time + 0.5 for time in fast)
    assert extra_per_node(compared(fast=fast, slow=slow), "slow", "fast", 10) == (0.05,) * 3


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        ((0.9, 1.1, 1.2), "stays"),
        ((1.3, 2.0, 2.5), "grows"),
        ((0.1, 0.3, 0.5), "shrinks"),
        ((0.9, 1.4, 1.9), "is uncertain"),
    ],
)
def test_a_change_is_claimed_if_the_intervals_support_it(
    after: tuple[float, float, float], expected: str
) -> None:
    assert change((0.8, 1.0, 1.2), after) == expected


def test_published_figures_stand_beside_the_contender_they_belong_to() -> None:
    comparison = compared(
        handwritten=(1.0,) * 6, sequential=(2.0,) * 6, lazy=(3.0,) * 6, codegen=(0.5,) * 6
    )
    table = beside_published([Case("deep-linear", {"layers": 250}, comparison)])
    middle = {
        row["definition"]: row["quartiles"][1]
        for row in published("deep_linear_cpu")["rows"]
        if row["n_layers"] == 250
    }
    assert table.column("contender") == ("sequential", "lazy", "codegen")
    assert table.column("published") == (
        middle["vanilla"] / middle["sequential"],
        None,
        middle["vanilla"] / middle["symbolic"],
    )
    assert table.column("this machine") == (2.0, 3.0, 0.5)
    assert "i7-12700KF" in str(table.caption)


def test_a_depth_that_was_not_published_has_no_published_figure() -> None:
    comparison = compared(handwritten=(1.0,) * 6, sequential=(2.0,) * 6)
    table = beside_published([Case("deep-linear", {"layers": 7}, comparison)])
    assert table.column("published") == (None,)


def test_source_is_escaped_on_the_page() -> None:
    assert "a &lt; b" in folded_source("a < b", "Source").html


def test_remarks_to_the_type_checker_are_left_out() -> None:
    page = folded_source("x = f()  # type: ignore[index, no-any-return]\ny = 2  # two", "Source")
    assert page.plain == "Source\n    x = f()\n    y = 2  # two"
