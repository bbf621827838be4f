from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hpml.base.errors import describe
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.errors import RecordError
from hpml.benchmark.measurement import Measurement
from hpml.benchmark.saved.record import Case, read_cases, same_machine, write_case
from tests.parts import raises

HERE = {"python": "3.11", "cpu": "a", "torch": "2", "device": "cpu"}


def case(layers: int = 250, *, suite: str = "deep-linear", cpu: str = "a") -> Case:
    here = {**HERE, "cpu": cpu}
    old = Measurement("old", (1e-3, 1e-9 / 3, 0.1 + 0.2), 10, environment=here)
    new = Measurement("é ∑", (1 / 3, 2e-3, 3e-3), 5, 2, environment=dict(here))
    return Case(suite, {"layers": layers, "grad": False}, Comparison((old, new), "old", 3, seed=4))


def test_a_case_comes_back_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "results" / "deep-linear.jsonl"
    write_case(path, case(250))
    write_case(path, case(500))
    recorded = read_cases(path)
    assert recorded.cases == (case(250), case(500))
    assert recorded.damaged == ()
    assert [c.parameters["layers"] for c in recorded] == [250, 500]


@given(st.lists(st.floats(1e-9, 1e3), min_size=1, max_size=9))
def test_samples_come_back_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, samples: list[float]
) -> None:
    path = tmp_path_factory.mktemp("record") / "x.jsonl"
    one = Measurement("é ∑", tuple(samples), 1)
    write_case(path, Case("x", {}, Comparison((one,), "é ∑", 1)))
    assert read_cases(path).cases[0].comparison.measurements[0].samples == tuple(samples)


@pytest.mark.parametrize("kept", [1, 40, 0.5, 0.99])
def test_a_line_cut_off_by_a_kill_is_reported_kept_and_written_past(
    tmp_path: Path, kept: float
) -> None:
    path = tmp_path / "x.jsonl"
    write_case(path, case(250))
    whole = path.read_bytes()
    write_case(path, case(500))
    second = path.read_bytes()[len(whole) :]
    cut = second[: kept if isinstance(kept, int) else int(kept * len(second))]
    path.write_bytes(whole + cut)

    recorded = read_cases(path)
    assert [c.parameters["layers"] for c in recorded] == [250]
    (message,) = recorded.damaged
    assert "x.jsonl, line 2" in message
    assert "cut off by an interruption" in message
    assert path.read_bytes() == whole + cut

    write_case(path, case(500))
    again = read_cases(path)
    assert [c.parameters["layers"] for c in again] == [250, 500]
    assert len(again.damaged) == 1
    assert path.read_bytes().startswith(whole + cut)


@pytest.mark.parametrize(
    ("line", "place", "received"),
    [
        ('{"layers": 250}', "", '{"layers'),
        ("[1, 2]", "", "[1, 2]"),
        ('{"format": "hpml-benchmark", "version": 2}', ", line 1", "'version': 2"),
        ('{"format": "hpml-benchmark", "version": 1}', ", line 1", "KeyError: 'environments'"),
    ],
)
def test_a_file_of_something_else_is_an_error(
    tmp_path: Path, line: str, place: str, received: str
) -> None:
    path = tmp_path / "x.jsonl"
    path.write_text(line + "\n")
    with raises(RecordError, object=f"{path}{place}", received=received):
        read_cases(path)


def test_a_file_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    with raises(RecordError, object=str(path), received="FileNotFoundError"):
        read_cases(path)


@pytest.mark.parametrize("value", [object(), float("nan")])
def test_parameters_that_json_cannot_carry_are_refused(tmp_path: Path, value: object) -> None:
    bad = Case("x", {"value": value}, case().comparison)  # type: ignore[dict-item]
    with raises(RecordError, object="suite 'x'", received=describe({"value": value})):
        write_case(tmp_path / "x.jsonl", bad)
    assert not (tmp_path / "x.jsonl").exists()


def test_another_processor_is_another_machine() -> None:
    assert same_machine(case(), HERE)
    assert not same_machine(case(), {**HERE, "cpu": "b"})


@pytest.mark.parametrize(
    "change",
    [
        {"parameters": None},
        {"parameters": [1]},
        {"environments": [1]},
        {"environments": None},
        {"measurements": [None]},
        {"measurements": 1},
        {"baseline": None},
        {"measurements": [{"name": "old", "samples": [10**400], "number": 1}]},
    ],
)
def test_a_line_that_was_edited_is_an_error_with_its_place(
    tmp_path: Path, change: dict[str, object]
) -> None:
    path = tmp_path / "x.jsonl"
    write_case(path, case())
    path.write_text(json.dumps({**json.loads(path.read_text()), **change}) + "\n")
    with raises(RecordError, object=f"{path}, line 1", expected="a complete case"):
        read_cases(path)
