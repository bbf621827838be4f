from __future__ import annotations

import os

import pytest

from hpml.benchmark import Comparison, Contender, ProcessContender, compare
from hpml.benchmark.agreement import same_results
from hpml.benchmark.errors import BenchmarkError, WorkerError
from hpml.benchmark.sampling.process import ProcessSampler
from hpml.benchmark.sampling.timing import Settings

TARGETS = "tests.benchmark.targets"


def sampler(target: str, timeout: float = 60.0, **arguments: object) -> ProcessSampler:
    return ProcessContender(target, f"{TARGETS}:{target}", arguments, timeout).open(Settings())


def ended(pid: int) -> bool:
    """Whether a child of this process is gone; it was waited for, so it is no zombie either."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_samples_come_from_another_process_and_interleave_with_this_one() -> None:
    comparison = compare(
        [
            Contender("here", lambda: [float(i) for i in range(100)]),
            ProcessContender("there", f"{TARGETS}:numbers", {"count": 100}),
        ],
        rounds=6,
        min_sample_time=1e-4,
        check=same_results(),
    )
    there = comparison["there"]
    assert (there.process, comparison["here"].process) == ("own", "this")
    assert len(there.samples) == 6
    assert there.environment["cpu"] == comparison["here"].environment["cpu"]


def test_an_error_in_a_call_comes_with_its_traceback_and_the_worker_lives_on() -> None:
    child = sampler("fails_when_called")
    for _ in range(2):
        with pytest.raises(WorkerError):
            child.elapsed(1)
    child.close()


def test_a_death_is_reported_with_the_exit_code_and_the_last_words() -> None:
    child = sampler("dies_when_called")
    with pytest.raises(WorkerError) as error:
        child.elapsed(1)
    assert "these were my last words" in str(error.value)
    with pytest.raises(WorkerError):
        child.elapsed(1)
    child.close()


def test_a_worker_that_gives_no_answer_in_time_is_killed() -> None:
    child = sampler("hangs", timeout=5.0)
    pid = child._child.pid
    # The answer to wait for is due at once; only a worker that hangs meets the limit.
    child._timeout = 0.2
    with pytest.raises(WorkerError):
        child.elapsed(1)
    assert ended(pid)
    child.close()


@pytest.mark.parametrize(
    "target",
    [
        "not_callable",
        "no_such_function",
    ],
)
def test_a_target_of_the_wrong_kind_is_explained(target: str) -> None:
    with pytest.raises(WorkerError):
        sampler(target)


def test_what_the_contender_starts_does_not_read_the_parents_messages() -> None:
    child = sampler("reads_input")
    assert child.result() == ""
    assert child.elapsed(1) > 0
    child.close()


def test_a_fast_contender_that_dies_late_leaves_its_complete_rounds() -> None:
    contender = ProcessContender("bad", f"{TARGETS}:dies_late", {"calls": 60_000})
    with pytest.raises(WorkerError) as error:
        compare([contender], rounds=10_000, min_sample_time=1e-5)
    assert isinstance(error.value.comparison, Comparison)


@pytest.mark.parametrize(
    "wrong",
    [
        {"target": len},
        {"target": "__main__:mk"},
        {"timeout": "5"},
        {"timeout": -1},
        {"arguments": [1, 2]},
    ],
)
def test_arguments_of_another_type_are_named(wrong: dict[str, object]) -> None:
    values: dict[str, object] = {"name": "a", "target": "json:loads", **wrong}
    with pytest.raises(BenchmarkError):
        ProcessContender(**values)  # type: ignore[arg-type]
