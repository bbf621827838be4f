"""The exercises of lab 11: time on a device, two time lines, and the speed-up of a CUDA graph."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

from hpml.course.labs.lab_11_gpu_benchmarks.harness import call_and_device
from hpml.course.lesson.exercises.edges import magnitudes
from hpml.course.lesson.exercises.exercise import Case, Exercise, Forbidden
from hpml.course.lesson.exercises.outcomes import Outcome, Returned, symptom
from hpml.course.lesson.exercises.same import expect
from hpml.profiling import simulate_launches

_OWN = Forbidden(modules=("hpml", "torch"), why="The exercise is to write the library's simulator.")


def _device_cases(rng: random.Random, more: bool) -> Sequence[Case]:
    cases = [
        _on_device("one long kernel", 1e-5, [0.25]),
        _on_device("launches take longer than kernels", 0.01, [0.004] * 5),
        _on_device("kernels take longer than launches", 0.001, [0.02] * 5),
        _on_device("the first call is slow", 0.001, [0.02] * 3, first=0.5),
        _on_device("the device is busy before", 0.001, [0.02] * 3, queued=2.0),
        _on_device("a clock that began long ago", 0.002, [0.001, 0.03], first=0.1, start=512.0),
        _on_device("a clock that shows less than 0", 0.002, [0.03, 0.001], 0.1, 0.5, -512.0),
        _on_device("microseconds", 1.234567e-6, [4.444444e-6, 1.7e-6], first=0.1),
        _on_device("longer than a minute", 3.0, [70.25, 1.5], first=100.0, queued=50.0),
        _on_device("a call that is like the first", 0.001, [0.02, 0.002]),
    ]
    for place in range(6 if more else 2):
        kernels = [round(rng.uniform(0.001, 0.05), 4) for _ in range(rng.randint(2, 6))]
        launch, first = round(rng.uniform(0.001, 0.03), 4), round(rng.uniform(0.1, 1), 3)
        queued, start = round(rng.uniform(0.1, 2), 3), round(rng.uniform(1, 900), 2)
        cases.append(_on_device(f"drawn, {place + 1}", launch, kernels, first, queued, start))
    return cases


def _on_device(
    name: str,
    launch: float,
    kernels: list[float],
    first: float = 0.0,
    queued: float = 0.0,
    start: float = 0.0,
) -> Case:
    data = {"launch": launch, "kernels": kernels, "first": first, "queued": queued, "start": start}
    seconds = ", ".join(f"{what} {value}" for what, value in data.items() if value)
    return Case(name, data, call=f"time_on_device(fn, device)  # in s: {seconds}")


_IN_A_ROW = (2, 3, 4, 5, 6, 8, 10, 15, 16, 20, 25, 30, 32, 50, 64, 100, 200, 500)


def _device_symptom(case: Case, outcome: Outcome) -> object:
    """Return one symptom for the mean of several calls, however many they are."""
    launch, kernels = case.data["launch"], case.data["kernels"]
    value = outcome.value if isinstance(outcome, Returned) else None
    if isinstance(value, float) and any(
        math.isclose(value, simulate_launches(launch, kernels * many).total / many, rel_tol=1e-9)
        for many in _IN_A_ROW
    ):
        return "the mean of several calls"
    return symptom(case, outcome)


_TIME_ON_DEVICE = Exercise(
    name="time_on_device",
    minutes=5,
    parts={"right": 2},
    cases=_device_cases,
    judge=expect(
        lambda case: simulate_launches(case.data["launch"], case.data["kernels"]).total,
        tolerance=1e-9,
    ),
    symptom=_device_symptom,
    arguments=call_and_device,
    forbids=Forbidden(
        modules=("time", "timeit", "hpml", "torch"), why="Here only `device.clock` tells the time."
    ),
)


def _line_cases(rng: random.Random, more: bool) -> Sequence[Case]:
    given: list[tuple[str, float, list[float]]] = [
        ("one kernel", 10.0, [4.0]),
        ("the GPU waits", 10.0, [4.0, 4.0, 4.0]),
        ("the CPU is ahead", 4.0, [10.0, 10.0, 10.0]),
        ("as long as a launch", 5.0, [5.0, 5.0]),
        ("a long kernel among short ones", 10.0, [4.0, 25.0, 4.0, 4.0]),
        ("nothing to do", 10.0, []),
        ("launches cost nothing", 0.0, [3.0, 2.0]),
        ("a long kernel in the middle", 10.0, [4.0, 25.0, 4.0]),
        ("kernels that take no time", 10.0, [0.0, 25.0, 0.0, 0.0]),
        ("no time at all", 0.0, [0.0, 0.0]),
    ]
    for size in magnitudes(rng, 3):
        given.append((f"times of {size:g}", size, [0.5 * size, 3 * size, 0.25 * size]))
    for place in range(8 if more else 3):
        kernels = [round(rng.uniform(0, 30), 1) for _ in range(rng.randint(2, 7))]
        given.append((f"drawn, {place + 1}", round(rng.uniform(1, 20), 1), kernels))
    return [Case(name, {"launch": launch, "kernels": ks}) for name, launch, ks in given]


def _spans(case: Case) -> list[tuple[float, float]]:
    launch, kernels = (case.data[name] for name in ("launch", "kernels"))
    return list(simulate_launches(launch, kernels).kernels) if kernels else []


_TIMELINE = Exercise(
    name="timeline",
    minutes=6,
    parts={"right": 3},
    cases=_line_cases,
    judge=expect(_spans, tolerance=1e-9),
    forbids=_OWN,
)


def _speedup_cases(rng: random.Random, more: bool) -> Sequence[Case]:
    given = [
        ("one kernel", 1, 8.0, 3.0),
        ("launch-bound", 50, 8.0, 2.0),
        ("compute-bound", 50, 2.0, 8.0),
        ("as long as a launch", 10, 5.0, 5.0),
        ("two kernels", 2, 6.0, 1.5),
        ("launches cost nothing", 20, 0.0, 4.0),
        ("six kernels", 6, 10.0, 4.0),
        ("kernels cost nothing", 20, 4.0, 0.0),
        ("one kernel that costs nothing", 1, 4.0, 0.0),
        ("one kernel and a launch that costs nothing", 1, 0.0, 4.0),
        ("two thousand kernels", 2000, 8.0, 2.0),
        ("a little longer than a launch", 50, 5.0, 5.001),
        ("a little shorter than a launch", 50, 5.0, 4.999),
    ]
    for size in magnitudes(rng, 3, 1e290):
        given.append((f"times of {size:g}", 40, size, 0.25 * size))
    for place in range(8 if more else 3):
        launch, kernel = (round(rng.uniform(0.5, 12), 1) for _ in range(2))
        given.append((f"drawn, {place + 1}", rng.randint(3, 400), launch, kernel))
    return [Case(name, {"n": n, "launch": lau, "kernel": k}) for name, n, lau, k in given]


def _speedup(case: Case) -> float:
    n, launch, kernel = (case.data[name] for name in ("n", "launch", "kernel"))
    eager, recorded = (
        simulate_launches(launch, [kernel] * n, recorded=r).total for r in (False, True)
    )
    return float(eager / recorded)


_GRAPH_SPEEDUP = Exercise(
    name="graph_speedup",
    minutes=4,
    parts={"right": 2},
    cases=_speedup_cases,
    judge=expect(_speedup, tolerance=1e-9),
    forbids=_OWN,
)

EXERCISES: tuple[Exercise, ...] = (_TIME_ON_DEVICE, _TIMELINE, _GRAPH_SPEEDUP)
