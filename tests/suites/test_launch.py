"""The suite of launches, and the fit of the toy ResNet."""

from __future__ import annotations

import pytest

from hpml.benchmark import Case, Measurement
from hpml.benchmark.comparison import Comparison
from hpml.suites import launch, toy_resnet
from hpml.suites.published import CUDA_GRAPHS
from hpml.suites.settings import SuiteError

FAST = {"rounds": 6, "min_sample_time": 1e-5}


def test_on_a_cpu_the_suite_measures_what_means_something_and_names_the_rest() -> None:
    result = launch.run([1], **FAST)
    (case,) = result.cases
    assert case.comparison.names == ("launch", "copy", "product")
    assert all(name in result.notes[0] for name in (launch.WAIT, *launch.TRANSFERS))
    text = str(result)
    assert all(unit in text for unit in ("thousand per second", "GB/s", "GFLOP/s"))
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
