from __future__ import annotations

import gc
import signal
import sys
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hpml.base.operator_times import OperatorTimes
from hpml.course.labs.lab_09_profiling import network, profilers, programs
from hpml.course.labs.lab_09_profiling.traces import own_times, to_fix
from hpml.course.lesson.errors import LabError
from hpml.profiling import Samples
from hpml.profiling.call_tree import tree_of_stacks
from tests.course.labs.lab_09.notebook import cells_by_hand
from tests.parts import raises

PLANTED = {"Visitors": "first_visits", "Robot": "remember", "Change": "ways"}
each_program = pytest.mark.parametrize("program", programs.PROGRAMS, ids=lambda each: each.__name__)


@pytest.fixture(scope="module")
def by_hand() -> dict[str, Any]:
    return cells_by_hand()


def test_the_counts_are_those_of_the_trace_and_every_call_of_it_ends(
    by_hand: dict[str, Any],
) -> None:
    gc.collect()
    gc.disable()  # what a collection calls would be traced too
    try:
        events = by_hand["trace_calls"](by_hand["program"])
        counts = by_hand["count_calls"](by_hand["program"])
    finally:
        gc.enable()
    words = len(by_hand["words"])
    assert {counts[name] for name in ("normalise", "strip", "lower", "get")} == {words}
    entered = [name for kind, name, _ in events if kind == "enter"]
    assert len(entered) == len(events) / 2 == 4 * words + 1
    own = own_times(events)
    assert set(own) == {"program", "normalise", "str.strip", "str.lower", "dict.get"}
    assert sum(own.values()) == events[-1][2] - events[0][2]
    names = profilers.beside_cprofile([own], by_hand["program"]).column("your share")
    assert None not in names


def test_the_sampler_sees_whole_stacks(by_hand: dict[str, Any]) -> None:
    words = by_hand["words"] * 300
    stacks = by_hand["sample_stacks"](lambda: by_hand["program"](words))
    assert ("<lambda>", "program") in stacks
    assert ("<lambda>", "program", "normalise") in stacks
    # A sample may be taken before or after the run: then the whole run is the first frame.
    assert "program  " in profilers.flame(stacks).plain


@pytest.mark.parametrize("profiler", ["count_calls", "trace_calls", "sample_stacks"])
def test_a_profiler_is_off_after_an_error(by_hand: dict[str, Any], profiler: str) -> None:
    with pytest.raises(ZeroDivisionError):
        by_hand[profiler](lambda: 1 // 0)
    assert sys.getprofile() is None
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0


@each_program
def test_a_program_answers_as_before_where_a_function_is_free(program: type[Any]) -> None:
    name = program.__name__
    for function in sorted(programs.functions_of(program) - {f"{name}.run"}):
        free = programs.if_free(program, function)
        assert free.run() == free.run() == program().run()
    with raises(LabError, object=f"{name}.run", received="the program itself"):
        programs.if_free(program, f"{name}.run")


@each_program
def test_the_planted_function_is_found(by_hand: dict[str, Any], program: type[Any]) -> None:
    name = program.__name__
    events = by_hand["trace_calls"](program().run)
    assert to_fix(events, programs.functions_of(program)) == [f"{name}.{PLANTED[name]}"]


def test_the_command_profiles_the_lectures_network(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPML_QUICK", "1")
    found = network.profile_command()
    own, total = network.seconds_of(found, "learn")
    assert 0 < own < total < found.seconds


def test_a_share_of_samples_counts_recursive_calls_once_and_has_an_interval() -> None:
    stacks = {("run", "backward", "backward"): 30.0, ("run", "forward"): 60.0, ("backward",): 10.0}
    tree = tree_of_stacks([(tuple((name, "") for name in s), n) for s, n in stacks.items()])
    found = profilers.share_of(Samples(tree, count=100, interval=1e-3, seconds=0.1), "backward")
    assert found.value == pytest.approx(0.4)
    assert found.low == pytest.approx(0.309, abs=0.001)  # Wilson's interval of 40 among 100
    assert found.high == pytest.approx(0.498, abs=0.001)


def test_the_typical_run_has_the_median_share_and_not_that_of_a_disturbed_one() -> None:
    def run(softmax: int, other: int) -> OperatorTimes:
        parts: Any = {"by_operator": {"Softmax": softmax, "Linear": other}}
        found: Any = SimpleNamespace(**parts, total=softmax + other)
        return cast("OperatorTimes", found)

    runs = [run(40 + k % 3, 60) for k in range(24)] + [run(915, 85)]  # one was interrupted
    typical, share = profilers.typical_run(runs, "Softmax")
    assert typical.by_operator["Softmax"] == 41
    assert 0.39 < share.low <= share.value <= share.high < 0.42


def test_a_share_within_a_part_counts_the_calls_in_it_step_by_step() -> None:
    def event(name: str, start: int, end: int) -> SimpleNamespace:
        span = SimpleNamespace(start=start, end=end, elapsed_us=lambda: end - start)
        return SimpleNamespace(name=name, time_range=span)

    steps = []
    for begin in range(0, 1000, 100):
        steps += [event("part", begin, begin + 50), event("softmax", begin + 10, begin + 30)]
        steps += [event("linear", begin, begin + 9), event("softmax", begin + 60, begin + 90)]
    found = profilers.share_within(SimpleNamespace(events=lambda: steps), "softmax", "part")
    assert found.value == found.low == found.high == pytest.approx(0.4)
