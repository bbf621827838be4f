from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn

import pytest

from hpml.base.environment import environment_record
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import RecordError
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.record import Case, Parameters, read_cases, write_case
from hpml.suites.options import add_shared_arguments, run_command
from hpml.suites.running import IN_MEMORY, run_cases
from hpml.suites.settings import Settings

CASES: list[Parameters] = [{"layers": 1}, {"layers": 2}, {"layers": 3}]


def compared(rounds: int = 6, asked: int = 6, **environment: str) -> Comparison:
    here = {**environment_record(threads=1), **environment}
    one = Measurement("a", (1.0,) * rounds, 1, environment=here)
    return Comparison((one,), "a", asked)


def recording(log: list[object], fail_at: int = 99) -> Callable[[Parameters], Comparison]:
    def measure_case(parameters: Parameters) -> Comparison:
        if parameters["layers"] == fail_at:
            raise KeyboardInterrupt
        log.append(parameters["layers"])
        return compared()

    return measure_case


def test_an_interrupted_run_keeps_what_was_finished_and_resumes_there(tmp_path: Path) -> None:
    out = tmp_path / "suite.jsonl"
    first: list[object] = []
    with pytest.raises(KeyboardInterrupt):
        run_cases("suite", CASES, recording(first, fail_at=3), Settings(out=out))
    assert first == [1, 2]
    assert len(read_cases(out)) == 2

    second: list[object] = []
    outcome = run_cases("suite", CASES, recording(second), Settings(out=out, resume=True))
    assert second == [3]
    assert [case.parameters["layers"] for case in outcome.cases] == [1, 2, 3]
    assert len(read_cases(out)) == 3
    assert outcome.notes == ()


def test_a_run_killed_inside_a_line_resumes_and_says_so(tmp_path: Path) -> None:
    out = tmp_path / "suite.jsonl"
    run_cases("suite", CASES[:2], recording([]), Settings(out=out))
    out.write_bytes(out.read_bytes()[:-100])
    log: list[object] = []
    outcome = run_cases("suite", CASES, recording(log), Settings(out=out, resume=True))
    assert log == [2, 3]
    assert len(outcome.cases) == 3
    assert any("cut off by an interruption" in note for note in outcome.notes)


def test_without_resume_a_case_is_measured_again_and_appended(tmp_path: Path) -> None:
    out = tmp_path / "suite.jsonl"
    for _ in range(3):
        outcome = run_cases("suite", CASES[:1], recording([]), Settings(out=out))
    assert (len(read_cases(out)), len(outcome.cases), outcome.notes) == (3, 1, ())


def test_a_resume_measures_again_what_another_machine_measured(tmp_path: Path) -> None:
    out = tmp_path / "suite.jsonl"
    write_case(out, Case("suite", {"layers": 1}, compared(cpu="a very fast one")))
    log: list[object] = []
    outcome = run_cases("suite", CASES[:1], recording(log), Settings(out=out, resume=True))
    assert log == [1]
    assert "1 cases were measured on another machine" in outcome.notes[0]


@pytest.mark.parametrize(
    "older",
    [
        Case("another", {"layers": 1}, compared()),
        Case("suite", {"layers": 1, "grad": True}, compared()),
        Case("suite", {"layers": 1}, compared(rounds=5, asked=6)),
    ],
    ids=["another suite", "other parameters", "too few rounds"],
)
def test_a_resume_skips_only_the_very_case(tmp_path: Path, older: Case) -> None:
    out = tmp_path / "suite.jsonl"
    write_case(out, older)
    log: list[object] = []
    run_cases("suite", CASES[:1], recording(log), Settings(out=out, resume=True))
    assert log == [1]


@pytest.mark.parametrize("resume", [False, True])
def test_what_is_not_a_file_of_results_is_refused_before_measuring(
    tmp_path: Path, resume: bool
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "mine.txt").write_text("my text\n")
    log: list[object] = []
    for place in (tmp_path / "folder", tmp_path / "mine.txt", Path(".")):
        with pytest.raises(RecordError):
            run_cases("suite", CASES, recording(log), Settings(out=place, resume=resume))
    assert log == []
    assert sorted(path.name for path in tmp_path.iterdir()) == ["folder", "mine.txt"]


def nothing(sizes: tuple[int, ...] = (1,), settings: Settings = IN_MEMORY) -> None: ...


def test_an_interrupt_promises_finished_cases_only_where_there_are_some(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    parser = argparse.ArgumentParser()
    add_shared_arguments(parser, "suite", nothing, "sizes")
    arguments = parser.parse_args(["--out", str(tmp_path / "suite.jsonl")])

    def first(out: Path) -> NoReturn:
        raise KeyboardInterrupt

    def second(out: Path) -> NoReturn:
        write_case(out, Case("suite", {}, compared()))
        raise KeyboardInterrupt

    for run, finished in ((first, False), (second, True)):
        assert run_command(arguments, run) == 130
        assert ("--resume continues" in capsys.readouterr().err) is finished
