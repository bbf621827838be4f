"""Comparisons in several fresh processes: what is sent, what is measured, and what follows."""

from __future__ import annotations

import functools
import math
import os
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from hpml.benchmark import (
    BenchmarkError,
    Case,
    Comparison,
    Measurement,
    compare,
    compare_sizes,
    read_cases,
    write_case,
)
from hpml.benchmark.errors import ContenderError
from hpml.benchmark.ratio import process_ratio
from hpml.benchmark.sampling import fresh
from hpml.benchmark.sampling.child import function_of
from tests.benchmark import contenders_for_processes as contenders
from tests.benchmarks.processes import BETWEEN, rates
from tests.parts import raises

SHORT: dict[str, Any] = {"min_sample_time": 1e-4, "rounds": 6}


def test_the_hash_seed_of_each_process_is_another_and_the_interval_covers_the_truth() -> None:
    """Ground truth: the mean logarithm of the ratio over all seeds is 2 ln 2 - 1."""
    found = compare(
        {
            "fixed": contenders.one_thousand_steps,
            "by hash": contenders.depends_on_the_hash_seed,
            "copy": contenders.depends_on_the_hash_seed,
        },
        processes=5,
        rounds=15,
        min_sample_time=3e-4,
    )
    assert (found.processes, found.rounds) == (5, 15)
    medians = [sorted(group)[1] for group in found["by hash"].by_process]
    assert max(medians) > 1.02 * min(medians)
    ratio = found.ratio("by hash")
    truth = math.exp(2 * math.log(2) - 1)
    assert 0.8 * ratio.low < truth < 1.25 * ratio.high
    assert found.ratio("copy", "by hash").high > found.ratio("copy", "by hash").low * 1.05


@pytest.mark.parametrize(("between", "draws"), [("none", 100), ("normal", 400), ("large", 400)])
@pytest.mark.parametrize("only_one", [False, True])
def test_the_interval_covers_a_known_spread_between_processes(
    between: str, draws: int, only_one: bool
) -> None:
    covered, false = rates(BETWEEN[between], processes=5, draws=draws, only_one=only_one)
    assert covered >= 0.93
    assert false <= 0.05


def test_one_process_would_answer_where_processes_differ() -> None:
    _, false = rates(BETWEEN["normal"], processes=5, draws=100, as_one_process=True)
    assert false > 0.5
    _, found = rates(BETWEEN["normal"], processes=5, draws=200, factor=1.3)
    assert found > 0.9


def test_more_rounds_in_each_process_do_not_narrow_the_interval() -> None:
    levels = [1.0, 1.1, 0.9, 1.2, 1.0]

    def ratio(rounds: int) -> Any:
        return process_ratio([([level] * rounds, [1.0] * rounds) for level in levels], 0.0)

    assert (ratio(5).low, ratio(5).high) == (ratio(500).low, ratio(500).high)
    assert ratio(5).value == pytest.approx(math.prod(levels) ** 0.2)
    assert "0.9 to 1.2" in ratio(5).reason
    # Student's distribution at 97 %, four degrees of freedom: 3.298.
    logs = [math.log(level) for level in levels]
    mean = sum(logs) / 5
    error = math.sqrt(sum((each - mean) ** 2 for each in logs) / 4 / 5)
    assert math.log(ratio(5).high) - mean == pytest.approx(3.298 * error, rel=1e-3)


def measured(groups: list[list[float]], name: str = "a") -> Measurement:
    samples = tuple(each for group in groups for each in group)
    return Measurement(name, samples, 1000, processes=len(groups))


def test_a_difference_in_seconds_covers_the_spread_between_processes() -> None:
    levels = [1.0, 1.4, 0.8, 1.2, 1.1]
    other = measured([[level + 1, level + 1.01, level + 1.02] for level in levels], "b")
    base = measured([[1.0] * 3] * 5)
    found = Comparison((base, other), "a", 15).difference("b")
    assert found.value == pytest.approx(sum(levels) / 5 + 0.01)
    assert found.high - found.value > 0.2
    assert found.samples == ()


def test_the_advice_on_a_measurement_does_not_call_other_processes_noise() -> None:
    far = measured([[1.0] * 5, [2.0] * 5, [1.5] * 5, [1.2] * 5, [3.0] * 5])
    assert far.verdict() == ()
    noisy = measured([[1.0, 2.0, 1.5, 0.5, 1.0]] * 5)
    assert [advice.problem for advice in noisy.verdict()] == ["unstable"]
    comparison = Comparison((far, measured([[1.0] * 5] * 5, "b")), "a", 25)
    ((name, advice),) = comparison.advice
    assert (name, advice.problem) == ("b", "processes differ")
    assert "5 fresh processes" in str(comparison)


def test_a_comparison_of_processes_is_recorded_and_read_again(tmp_path: Path) -> None:
    found = Comparison((measured([[1.0, 1.1], [1.2, 1.3]]),), "a", 4)
    write_case(tmp_path / "x.jsonl", Case("x", {}, found))
    (case,) = read_cases(tmp_path / "x.jsonl")
    assert case.comparison == found
    with raises(BenchmarkError, object="processes of a comparison", received="1, 2"):
        Comparison((measured([[1.0, 1.1], [1.2, 1.3]]), Measurement("b", (1.0,) * 4, 1)), "a", 4)


def test_each_contender_has_a_new_process_with_a_seed_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    seen: list[Mapping[str, object]] = []
    run = contenders.hash_seed_and_pid
    for _ in range(2):
        compare({"a": run, "b": run}, processes=2, check=seen.append, **SHORT)
    values = [value for results in seen for value in results.values()]
    hashes, pids, variables = zip(*values, strict=True)  # type: ignore[call-overload]
    assert len(set(hashes)) == len(set(pids)) == 4
    assert os.getpid() not in pids
    assert set(variables) == {""}


def test_contenders_are_functions_partials_methods_or_text() -> None:
    found = compare(
        {
            "function": contenders.one_thousand_steps,
            "partial": functools.partial(contenders.steps, 100),
            "method": [1, 2, 3].copy,
            "text": "total = 0\nfor n in numbers:\n    total += n\ntotal",
        },
        setup="numbers = range(10)",
        processes=2,
        check=results_are([499500, 4950, [1, 2, 3], 45]),
        **SHORT,
    )
    assert found.names == ("function", "partial", "method", "text")
    assert {measurement.processes for measurement in found} == {2}
    assert found.rounds == found.asked_rounds == 6
    assert found.ratio("partial").value < 1


def results_are(expected: list[object]) -> Callable[[Mapping[str, object]], None]:
    def check(results: Mapping[str, object]) -> None:
        assert list(results.values()) == expected

    return check


@pytest.mark.parametrize(
    ("source", "setup", "value"),
    [
        ("x + 1", "x = 1", 2),
        ("y = x\ny * 2", "x = 4", 8),
        ("if x:\n    y = 1", "x = 0", None),
        ("'''a\n  b'''", "", "a\n  b"),
        ("pass", "", None),
    ],
)
def test_text_runs_as_a_function_and_returns_its_last_value(
    source: str, setup: str, value: object
) -> None:
    assert function_of(source, setup)() == value


def local() -> Callable[[], object]:
    return lambda: None


class OfTheProgram:
    def __call__(self) -> None: ...


OfTheProgram.__module__ = "__main__"


@pytest.mark.parametrize(
    "contender", [lambda: None, local(), OfTheProgram(), threading.Lock().locked]
)
def test_what_a_fresh_process_cannot_make_is_refused_before_anything_runs(
    contender: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fresh, "Child", None)
    with raises(BenchmarkError, object="contender 'x'", expected="source text", remedy="setup="):
        compare({"x": contender}, processes=2)


def test_options_that_do_not_fit_processes_are_refused() -> None:
    run = contenders.one_thousand_steps
    for processes in (0, 1, -1, 2.0, True):
        with raises(BenchmarkError, object="processes", received=repr(processes)):
            compare({"a": run}, processes=processes)  # type: ignore[arg-type]
    with raises(BenchmarkError, object="clock", expected="none"):
        compare({"a": run}, processes=2, clock=lambda: 0.0)
    with raises(BenchmarkError, object="setup", received="processes"):
        compare({"a": run}, setup="x = 1")
    with raises(BenchmarkError, object="contender 'a'", received="1 +", remedy="line 1"):
        compare({"a": "1 +"}, processes=2)
    with raises(BenchmarkError, object="setup", received="def"):
        compare({"a": "1"}, setup="def", processes=2)
    with pytest.raises(BenchmarkError, match="without arguments"):
        compare({"a": "text"})


@pytest.mark.parametrize(
    ("contender", "word"),
    [
        (contenders.fails, "ValueError: on purpose"),
        (contenders.exits, "exit code 7"),
        ("missing_name", "NameError"),
    ],
)
def test_a_contender_that_fails_in_its_process_is_named(contender: Any, word: str) -> None:
    with pytest.raises(ContenderError, match=word) as caught:
        compare({"bad": contender}, processes=2, **SHORT)
    assert "'bad'" in str(caught.value)


def test_what_a_contender_prints_or_reads_is_no_message() -> None:
    found = compare(
        {"a": contenders.prints_and_reads}, processes=2, check=results_are([""]), **SHORT
    )
    assert found.rounds == 6


def test_an_interrupt_keeps_the_complete_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    rounds = fresh._rounds
    groups = iter([rounds, rounds, None])

    def interrupted(*arguments: Any) -> Any:
        take = next(groups)
        if take is None:
            raise KeyboardInterrupt
        return take(*arguments)

    monkeypatch.setattr(fresh, "_rounds", interrupted)
    found = compare({"a": "sum(range(100))"}, processes=3, **SHORT)
    assert (found.processes, found.rounds, found.asked_rounds, found.complete) == (2, 4, 6, False)


def test_sizes_are_compared_in_processes_as_well() -> None:
    def at(size: int) -> dict[str, Any]:
        return {"steps": functools.partial(contenders.steps, size)}

    found = compare_sizes(at, [10, 1000], processes=2, **SHORT)
    assert found[10]["steps"].median < found[1000]["steps"].median
    assert found[10].processes == 2
