from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import torch

from tests.causes.lab_06 import a_median_of_ratios_is_not_a_ratio_of_medians
from tests.causes.shown import DESIGN, RANGES, Shown, Source
from tests.questions import lab_08


def three_loops_write_three_times_and_read_twice() -> None:
    """The accesses to the result by three loops and by one."""
    counts = {"read": 0, "write": 0}

    class Array(dict):
        def __getitem__(self, index: int) -> float:
            counts["read"] += 1
            return dict.__getitem__(self, index)

        def __setitem__(self, index: int, value: float) -> None:
            counts["write"] += 1
            dict.__setitem__(self, index, value)

    n, xy = 5, Array()
    for i in range(n):
        xy[i] = i * 2.0
    for i in range(n):
        xy[i] = xy[i] * 100
    for i in range(n):
        xy[i] = xy[i] + 10
    assert counts == {"read": 2 * n, "write": 3 * n}
    counts.update(read=0, write=0)
    for i in range(n):
        xy[i] = i * 2.0 * 100 + 10
    assert counts == {"read": 0, "write": n}


def uncounted_traffic_lowers_one_loops_share() -> None:
    """The bytes that are counted and those that are moved, with write-allocate, by both."""
    counted = {"one loop": 1, "three loops": 5}
    moved = {"one loop": 1 + 1, "three loops": 5 + 1}
    share = {name: counted[name] / moved[name] for name in counted}
    assert share["one loop"] < share["three loops"]
    assert moved["one loop"] < moved["three loops"]
    assert moved["three loops"] / moved["one loop"] == 3


def _rungs():  # type: ignore[no-untyped-def]
    pytest.importorskip("numba")
    from hpml.course.labs.lab_08_fusion_and_compilers import ladder, rungs
    from hpml.jit import instructions

    rng = np.random.default_rng(0)
    x, y = (rng.normal(size=(200, 200)).astype(np.float32) for _ in range(2))
    outs, numbers = {}, {}
    for rung in (rungs.loops, rungs.strides, rungs.order):
        kernel = rungs.compiled(rung)
        kernel(x, y, out := np.empty((200, 200), np.float32))
        outs[rung.__name__] = out
        numbers[rung.__name__] = ladder.multiply_add(instructions(kernel))[1]
    return y, outs, numbers


def the_first_three_rungs_give_equal_bits() -> None:
    """One product with its loops in another order, and with another copy of `y`."""
    _, outs, _ = _rungs()
    assert np.array_equal(outs["loops"], outs["strides"])
    assert np.array_equal(outs["loops"], outs["order"])


def another_order_makes_vector_instructions() -> None:
    """The same loops in two orders: only where the sums are independent, one instruction serves
    several."""
    _, _, numbers = _rungs()
    if numbers["loops"] == "–":
        pytest.skip("this processor has no fused multiply-add")
    assert numbers["loops"] == "1" < numbers["order"]


def another_copy_keeps_the_instruction_and_shortens_the_step() -> None:
    """Two neighbours of a column: in `y`, and in its copy by columns."""
    y, _, numbers = _rungs()
    assert numbers["loops"] == numbers["strides"]
    line = 64  # bytes, or 128 on some machines
    assert y.strides[0] > 2 * line
    assert y.T.copy().strides[1] == y.itemsize


def _four_products(x, y, out):  # type: ignore[no-untyped-def]
    out[:] = 10
    for i in range(out.shape[0]):
        row = out[i]
        for k in range(0, x.shape[1], 4):
            y0, y1, y2, y3 = y[k], y[k + 1], y[k + 2], y[k + 3]
            a0, a1, a2, a3 = x[i, k], x[i, k + 1], x[i, k + 2], x[i, k + 3]
            for j in range(out.shape[1]):
                row[j] = row[j] + a0 * y0[j] + a1 * y1[j] + a2 * y2[j] + a3 * y3[j]


def _eight_rows(x, y, out):  # type: ignore[no-untyped-def]
    out[:] = 10
    for first in range(0, x.shape[1], 8):
        for i in range(out.shape[0]):
            row = out[i]
            for k in range(first, first + 8):
                a, numbers = x[i, k], y[k]
                for j in range(out.shape[1]):
                    row[j] = row[j] + a * numbers[j]


@pytest.mark.thorough
def blocks_needs_both_changes() -> None:
    """Four products at once, eight rows at once, and both, as the rung does it."""
    pytest.importorskip("numba")
    from hpml.course.labs.lab_08_fusion_and_compilers import rungs

    x, y = np.ones((1000, 1000), np.float32), np.ones((1000, 1000), np.float32)
    out, took = np.empty_like(x), {}
    forms = (rungs.blocks, _four_products, _eight_rows)
    for _ in range(5):
        for form in forms:
            kernel = rungs.compiled(form)
            kernel(x[:8], y, out[:8])
            begin = time.perf_counter()
            kernel(x, y, out)
            spent = time.perf_counter() - begin
            took[form.__name__] = min(spent, took.get(form.__name__, spent))
    assert took["blocks"] < 0.95 * min(took["_four_products"], took["_eight_rows"]), took


def the_log_names_the_guard_that_failed() -> None:
    """The lab's table beside what TORCH_LOGS prints for the same calls."""
    from hpml.course.labs.lab_08_fusion_and_compilers import compiling

    calls = {"5": torch.ones(5), "7": torch.ones(7)}
    (_, *_, because) = compiling.recompilations(lambda x: x * 100 + 10, calls).rows[1]
    code = (
        "import torch; f = torch.compile(lambda x: x * 100 + 10, backend='eager'); "
        "f(torch.ones(5)); f(torch.ones(7))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "TORCH_LOGS": "recompiles"},
    )
    assert because.endswith("expected 5, actual 7")
    assert because in done.stderr


def a_traced_function_does_not_warn_again() -> None:
    """The warnings of tracing, and of a call of the traced function afterwards."""

    def decide(x: torch.Tensor) -> torch.Tensor:
        return x * 2 if x.sum() > 0 else x - 1

    with warnings.catch_warnings(record=True) as first:
        warnings.simplefilter("always")
        traced = torch.jit.trace(decide, torch.ones(3), check_trace=False)
    assert any(issubclass(each.category, torch.jit.TracerWarning) for each in first)
    with warnings.catch_warnings(record=True) as later:
        warnings.simplefilter("always")
        traced(-torch.ones(3))
    assert not any(issubclass(each.category, torch.jit.TracerWarning) for each in later)


def pytorch_releases_the_lock() -> None:
    """While one thread is in an operator, or in `sum`, how long does another one wait?"""
    longest = {}
    side = torch.rand(1500, 1500)
    numbers = range(3_000_000)
    for name, work in {"PyTorch": lambda: side @ side, "Python": lambda: sum(numbers)}.items():
        gaps, stop = [0.0], threading.Event()

        def watch(gaps: list[float] = gaps, stop: threading.Event = stop) -> None:
            last = time.perf_counter()
            while not stop.is_set():
                time.sleep(0)
                now = time.perf_counter()
                gaps[0] = max(gaps[0], now - last)
                last = now

        other = threading.Thread(target=watch)
        other.start()
        while not gaps[0]:
            time.sleep(0.001)
        begin = time.perf_counter()
        work()
        took = time.perf_counter() - begin
        stop.set()
        other.join()
        longest[name] = gaps[0] / took
    assert longest["PyTorch"] < longest["Python"]


def after_eight_graphs_python_runs() -> None:
    """A function that needs another graph for each call."""
    with lab_08._compiled(lambda x, n: x * n + n) as (compiled, graphs):
        assert torch._dynamo.config.recompile_limit == 8
        for kind in (
            torch.float32, torch.float64, torch.int8, torch.int16, torch.int32, torch.int64,
            torch.float16, torch.bfloat16, torch.uint8, torch.complex64,
        ):  # fmt: skip
            compiled(torch.ones(3, dtype=kind), 2)
        assert len(graphs) == 8


SHOWN: dict[str, Shown] = {
    "Its slides print no figures, so there is nothing published to compare yours with.": DESIGN,
    "With one column and one row the slide's innermost loop has a single iteration, so it is left "
    "out here.": DESIGN,
    "A ratio is the Hodges-Lehmann estimate of the rounds' ratios (lab 10), so it may differ from "
    "the ratio of two medians.": a_median_of_ratios_is_not_a_ratio_of_medians,
    "So three loops write the result three times and read it twice.": (
        three_loops_write_three_times_and_read_twice
    ),
    "- So in the picture the single loop seems to use a smaller share of the roofline than three "
    "loops.": uncounted_traffic_lowers_one_loops_share,
    "It is faster all the same, because it moves fewer bytes in total.": (
        uncounted_traffic_lowers_one_loops_share
    ),
    "- `strides`: the next number of a column is a whole row away in memory, so each read takes "
    "another line of the cache.": another_copy_keeps_the_instruction_and_shortens_the_step,
    "Neighbouring sums are independent, so one vector instruction adds to several.": (
        another_order_makes_vector_instructions
    ),
    "Every step writes into an array that is reused, so the time for new pages of memory is left "
    "out (lab 03).": DESIGN,
    "A `TracerWarning` said so at that moment only; a user who loads the traced function from a "
    "file never sees it.": a_traced_function_does_not_warn_again,
    "The `if` broke the graph: Python decides, at each call, so the answer is right.": (
        lab_08.question_4
    ),
    '- `mode="max-autotune"` times several implementations of each matrix product and keeps the '
    "fastest, so the first call takes longer.": Source(
        "PyTorch, torch.compile, mode: https://docs.pytorch.org/docs/stable/generated/torch.compile.html"
    ),
    "Here are eight equal blocks; only graphs are made, so the times contain no compiling of "
    "loops.": DESIGN,
    "From then on, above 1, `torch.compile` treats the length as a variable, so the fourth call "
    "reused a graph.": lab_08.question_5,
    "This takes long, so the table is recorded.": DESIGN,
    "PyTorch releases Python's lock inside its operators, so two Python threads can both "
    "compute.": pytorch_releases_the_lock,
    "C predicts that the extra time for each number shrinks, because the number of starts stays "
    "the same.": RANGES,
    "A predicts that the extra time for each number shrinks, B that it stays the same, C that it "
    "grows, because fewer numbers share the starts.": RANGES,
}
ALSO: dict[str, Shown] = {
    "Where the author measured it, both changes were needed: each alone gained little or "
    "nothing.": blocks_needs_both_changes,
    "Each sum still adds the same products in the same order: the first three rungs give equal "
    "bits for any numbers.": the_first_three_rungs_give_equal_bits,
    'The last column names the guard that failed, as `TORCH_LOGS="recompiles" python train.py` '
    "prints it.": the_log_names_the_guard_that_failed,
    "Lengths 0 and 1 have graphs of their own. After eight graphs of a part of a function "
    "`torch.compile` makes no more, and Python runs what needs another.": (
        after_eight_graphs_python_runs
    ),
    "- Before the processor writes into a piece of memory, it usually *reads* that piece into its "
    "cache (**write-allocate**).": Source(
        "Intel 64 and IA-32 Architectures Optimization Reference Manual, write-allocate"
    ),
}
