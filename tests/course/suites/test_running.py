from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import pytest

from hpml.base.environment import environment_record
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import RecordError
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.saved.record import Case, read_cases, write_case
from hpml.course.suites.running import CasesResult, environment_line, run_cases
from hpml.course.suites.settings import Settings
from hpml.course.suites.suite import Suite


def compared(rounds: int = 6, asked: int = 6, **environment: str) -> Comparison:
    here = {**environment_record(threads=1), **environment}
    one = Measurement("a", (1.0,) * rounds, 1, environment=here)
    return Comparison((one,), "a", asked)


def case(layers: int, comparison: Comparison, suite: str = "suite", **more: bool) -> Case:
    return Case(suite, {**Settings().parameters(), "layers": layers, **more}, comparison)


def test_a_caption_says_whether_convolutions_are_rounded() -> None:
    assert "TF32" not in environment_line([case(1, compared())])
    rounded = environment_line([case(1, compared(tf32_convolutions="yes"))])
    assert rounded.endswith("; float32 with TF32 in convolutions")


def test_a_caption_names_the_chip_of_a_gpu_without_a_name() -> None:
    def line(device: str, gpu: str) -> str:
        found = compared(cpu="Apple M2", gpu=gpu)
        (one,) = (replace(each, device=device) for each in found.measurements)
        return environment_line([case(1, replace(found, measurements=(one,)))])

    assert line("mps", "mps").startswith("Apple M2, mps, 1 thread;")
    assert line("mps:0", "mps").startswith("Apple M2, mps, 1 thread;")
    assert line("cuda", "RTX 4060").startswith("RTX 4060, 1 thread;")
    assert line("cpu", "mps").startswith("Apple M2, 1 thread;")


def recording(log: list[int], fail_at: int = 99) -> Callable[[int], Comparison]:
    def measure(layers: int) -> Comparison:
        if layers == fail_at:
            raise KeyboardInterrupt
        log.append(layers)
        return compared()

    return measure


def run(layers: int, log: list[int], fail_at: int = 99, **settings: Any) -> CasesResult:
    """Run the cases of 1 to `layers` layers, and log those that are measured."""
    values = range(1, layers + 1)
    return run_cases("suite", "layers", values, recording(log, fail_at), Settings(**settings))


def test_an_interrupted_run_keeps_what_was_finished_and_resumes_there(tmp_path: Path) -> None:
    out = tmp_path / "suite.jsonl"
    first: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        run(3, first, fail_at=3, out=out)
    assert first == [1, 2]
    assert len(read_cases(out)) == 2

    second: list[int] = []
    outcome = run(3, second, out=out, resume=True)
    assert second == [3]
    assert [case.parameters["layers"] for case in outcome.cases] == [1, 2, 3]
    assert len(read_cases(out)) == 3
    assert outcome.notes == ()


def test_a_run_killed_inside_a_line_resumes_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "suite.jsonl"
    run(2, [], out=out)
    out.write_bytes(out.read_bytes()[:-100])
    log: list[int] = []
    outcome = run(3, log, out=out, resume=True)
    assert log == [2, 3]
    assert len(outcome.cases) == 3
    assert any("cut off by an interruption" in note for note in outcome.notes)


def test_without_resume_a_case_is_measured_again_and_appended(tmp_path: Path) -> None:
    out = tmp_path / "suite.jsonl"
    for _ in range(3):
        outcome = run(1, [], out=out)
    assert (len(read_cases(out)), len(outcome.cases), outcome.notes) == (3, 1, ())


def test_a_resume_measures_again_what_another_machine_measured(tmp_path: Path) -> None:
    out = tmp_path / "suite.jsonl"
    write_case(out, case(1, compared(cpu="a very fast one")))
    log: list[int] = []
    outcome = run(1, log, out=out, resume=True)
    assert log == [1]
    assert "1 cases were measured on another machine" in outcome.notes[0]


@pytest.mark.parametrize(
    "older",
    [
        case(1, compared(), suite="another"),
        case(1, compared(), grad=True),
        case(1, compared(rounds=5, asked=6)),
    ],
    ids=["another suite", "other parameters", "too few rounds"],
)
def test_a_resume_skips_only_the_very_case(tmp_path: Path, older: Case) -> None:
    out = tmp_path / "suite.jsonl"
    write_case(out, older)
    log: list[int] = []
    run(1, log, out=out, resume=True)
    assert log == [1]


@pytest.mark.parametrize("resume", [False, True])
def test_what_is_not_a_file_of_results_is_refused_before_measuring(
    tmp_path: Path, resume: bool
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "mine.txt").write_text("my text\n")
    log: list[int] = []
    for place in (tmp_path / "folder", tmp_path / "mine.txt", Path(".")):
        with pytest.raises(RecordError):
            run(3, log, out=place, resume=resume)
    assert log == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "mine.txt"]


def test_an_interrupt_promises_finished_cases_only_where_there_are_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "suite.jsonl"

    def first(sizes: tuple[int, ...] = (1,), **settings: object) -> NoReturn:
        raise KeyboardInterrupt

    def second(sizes: tuple[int, ...] = (1,), **settings: object) -> NoReturn:
        write_case(out, case(1, compared()))
        raise KeyboardInterrupt

    for suite, finished in ((first, False), (second, True)):
        parser, declared = argparse.ArgumentParser(), Suite("suite", suite, Settings(), "sizes")
        declared.add_arguments(parser)
        assert declared.main(parser.parse_args(["--out", str(out)])) == 130
        assert ("--resume continues" in capsys.readouterr().err) is finished
