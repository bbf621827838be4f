from __future__ import annotations

import pytest

from hpml.benchmark import Case
from hpml.course.suites import launch, toy_resnet
from hpml.course.suites.published import CUDA_GRAPHS
from hpml.course.suites.settings import SuiteError
from tests.benchmark.fakes import steady
from tests.parts import raises

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
    assert result.cases[0].comparison.names == launch.names("cuda")
    measured = toy_resnet.run([16], device="cuda", **FAST)
    assert {"torch.compile", CUDA_GRAPHS} < set(measured.cases[0].comparison.names)
    assert measured.fit().launch > 0


def recorded(times: dict[str, float]) -> toy_resnet.ToyResNetResult:
    case = Case("toy-resnet", {"resolution": 16}, steady("handwritten", **times))
    return toy_resnet.ToyResNetResult((case,))


def test_the_simulator_is_fitted_to_a_record_with_graphs_and_to_none_without() -> None:
    eager, graph = 49 * 6e-6 + 2e-6, 6e-6 + 49 * 2e-6
    fit = recorded({"handwritten": eager, CUDA_GRAPHS: graph}).fit()
    assert (fit.launch, fit.kernels[16]) == (pytest.approx(6e-6), pytest.approx(2e-6))
    name, missing = "the launch simulator", f"none of {CUDA_GRAPHS}"
    with raises(SuiteError, object=name, received=missing, remedy="--device cuda"):
        recorded({"handwritten": 1.0}).fit()
