"""What pyperf reads from our files is what the comparison holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pyperf
import pytest

from hpml.benchmark import BenchmarkError, Comparison, Measurement
from tests.parts import raises

HERE = {"python": "3.11.2", "cpu": "a CPU", "time_utc": "2026-11-28T21:00:00+00:00", "gpu": None}
OLD = Measurement("old", (4e-3, 4.1e-3, 3.9e-3, 4e-3, 4.2e-3, 4e-3), number=10, environment=HERE)
NEW = Measurement("neu, schnell", (2e-3, 2.1e-3, 1.9e-3, 2e-3), number=7, items=3, processes=2)


def pyperf_command(*words: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "pyperf", *words], capture_output=True, text=True, encoding="utf-8"
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_pyperf_reads_every_sample_with_its_process_and_conditions(tmp_path: Path) -> None:
    path = Comparison((OLD,), "old", 6).save(tmp_path / "new" / "one.json")
    (old,) = pyperf.BenchmarkSuite.load(str(path))
    assert old.get_name() == "old"
    assert old.get_values() == OLD.samples
    assert old.get_total_loops() == 10
    assert (old.get_nrun(), old.get_unit()) == (1, "second")
    metadata = old.get_metadata()
    assert (metadata["cpu_model_name"], metadata["python_version"]) == ("a CPU", "3.11.2")
    assert "hpml_gpu" not in metadata
    neu = pyperf.Benchmark.load(str(NEW.save(tmp_path / "neu.json")))
    assert neu.get_name() == NEW.name
    assert [run.values for run in neu.get_runs()] == list(NEW.by_process)
    assert neu.get_total_loops() == 21


def test_compare_to_compares_two_contenders_saved_under_one_name(tmp_path: Path) -> None:
    # Not measured: on a busy machine pyperf's own test may find nothing.
    before, after = (
        str(each.save(tmp_path / f"{number}.json", name="add"))
        for number, each in enumerate((OLD, NEW))
    )
    said = pyperf_command("compare_to", before, after)
    assert "faster" in said
    means = [pyperf.Benchmark.load(path).mean() for path in (before, after)]
    assert f"{means[0] / means[1]:.2f}x faster" in said


def test_compare_to_compares_two_days_contender_by_contender(tmp_path: Path) -> None:
    first = Comparison((OLD, Measurement("neu", OLD.samples, 1)), "old", 6)
    later = Comparison((OLD, Measurement("neu", tuple(s / 2 for s in OLD.samples), 1)), "old", 6)
    paths = [str(each.save(tmp_path / f"{n}.json")) for n, each in enumerate((first, later))]
    said = pyperf_command("compare_to", "--table", *paths)
    assert "2.00x faster" in said


def test_a_file_that_pyperf_would_refuse_is_not_written(tmp_path: Path) -> None:
    with raises(BenchmarkError, object="file name of a comparison", received="one.jsonl"):
        Comparison((OLD,), "old", 6).save(tmp_path / "one.jsonl")
    with raises(BenchmarkError, object="name of a benchmark", received="' '"):
        OLD.save(tmp_path / "one.json", name=" ")
    assert not list(tmp_path.iterdir())


def test_processes_without_equally_many_samples_are_refused() -> None:
    with raises(BenchmarkError, object="processes of measurement 'x'", received="3 processes"):
        Measurement("x", (1.0, 2.0), 1, processes=3)
    assert pytest.approx(1.5) == Measurement("x", (1.0, 2.0), 1, processes=2).median
