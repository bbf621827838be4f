from __future__ import annotations

import pytest

from hpml.profiling import ProfilingError, Timeline, draw_timelines, fit_launches, simulate_launches
from tests.parts import raises


@pytest.mark.parametrize(
    ("launch", "kernels", "spans"),
    [
        (10, [4, 4], ((10, 14), (20, 24))),
        (4, [10, 10], ((4, 14), (14, 24))),
        (10, [25, 4, 4], ((10, 35), (35, 39), (39, 43))),
        (0, [3, 2], ((0, 3), (3, 5))),
    ],
    ids=["the GPU waits", "the CPU is ahead", "ahead after a long one", "launches for nothing"],
)
def test_a_kernel_starts_once_it_is_issued_and_the_one_before_has_ended(
    launch: float, kernels: list[float], spans: tuple[tuple[float, float], ...]
) -> None:
    assert simulate_launches(launch, kernels).kernels == spans


def test_a_recorded_graph_is_one_launch_and_no_gap() -> None:
    line = simulate_launches(10, [4, 25, 4], recorded=True)
    assert line.launches == ((0, 10),)
    assert line.kernels == ((10, 14), (14, 39), (39, 43))
    assert (line.busy, line.bound) == (33, "compute")


def test_pauses_of_a_real_device_do_not_make_it_launch_bound() -> None:
    measured = Timeline(((0, 1), (1, 2), (2, 3)), ((1, 21), (21.1, 41.1), (41.3, 61.3)))
    assert measured.bound == "compute"


@pytest.mark.parametrize("wrong", [(10, []), (-1, [2]), (1, [2, -2])])
def test_no_kernels_and_negative_times_are_refused(wrong: tuple[float, list[float]]) -> None:
    with raises(
        ProfilingError, object="times of simulate_launches", received=" and ".join(map(str, wrong))
    ):
        simulate_launches(*wrong)


def test_a_fit_finds_the_numbers_that_made_the_times() -> None:
    kernels = {16: 2e-6, 32: 3e-6, 64: 9e-6, 128: 50e-6, 256: 800e-6}
    eager = {size: simulate_launches(6e-6, [time] * 40).total for size, time in kernels.items()}
    graph = {s: simulate_launches(6e-6, [t] * 40, recorded=True).total for s, t in kernels.items()}
    fit = fit_launches(eager, graph, 40)
    assert fit.launch == pytest.approx(6e-6)
    assert fit.kernels == pytest.approx(kernels)
    assert [fit.residual(size) for size in eager] == pytest.approx([0] * 5, abs=1e-9)
    assert "40 launches of 6.00 µs each" in str(fit)
    # Compute-bound, a graph that saves a hundredth tells no launch cost.
    almost = {size: time * (0.99 if size > 32 else 1) for size, time in graph.items()}
    assert fit_launches(eager, almost, 40).launch == pytest.approx(6e-6)


def test_times_that_no_launch_delays_are_refused() -> None:
    with raises(ProfilingError, object="times of fit_launches", received="never waits"):
        fit_launches({16: 1.0}, {16: 1.0}, 40)


def test_a_picture_says_who_waits() -> None:
    told = draw_timelines(
        {"small": simulate_launches(10, [4] * 6), "large": simulate_launches(10, [25] * 6)}
    )
    assert "small: 6 launches, 6 kernels, 64 µs in total" in told.plain
    assert told.plain.count("(launch-bound)") == told.plain.count("(compute-bound)") == 1
    assert told.png is not None
    threads = draw_timelines({"small": simulate_launches(10, [4] * 6)}, device="thread").plain
    assert "thread computes" in threads
    assert "GPU" not in threads
