from __future__ import annotations

from hpml.course.suites.toy_resnet import published_fit
from tests.causes.shown import RANGES, OwnedBy, Shown, Source
from tests.questions.answers import solution

timeline, graph_speedup = solution("lab_11/timeline"), solution("lab_11/graph_speedup")


def the_cpu_and_the_device_each_have_a_line() -> None:
    """The time when the last launch is issued, and when the last kernel ends."""
    launch, kernels = 10.0, [40.0] * 6
    issued, ended = launch * len(kernels), timeline(launch, kernels)[-1][1]
    assert ended > 3 * issued


def the_gain_shrinks_where_kernels_grow() -> None:
    """The gain of a graph with short kernels and with longer ones, at equal launches."""
    assert graph_speedup(49, 10.0, 1.0) > 3 > 1.5 > graph_speedup(49, 10.0, 9.0)


def at_64_pixels_the_gpu_waits_a_fifth_of_the_time() -> None:
    """The lab's own fit of the published times, at the smallest and the largest image."""
    fit = published_fit("handwritten")
    busy = {size: fit.count * fit.kernels[size] / fit.eager[size] for size in (16, 64)}
    assert busy[16] < 0.5
    assert 0.18 < 1 - busy[64] < 0.23


def only_equal_kernels_show_when_the_eager_time_grows() -> None:
    """One long kernel hides behind later launches; equal ones do not."""
    assert timeline(10, [1, 15, 1, 1]) != timeline(10, [1] * 4)
    assert timeline(10, [1, 15, 1, 1])[-1] == timeline(10, [1] * 4)[-1]
    assert timeline(10, [9] * 4)[-1][1] == 49
    assert timeline(10, [15] * 4)[-1][1] == 70


SHOWN: dict[str, Shown] = {
    "So a clock in the program measures launches, not the work.": Source(
        "https://docs.pytorch.org/docs/stable/notes/cuda.html#asynchronous-execution"
    ),
    "So there are two parallel time lines.": the_cpu_and_the_device_each_have_a_line,
    'So "much faster" holds at 16 pixels.': the_gain_shrinks_where_kernels_grow,
    "Only B predicts the same time as before, so A and C cannot be told apart.": RANGES,
    "A and B both predict that nothing changes, so they cannot be told apart.": RANGES,
    "A and C predict no change, because the CPU decides.": RANGES,
}
_ATTENTION = "tests/course/labs/lab_11/test_attention.py"
ALSO: dict[str, Shown] = {
    "`math` writes them twice, before and after the softmax.": OwnedBy(
        _ATTENTION, "test_math_writes_the_scores_twice_and_a_fused_kernel_only_the_result"
    ),
    "From 1,024 to 2,048 positions the operations grow fourfold for both.": OwnedBy(
        _ATTENTION,
        "test_both_kernels_do_the_same_operations_and_double_positions_do_four_times_as_many",
    ),
    "As a graph the same operators are nearer to it, and still below a tenth.": OwnedBy(
        _ATTENTION, "test_a_graph_of_the_recorded_gpu_runs_nearer_to_its_product_than_eager"
    ),
    "At 64 the GPU waits a fifth of the time.": at_64_pixels_the_gpu_waits_a_fifth_of_the_time,
    "With equal kernels, the eager time grows once one takes longer than a launch.": (
        only_equal_kernels_show_when_the_eager_time_grows
    ),
}
