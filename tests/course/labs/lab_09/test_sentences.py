"""What lab 09 says about profilers, executed: each test is named by its sentence."""

from __future__ import annotations

import cProfile
import inspect
import profile as pure
import signal
import sys
import traceback
from typing import Any

import psutil
import pytest
import torch

from hpml import profiling
from hpml.course.labs.lab_09_profiling import network, profilers, programs
from hpml.course.labs.lab_09_profiling.traces import own_times
from tests.course.labs.lab_09.notebook import cells_by_hand

needs_timer = pytest.mark.skipif(
    not hasattr(signal, "setitimer"), reason="needs setitimer: Linux or macOS"
)


@pytest.fixture(scope="module")
def by_hand() -> dict[str, Any]:
    return cells_by_hand()


def test_a_hook_is_called_at_each_call_and_return_also_of_built_in_functions() -> None:
    events: list[str] = []

    def run() -> int:
        return len([])

    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        run()
    finally:
        sys.setprofile(None)
    assert events == ["call", "c_call", "c_return", "return", "c_call"]


def test_four_calls_a_word_one_of_the_program_one_of_setprofile(by_hand: dict[str, Any]) -> None:
    counts = by_hand["count_calls"](by_hand["program"])
    words = len(by_hand["words"])
    # The collector may call something of its own.
    assert {counts[name] for name in ("normalise", "strip", "lower", "get")} == {words}
    assert (counts["program"], counts["setprofile"]) == (1, 1)
    traced = by_hand["trace_calls"](by_hand["program"])
    assert "setprofile" not in {name for _, name, _ in traced}


def test_an_operator_is_not_a_call(by_hand: dict[str, Any]) -> None:
    def added() -> int:
        return sum([len("a") + 1, 2])

    assert set(by_hand["count_calls"](added)) == {"added", "sum", "len", "setprofile"}


@needs_timer
def test_a_sampler_sees_no_built_in_function(by_hand: dict[str, Any]) -> None:
    stacks = by_hand["sample_stacks"](lambda: by_hand["program"](by_hand["words"] * 200))
    seen = {name for stack in stacks for name in stack}
    assert "normalise" in seen
    assert not seen & {"strip", "lower", "get"}


@needs_timer
def test_where_look_appears_the_sampler_itself_was_running(
    by_hand: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    walk, signals = traceback.walk_stack, iter([signal.SIGALRM])

    def walk_while_a_signal_comes(frame: Any) -> Any:
        for number in signals:
            signal.raise_signal(number)
        return walk(frame)

    monkeypatch.setattr(traceback, "walk_stack", walk_while_a_signal_comes)
    stacks = by_hand["sample_stacks"](lambda: by_hand["program"](by_hand["words"] * 50))
    assert "look" in {name for stack in stacks for name in stack}


@needs_timer
def test_a_handler_has_to_wait_for_a_call_or_a_jump_back(by_hand: dict[str, Any]) -> None:
    """So it blames the next function; in a loop without a call it is right."""
    slow = programs.Known(8_000)
    stacks = by_hand["sample_stacks"](slow.count)
    total = sum(stacks.values())
    known = sum(n for stack, n in stacks.items() if stack and stack[-1] == "known")
    assert known < 0.5 * total
    own = profilers.own_times(profiling.sample(slow.count, interval=5e-4), ("known", "clean"))
    assert own["known"] > 10 * own["clean"]

    def loop() -> None:
        for number in range(3_000_000):
            number * number

    stacks = by_hand["sample_stacks"](loop)
    inside = sum(n for stack, n in stacks.items() if stack and stack[-1] == "loop")
    assert inside > 0.9 * sum(stacks.values())


def test_cprofile_and_the_sampler_outside_say_the_same() -> None:
    slow = programs.Known(8_000)
    table = profilers.beside_the_handler(
        None, profilers.sampled(slow.count), profiling.profile(slow.count)
    )
    rows = {str(name): (outside, traced) for name, _, outside, traced in table.rows}
    for known, clean in zip(rows["known"], rows["clean"], strict=True):
        assert known > 0.5  # type: ignore[operator]
        assert known > 5 * clean  # type: ignore[operator]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere py-spy needs rights")
def test_sample_starts_another_process_and_sets_no_hook_no_handler_no_thread() -> None:
    seen: list[Any] = []

    def look() -> None:
        children = [child.name() for child in psutil.Process().children()]
        seen.extend(
            [children, sys.getprofile(), sys.gettrace(), signal.getitimer(signal.ITIMER_REAL)]
        )
        sum(range(3_000_000))

    threads = len(psutil.Process().threads())
    profiling.sample(look)
    assert any("py-spy" in name for name in seen[0])
    assert seen[1:] == [None, None, (0.0, 0.0)]
    assert len(psutil.Process().threads()) <= threads


def test_where_no_sampler_is_allowed_the_cell_says_why(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise profiling.ProfilingError("not here")

    monkeypatch.setattr(profiling, "sample", refuse)
    assert profilers.sampled(lambda: None) is None
    assert "not here" in capsys.readouterr().out
    table = profilers.beside_the_handler(None, None, profiling.profile(programs.Known(100).count))
    assert table.column("sample") == (None, None, None)


def test_a_part_of_the_hooks_own_time_counts_for_functions_with_many_events(
    by_hand: dict[str, Any],
) -> None:
    own = {}
    for in_each in (1, 1000):
        events = by_hand["trace_calls"](programs.loop_in_calls(20_000, in_each))
        own[in_each] = own_times(events)["loop_in_calls.<locals>.program"]
    assert own[1] > 20 * own[1000]


def test_profile_is_written_in_python_and_cprofile_in_c() -> None:
    assert "def trace_dispatch" in inspect.getsource(pure.Profile)
    with pytest.raises(TypeError):
        inspect.getsource(cProfile.Profile.enable)


def test_a_hook_of_settrace_is_called_at_each_line() -> None:
    def three() -> int:
        a = 1
        b = 2
        return a + b

    counts = profilers.library_profilers()["sys.settrace"](three)
    assert sorted(n for (name, _), n in counts.items() if name == "three") == [0, 1, 1, 1]


def test_pyinstrument_sets_a_hook_that_is_called_at_each_call() -> None:
    hooks: list[Any] = []
    profilers.library_profilers()["pyinstrument"](lambda: hooks.append(sys.getprofile()))
    assert hooks[0] is not None


def test_memory_lines_asks_the_system_after_each_line(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    original = psutil.Process.memory_info
    monkeypatch.setattr(
        psutil.Process, "memory_info", lambda self: asked.append(1) or original(self)
    )

    def three() -> int:
        a = 1
        b = 2
        return a + b

    found = profiling.memory_lines(three)
    executed = sum(line.occurrences or 0 for line in found.lines)
    assert executed == 4
    assert executed <= len(asked) <= executed + 2


def test_memory_of_tracing_grows_with_the_events_that_of_counting_does_not(
    by_hand: dict[str, Any],
) -> None:
    ways = {name: by_hand[name] for name in ("trace_calls", "count_calls")}
    words = by_hand["words"]
    few, many = (
        profilers.kept_bytes(ways, lambda n=n: by_hand["program"](words[:n])) for n in (100, 1000)
    )
    assert many["trace_calls"] > 5 * few["trace_calls"]
    assert many["count_calls"] < 2 * few["count_calls"]


def test_seven_of_three_means_seven_calls_of_which_three_are_primitive() -> None:
    def down(n: int) -> int:
        return down(n - 1) if n else 0

    found = profiling.profile(lambda: [down(n) for n in (0, 1, 3)])
    (row,) = (row for row in found.table(limit=None).rows if "(down)" in str(row[-1]))
    assert row[0] == "7/3"


def test_the_update_is_in_the_own_time_of_learn_and_the_sampler_lacks_built_ins() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        learn = network.learning(60)
        learned, sampled = profiling.profile(learn), profiling.sample(learn, interval=1e-3)
    finally:
        torch.set_num_threads(threads)
    names = {name for _, _, name in learned.stats}
    assert not {name for name in names if "sub_" in name or "__isub__" in name}
    assert network.seconds_of(learned, "learn")[0] > 0
    assert network.seconds_of(learned, "linear")[0] > 0
    assert network.seconds_of(learned, "run_backward")[0] > 0
    seen = {frame.name for _, frame in sampled.tree.walk()}
    assert {"forward", "_engine_run_backward"} <= seen
    assert not seen & {"linear", "run_backward", "torch._C._nn.linear"}
    assert not any(frame.estimated for _, frame in sampled.tree.walk())
    # The network's and the layers' forward have one caller, `_call_impl`, with several callers.
    assert any(frame.estimated for _, frame in learned.tree.walk())


def test_cprofile_adds_its_cost_to_each_call_and_deepcopy_makes_thousands() -> None:
    def seconds(in_each: int) -> float:
        return min(
            profiling.profile(programs.loop_in_calls(50_000, in_each)).seconds for _ in range(3)
        )

    assert seconds(1) > 2 * seconds(50_000)
    found = profiling.profile(programs.Robot().run)
    calls = [entry[1] for (_, _, name), entry in found.stats.items() if name == "deepcopy"]
    assert calls[0] > 1000


def test_torch_profiler_has_a_row_for_each_named_part_and_self_leaves_out_what_is_called() -> None:
    from torch.profiler import ProfilerActivity, record_function, schedule

    layer, data = torch.nn.Linear(64, 64), torch.rand(64, 64)
    plan = schedule(wait=1, warmup=2, active=3)
    with torch.profiler.profile(activities=[ProfilerActivity.CPU], schedule=plan) as recorded:
        for _ in range(6):
            with record_function("my forward"):
                layer(data)
            recorded.step()
    rows = {row.key: row for row in recorded.key_averages()}
    assert rows["my forward"].count == 3
    assert rows["my forward"].self_cpu_time_total < rows["my forward"].cpu_time_total
    assert "aten::addmm" in rows
