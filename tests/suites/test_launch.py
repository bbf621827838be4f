"""The suite of launches, the fit of the toy ResNet, and two records side by side."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from hpml.benchmark import Case, Measurement, write_case
from hpml.benchmark.comparison import Comparison
from hpml.benchmark.record_comparison import compare_records
from hpml.cli import main
from hpml.suites import launch, toy_resnet
from hpml.suites.published import CUDA_GRAPHS
from hpml.suites.settings import SuiteError

if TYPE_CHECKING:
    from pathlib import Path

FAST = {"rounds": 6, "min_sample_time": 1e-5}


def test_on_a_cpu_the_suite_measures_what_means_something_and_names_the_rest() -> None:
    result = launch.run([1], **FAST)
    (case,) = result.cases
    assert case.comparison.names == ("launch", "copy", "product")
    assert all(name in result.notes[0] for name in (launch.WAIT, *launch.TRANSFERS))
    text = str(result)
    assert all(unit in text for unit in ("thousand a second", "GB/s", "GFLOP/s"))
    assert list(result.table()["mebibytes"]) == [1, 1, 1]
    assert len(result.plot().axes) == 1


@pytest.mark.gpu
def test_on_a_gpu_everything_is_measured() -> None:
    result = launch.run([1], device="cuda", **FAST)
    assert result.cases[0].comparison.names == launch.names()
    measured = toy_resnet.run([16], device="cuda", **FAST)
    assert {"torch.compile", CUDA_GRAPHS} < set(measured.cases[0].comparison.names)
    assert measured.fit().launch > 0


def recorded(
    suite: str, times: dict[str, float], machine: str = "Abacus 1", size: int = 16
) -> Case:
    environment: dict[str, str | int | float | None] = {"cpu": machine, "python": "3.13.1"}
    measured = [
        Measurement(name, (time,) * 6, 10, environment=environment) for name, time in times.items()
    ]
    parameters = {"resolution": size, "batch": 4, "rounds": 6}
    return Case(suite, parameters, Comparison(tuple(measured), next(iter(times)), 6))


def test_the_simulator_is_fitted_to_a_record_with_graphs_and_to_none_without() -> None:
    eager, graph = 49 * 6e-6 + 2e-6, 6e-6 + 49 * 2e-6
    case = recorded("toy-resnet", {"handwritten": eager, CUDA_GRAPHS: graph})
    fit = toy_resnet.ToyResNetResult((case,)).fit()
    assert (fit.launch, fit.kernels[16]) == (pytest.approx(6e-6), pytest.approx(2e-6))
    with pytest.raises(SuiteError):
        toy_resnet.ToyResNetResult((recorded("toy-resnet", {"handwritten": 1.0}),)).fit()


def files(folder: Path, a: Case, b: Case) -> list[str]:
    for name, case in (("a", a), ("b", b)):
        write_case(folder / name, case)
    return [str(folder / name) for name in "ab"]


def test_two_records_stand_side_by_side_with_ratios_and_machines(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = recorded("toy-resnet", {"handwritten": 4e-3, "inlined": 3e-3})
    b = recorded("toy-resnet", {"handwritten": 1e-3, "inlined": 5e-4}, "Abacus 2")
    b = replace(b, parameters={**b.parameters, "rounds": 25})
    paths = files(tmp_path, a, b)
    found = compare_records(*paths)
    assert found.table.column("B / A") == pytest.approx((0.25, 1 / 6))
    assert found.table.column("B's ratio") == pytest.approx((1.0, 0.5))
    assert found.differences.rows == (("cpu", "Abacus 1", "Abacus 2"),)
    assert main(["bench", "--compare", *paths]) == 0
    assert "Not the same machine" in capsys.readouterr().out


def test_records_of_one_machine_do_not_speak_of_machines_and_name_what_one_has_alone(
    tmp_path: Path,
) -> None:
    a = recorded("toy-resnet", {"handwritten": 4e-3})
    paths = files(tmp_path, a, a)
    write_case(paths[1], recorded("toy-resnet", {"handwritten": 9e-3}, size=64))
    found = compare_records(*paths)
    assert "Not the same machine" not in str(found)
    assert found.notes == ("1 case is in B only.",)


def test_cases_are_compared_seed_by_seed(tmp_path: Path) -> None:
    def seeded(seed: int, seconds: float) -> Case:
        case = recorded("convnext-train", {"vanilla": seconds})
        return replace(case, parameters={"threads": 1, "data": "digits", "seed": seed})

    paths = files(tmp_path, seeded(1, 1.0), seeded(2, 8.0))
    write_case(paths[0], seeded(2, 2.0))
    write_case(paths[1], seeded(1, 3.0))
    found = compare_records(*paths)
    assert found.table.column("case") == ("convnext-train, seed 1", "convnext-train, seed 2")
    assert found.table.column("B / A") == pytest.approx((3.0, 4.0))


def test_a_foreign_file_and_another_suite_are_clear_errors(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    a = recorded("toy-resnet", {"handwritten": 4e-3})
    paths = files(tmp_path, a, recorded("deep-linear", {"handwritten": 4e-3}))
    assert main(["bench", "--compare", *paths]) == 1
    assert "expects two records with a case in common" in capsys.readouterr().err
    (tmp_path / "b").write_text('{"something": "else"}\n')
    assert main(["bench", "--compare", *paths]) == 1
    assert "this is not a file of benchmark results" in capsys.readouterr().err
    (tmp_path / "b").write_text('{"format": "hpml-benchmark", "version": 0}\n')
    assert main(["bench", "--compare", *paths]) == 1
    assert "read it with the hpml that wrote it" in capsys.readouterr().err
