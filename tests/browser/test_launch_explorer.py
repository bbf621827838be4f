"""The time-line explorer of lab 11: a pair of times is chosen by mouse and by keyboard."""

from __future__ import annotations

from typing import Any

CELL = (
    "from hpml.course.labs.lab_11_gpu_benchmarks.explorer import launch_explorer; launch_explorer()"
)


def test_a_pair_of_times_is_chosen_by_mouse_and_by_keyboard(scratch: Any) -> None:
    lab = scratch
    lab.show(CELL)
    lab.saw("launch 16 µs, kernel 2 µs: 194 µs one by one")
    cell = lab.page.get_by_role("button", name="launch 4, kernel 16 microseconds, compute-bound")
    cell.click()
    lab.saw("launch 4 µs, kernel 16 µs: 196 µs one by one, 196 µs as a graph")
    lab.page.keyboard.press("ArrowLeft")
    lab.saw("launch 4 µs, kernel 12 µs")
    launch_bound = lab.page.get_by_role("button", name="launch 8, kernel 4 microseconds")
    launch_bound.focus()
    lab.page.keyboard.press("Enter")
    lab.saw("launch 8 µs, kernel 4 µs: 100 µs one by one, 56 µs as a graph, 1.8 times as fast")
