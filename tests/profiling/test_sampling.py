from __future__ import annotations

import math
import signal
import sys
import threading
import time

import psutil
import pytest
import torch

from hpml.profiling import ProfilingError, Samples, profile, sample
from hpml.profiling.sampling import outside, run, signals
from hpml.profiling.sampling.observation import MARK, Observation, Unavailable
from tests.parts import raises
from tests.profiling.known_programs import half, in_step


def slow(n: int) -> int:
    return sum(i * i for i in range(n))


def both() -> int:
    return slow(6_000_000) + slow(2_000_000)


def test_the_tree_begins_at_the_function_and_adds_up() -> None:
    found = sample(both)
    assert found.result == both()
    assert found.tree.name == "both"
    names = {frame.name for _, frame in found.tree.walk()}
    assert {"both", "slow"} <= names
    assert found.tree.total == pytest.approx(found.seconds, rel=0.2)
    heavy = max((frame for _, frame in found.tree.walk()), key=lambda frame: frame.own)
    assert heavy.name in {"slow", "<genexpr>"}
    assert f"{found.count:,} samples" in found.icicle().html


def test_it_is_off_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError):
        sample(lambda: slow(1000) // 0)
    assert sample(slow, 5_000_000).count > 0
    assert profile(slow, 10).result == 285


def test_the_time_of_an_operator_counts_for_its_function() -> None:
    matrix = torch.rand(400, 400)

    def heavy() -> torch.Tensor:
        return matrix @ matrix

    def light() -> int:
        return 1

    found = sample(lambda: [(heavy(), light()) for _ in range(200)], interval=1e-3)
    own = {frame.name: frame.own for _, frame in found.tree.walk()}
    assert own["heavy"] > 3 * own.get("light", 0.0)


def test_a_second_profiler_is_refused() -> None:
    for name, inner in (
        ("sample", lambda: sample(slow, 10**6)),
        ("profile", lambda: profile(slow, 10)),
    ):
        with raises(ProfilingError, object=name, received="sample"):
            sample(inner)
    with raises(ProfilingError, object="sample", received="cProfile"):
        profile(lambda: sample(slow, 10))


def test_samples_are_not_in_step_with_a_loop() -> None:
    assert 0.25 < half(sample(in_step, 1.0, interval=2e-3)) < 0.75


def test_bad_input_is_refused() -> None:
    with raises(ProfilingError, object="function of sample", received="3"):
        sample(3)  # type: ignore[arg-type]
    for interval in (0, math.inf, "1 ms"):
        with raises(ProfilingError, object="interval of sample", received=repr(interval)):
            sample(slow, 10, interval=interval)  # type: ignore[arg-type]
    with raises(ProfilingError, object="run of sample", received="with none"):
        sample(lambda: None, interval=10)


def test_a_run_that_ends_before_the_first_sample_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "_stop_signal", lambda: signal.SIGKILL)  # no file is written
    try:
        result, found = outside.observe(lambda: 3, 1.0)
    except Unavailable as reason:
        pytest.skip(f"needs py-spy: {reason}")
    assert (result, found.stacks, found.unseen) == (3, {}, 0)


def test_a_deep_stack_and_a_lambda_are_named() -> None:
    def down(n: int) -> int:
        return down(n - 1) if n else slow(3_000_000)

    found = sample(lambda: down(150))
    path = [frame.name for _, frame in found.tree.walk()]
    assert path[0] == "<lambda>"
    assert path.count("down") == 151


def test_the_functions_place_is_its_first_line() -> None:
    found = sample(both)
    places = {frame.name: frame.place for _, frame in found.tree.walk()}
    assert places["slow"] == f"test_sampling.py:{slow.__code__.co_firstlineno}"
    assert places["both"] == f"test_sampling.py:{both.__code__.co_firstlineno}"


def test_a_thread_that_is_not_the_main_one_is_sampled() -> None:
    found: list[Samples] = []
    thread = threading.Thread(target=lambda: found.append(sample(slow, 3_000_000)))
    thread.start()
    slow(1_000_000)  # of another thread, so not in the samples
    thread.join()
    assert found[0].tree.name == "slow"
    assert found[0].tree.total == pytest.approx(found[0].seconds)


def test_few_samples_are_taken_when_few_are_asked_for() -> None:
    found = sample(lambda: time.sleep(1), interval=0.1)
    assert 1 <= found.count < 40


def test_no_observer_is_left_behind() -> None:
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(KeyboardInterrupt):
        sample(_interrupt)
    assert set(psutil.Process().children(recursive=True)) <= before
    assert not [thread for thread in threading.enumerate() if thread.name == "hpml sampler"]


def _interrupt() -> None:
    raise KeyboardInterrupt


def time_asleep() -> None:
    time.sleep(1.5)  # a busy machine may stop the sampling thread for 0.2 s


def test_without_py_spy_the_next_observer_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> str:
        raise Unavailable("none")

    monkeypatch.setattr(outside, "_program", none)
    found = sample(time_asleep)
    assert found.observer in ("signal handler", "thread")
    monkeypatch.setattr(run, "OBSERVERS", (outside.observe,))
    with raises(ProfilingError, object="sample", received="none"):
        sample(lambda: time.sleep(0.1))


def test_a_process_that_must_not_be_read_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    program = [sys.executable, "-c", "print('Permission denied'); raise SystemExit(1)"]
    started = outside._started
    monkeypatch.setattr(outside, "_started", lambda command: started(program))
    with pytest.raises(Unavailable):
        outside.observe(lambda: 1, 5e-3)


@pytest.mark.parametrize(
    ("stacks", "unseen", "differs"),
    [
        ({"a": 60, "b": 40}, 0, False),
        ({"a": 50, "b": 50}, 0, False),  # all seen: they are equal
        ({"a": 60, "b": 30}, 10, False),
        ({"a": 55, "b": 35}, 20, True),
        ({"a": 500, "b": 499}, 5, False),  # fewer than chance leaves open
        ({"a": 40}, 30, False),
        ({"a": 40}, 60, True),
        ({}, 10, True),
    ],
)
def test_unseen_samples_count_against_the_first_function(
    stacks: dict[str, float], unseen: float, differs: bool
) -> None:
    found = Observation({((name, ""),): count for name, count in stacks.items()}, unseen, "thread")
    assert found.could_differ is differs


def test_the_handlers_lines_are_read() -> None:
    first = signals._first_line(__file__, slow.__code__.co_firstlineno + 1, "slow")
    assert first == slow.__code__.co_firstlineno
    assert signals._first_line("<nowhere>", 3, "slow") == 0
    place = signals._place("a\\xe9.py", "3", "f")
    assert place.file == "aé.py"


def test_the_texts_of_the_handler_become_stacks() -> None:
    place = f'  File "{MARK.file}", line {MARK.line + 2} in call'
    inner = f'  File "{__file__}", line {slow.__code__.co_firstlineno + 1} in slow'
    cut = "\n".join([*[inner] * 100, "  ..."])
    texts = [(f"\n{inner}\n{place}\n", 3), (f"\n{cut}\n", 2), ("\n", 4), (f"\n{place}\n", 1)]
    found = signals._observation(texts)
    name = "slow", f"test_sampling.py:{slow.__code__.co_firstlineno}"
    assert found.stacks[name,] == 3
    (deep,) = (stack for stack in found.stacks if len(stack) > 1)
    assert found.stacks[deep] == 2
    assert deep[0][0] == "(more than 100 calls)"
    assert deep[1:] == (name,) * 100
    assert found.unseen == 0


@pytest.mark.parametrize("version", [(3, 11, 7), (3, 12, 1), (3, 13, 0)])
def test_the_handler_is_not_used_where_it_crashes(version: tuple[int, ...]) -> None:
    assert not signals.survives(version)
    assert signals.survives((3, 13, 18))
