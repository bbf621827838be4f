"""What lab 09 says about profilers, executed: each test is named by its sentence."""

from __future__ import annotations

import contextlib
import cProfile
import inspect
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import psutil
import pytest
import torch

from hpml import profiling
from hpml.course.labs.lab_09_profiling import network, profilers, programs
from hpml.course.labs.lab_09_profiling.traces import own_times
from hpml.profiling.call_tree import tree_of_stacks
from tests.counted_words import CountedWord
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


def test_a_hook_is_called_where_a_generator_resumes_but_not_for_a_type(
    by_hand: dict[str, Any],
) -> None:
    def numbers() -> Iterator[int]:
        yield 1
        yield 2

    counts = by_hand["count_calls"](lambda: sum(numbers()) + int("1") + int("2"))
    assert counts["numbers"] == 3
    assert counts["int"] == 0
    events: list[str] = []

    def fail() -> None:
        with contextlib.suppress(TypeError):
            len(3)  # type: ignore[arg-type]

    sys.setprofile(lambda frame, event, argument: events.append(event))
    try:
        fail()
    finally:
        sys.setprofile(None)
    assert "c_exception" in events


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

    class Own:
        def __add__(self, other: object) -> int:
            return 1

    counts = by_hand["count_calls"](lambda: Own() + Own())
    assert counts["__add__"] == 1, "of a class that is not built in, it is one"


@needs_timer
def test_a_sampler_sees_no_built_in_function(by_hand: dict[str, Any]) -> None:
    stacks = by_hand["sample_stacks"](lambda: by_hand["program"](by_hand["words"] * 200))
    seen = {name for stack in stacks for name in stack}
    assert "normalise" in seen
    assert not seen & {"strip", "lower", "get"}


@needs_timer
def test_however_long_a_built_in_function_runs_its_caller_usually_gets_one_sample(
    by_hand: dict[str, Any],
) -> None:
    def in_c() -> int:
        return sum(range(4_000_000))

    def in_python() -> int:
        total = 0
        for number in range(1_000_000):
            total += number
        return total

    stacks = by_hand["sample_stacks"](lambda: (in_c(), in_python()))
    by_name = Counter(dict.fromkeys(("in_c", "in_python"), 0))
    for stack, count in stacks.items():
        by_name.update({stack[-1]: count} if stack else {})
    assert by_name["in_c"] <= 2 < by_name["in_python"]


@needs_timer
def test_a_product_of_huge_integers_gives_a_handler_turns(by_hand: dict[str, Any]) -> None:
    huge = 7**400_000

    def power() -> int:
        return huge * huge

    stacks = by_hand["sample_stacks"](power)
    assert sum(count for stack, count in stacks.items() if stack == ("power",)) > 3


def test_a_box_is_as_wide_as_the_samples_whose_stack_leads_through_it() -> None:
    stacks = [((("main", ""), ("a", ""), ("f", "")), 5), ((("main", ""), ("b", ""), ("f", "")), 4)]
    widths = [(frame.name, frame.total) for _, frame in tree_of_stacks(stacks).walk()]
    assert sorted(widths) == [("a", 5), ("b", 4), ("f", 4), ("f", 5), ("main", 9)]


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
    own_samples = {stack: n for stack, n in stacks.items() if "look" not in stack}
    inside = sum(n for stack, n in own_samples.items() if stack and stack[-1] == "loop")
    assert inside > 0.9 * sum(own_samples.values())  # on a busy machine a turn meets the sampler


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


def test_a_fix_that_returns_other_values_can_gain_more_than_a_free_function() -> None:
    """Lookups in a list or in a set: the calls of `__eq__` stand for the time."""

    class Program:
        def run(self) -> int:
            known = self.known()
            return sum(CountedWord(number) in known for number in range(40))

        def known(self) -> Any:
            return [CountedWord(number) for number in range(40)]

    class Fixed(Program):
        def known(self) -> Any:
            return set(super().known())

    counts = []
    for program in (programs.if_free(Program, "Program.known"), Fixed()):
        CountedWord.compared = 0
        program.run()
        counts.append(CountedWord.compared)
    assert counts[0] > 5 * counts[1], "not the same values: the caller gains too"


def test_after_the_fix_of_robot_deepcopy_has_less_time_of_its_own_and_remember_more() -> None:
    assert programs.FixedRobot().run() == programs.Robot().run()
    before, after = (
        profiling.profile(kind().run) for kind in (programs.Robot, programs.FixedRobot)
    )
    times = profiling.profile_difference(before, after).own_times
    changes = {name.partition(" ")[0]: new - old for name, (old, new) in times.items()}
    assert changes["deepcopy"] < -0.1 * before.seconds
    assert changes["remember"] > 0


def test_the_hook_of_cprofile_is_written_in_c() -> None:
    with pytest.raises(TypeError):
        inspect.getsource(cProfile.Profile.enable)


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


def sampled_at_last(learn: Callable[[], object]) -> profiling.Samples:
    """Sample until the samples decide: `forward` and the backward pass take about as long."""
    for _ in range(9):
        with contextlib.suppress(profiling.ProfilingError):
            return profiling.sample(learn, interval=1e-3)
    return profiling.sample(learn, interval=1e-3)


def test_the_update_is_in_the_own_time_of_learn_and_the_sampler_lacks_built_ins() -> None:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        learn = network.learning(60)
        learned, sampled = profiling.profile(learn), sampled_at_last(learn)
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
