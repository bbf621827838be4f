from __future__ import annotations

import threading

import pytest
import torch

from hpml.benchmark import Comparison, Measurement
from hpml.benchmark.saved.record import Case
from hpml.course.labs.lab_11_gpu_benchmarks import devices, explorer, launched, resnet
from hpml.course.labs.lab_11_gpu_benchmarks.explorer import TIMES
from hpml.course.suites import toy_resnet
from tests.drawn import drawn, extent, overlap

PUBLISHED = toy_resnet.ToyResNetResult(())


def test_a_launch_returns_before_its_kernel_ends_and_synchronising_waits() -> None:
    device, gate = devices.AsyncDevice(), devices.AsyncDevice()
    held = gate.launch(0.02)
    mark = device.launch(0.001, after=held)
    assert not mark.reached.is_set()
    device.synchronize()
    assert held.reached.is_set()
    assert mark.reached.is_set()


def test_kernels_run_in_order_one_at_a_time_and_a_recording_is_one_launch() -> None:
    device = devices.AsyncDevice(launch=0.001)

    def work() -> None:
        for _ in range(3):
            device.launch(0.002)

    replay = device.record(work)
    for run, launches in ((work, 3), (replay, 1)):
        line = device.timeline(run)
        assert (len(line.launches), len(line.kernels)) == (launches, 3)
        assert all(a[1] <= b[0] for a, b in zip(line.kernels, line.kernels[1:], strict=False))
        assert line.kernels[0][0] >= line.launches[0][1]


def test_events_are_noted_by_the_device_and_the_first_launch_is_slow() -> None:
    device = devices.AsyncDevice(first=0.02)
    first = device.timeline(lambda: device.launch(0.001)).launches[0]
    assert first[1] - first[0] >= 20
    begin, _, end = device.event(), device.launch(0.01), device.event()
    assert begin.elapsed_time(end) >= 10


def test_the_thread_of_a_device_ends_with_it() -> None:
    before = set(threading.enumerate())
    device = devices.AsyncDevice()
    (thread,) = set(threading.enumerate()) - before
    del device
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_batches_overlap_in_two_queues_only_and_pinned_memory_frees_the_program() -> None:
    found = {way: devices.pipeline(way, 3, copy=0.004, compute=0.004) for way in devices.WAYS}
    for way in ("pageable", "pinned"):
        for copied, computed in zip(found[way].copies[1:], found[way].computed, strict=False):
            assert copied[0] >= computed[1]
    two = found["pinned, two queues"]
    assert two.copies[-1][0] < two.computed[-2][1]
    assert found["pageable"].held > found["pageable"].copies[-1][1] - 1
    assert "the program blocked for" in devices.draw_pipelines(found).plain


def test_the_explorer_draws_with_the_students_function_once_it_answers() -> None:
    plain = explorer.launch_explorer(lambda launch, kernels: None)  # type: ignore[arg-type, return-value]
    assert "yours is not written yet" in plain.title
    assert len(plain.keyframes) == len(TIMES) ** 2

    def serial(launch: float, kernels: list[float]) -> list[tuple[float, float]]:
        step = launch + kernels[0]
        return [(k * step + launch, (k + 1) * step) for k in range(len(kernels))]

    yours = explorer.launch_explorer(serial)
    assert "your timeline" in yours.title
    assert "216 µs one by one" in yours.keyframes[0].line  # a mistake shows
    assert "194 µs one by one" in plain.keyframes[0].line


def test_the_growth_is_that_within_rounds_on_a_machine_that_slows_down() -> None:
    slower = [1.05**k for k in range(11)]
    cases = []
    for size, time in ((64, 7.0), (16, 1.0)):
        samples = Measurement("handwritten", tuple(time * each for each in slower), 1)
        comparison = Comparison((samples,), "handwritten", 11)
        cases.append(Case("toy-resnet", {"resolution": size}, comparison))
    found = resnet.measured_growth(toy_resnet.ToyResNetResult(tuple(cases)))
    assert found.value == pytest.approx(7, rel=1e-3)
    assert (found.answer, found.high < 7.8) == ("slower", True)


def test_published_times_stand_in_the_table_and_grow_as_the_text_says() -> None:
    times = resnet.times_of(PUBLISHED)
    assert resnet.growth(times[f"handwritten, {resnet.GPU}"]) == pytest.approx(1, abs=0.05)
    assert resnet.growth(times[f"cuda-graphs, {resnet.GPU}"]) > 1.5
    assert "Published: NVIDIA GeForce RTX 3080" in str(resnet.time_table(PUBLISHED))
    fits = resnet.fits(PUBLISHED)
    assert all(abs(fit.residual(size)) < 0.05 for fit in fits.values() for size in fit.eager)
    table = resnet.speedups(next(iter(fits.values())), lambda n, launch, kernel: None)
    assert table.column("eager / graph") == pytest.approx((2.086, 1.915, 1.230), abs=1e-3)
    assert table.column("your graph_speedup") == (None, None, None)


def test_growth_has_a_colour_for_each_machine_and_a_label_beside_each_line() -> None:
    times = {
        "handwritten, here": {16: 1.0, 64: 8.0},
        "codegen, here": {16: 1.0, 64: 9.0},
        f"handwritten, {resnet.GPU}": {16: 2.0, 64: 2.0},
        f"cuda-graphs, {resnet.GPU}": {16: 1.0, 64: 1.5},
    }
    chart = resnet.growth_chart(times)
    ax = drawn(chart, width=8.6)
    labels = [
        "the arithmetic: 16×",
        "handwritten, here: 8.00×",
        f"cuda-graphs, {resnet.GPU}: 1.50×",
        f"handwritten, {resnet.GPU}: 1.00×",
    ]
    fallen = sorted(ax.texts, key=lambda text: -extent(text).y0)
    assert [text.get_text() for text in fallen] == labels
    assert not overlap(fallen)
    assert all(extent(text).x0 > ax.bbox.x1 for text in fallen)
    assert ax.get_legend() is None
    _, here, eager, graph = ax.get_lines()
    assert eager.get_color() == graph.get_color() != here.get_color()
    assert eager.get_linestyle() == here.get_linestyle() != graph.get_linestyle()
    assert chart.text == f"{'; '.join([labels[0], labels[1], labels[3], labels[2]])}."
    assert len(set(resnet.MACHINES.values())) == len(resnet.MACHINES)


def replays(calls: float, alone: float) -> toy_resnet.ToyResNetResult:
    names = {"handwritten": 9.0, "cuda-graphs": calls, "graph, replay alone": alone}
    noise = [1 + 0.001 * (k % 3) for k in range(11)]
    samples = [Measurement(name, tuple(t * n for n in noise), 1) for name, t in names.items()]
    comparison = Comparison(tuple(samples), "handwritten", 11)
    return toy_resnet.ToyResNetResult((Case("toy-resnet", {"resolution": 16}, comparison),))


def test_a_replay_alone_stands_beside_the_call_of_the_recorded_model() -> None:
    measured = replays(3.0, 2.0)
    assert resnet.around_a_replay(measured).startswith(
        "A call of the recorded model, compared with its replay alone, takes 1.50 times as long at "
        "16 pixels."
    )
    assert "graph, replay alone, here" in resnet.times_of(measured)
    assert "not yet recorded" in resnet.around_a_replay(PUBLISHED)
    assert "Not yet recorded, and measured with CUDA only: torch.compile, reduce-overhead; " in str(
        resnet.time_table(PUBLISHED)
    )


def test_the_compilers_graphs_are_contenders_where_the_device_records_graphs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert toy_resnet.REDUCED not in resnet.ways("cpu", compiled=True)
    monkeypatch.setattr(toy_resnet.accelerator, "can", lambda feature, device: True)
    assert resnet.ways("cuda")[-4:] == [
        "torch.compile",
        "torch.compile, reduce-overhead",
        "cuda-graphs",
        "graph, replay alone",
    ]


def test_reading_a_value_waits_for_all_kernels_before_it() -> None:
    def asks_each(x: torch.Tensor) -> list[float]:
        return [(each + 1).item() for each in x]

    def asks_once(x: torch.Tensor) -> list[float]:
        return (x + 1).tolist()  # type: ignore[no-any-return]

    table = launched.table_of(
        {"each": asks_each, "once": asks_once, "none": lambda x: None}, torch.rand(5)
    )
    assert table.column("operators") == (10, 1, 0)
    assert table.column("of these, waits") == (5, 0, 0)
    each, once, none = table.column("simulated, µs")
    assert none is None
    assert each == pytest.approx(
        5 * launched.simulated(["add", "_local_scalar_dense"], 7.77, 3.6), rel=0.01
    )
    assert once < each / 5
