from __future__ import annotations

from hpml.benchmark import Kernel, Limits, draw_roofline

LIMITS = Limits(bandwidth=1e10, peak=5e10)


def test_memory_is_the_limit_before_the_ridge_and_arithmetic_behind_it() -> None:
    assert LIMITS.ridge == 5
    assert LIMITS.at_most(2.5) == 2.5e10
    assert LIMITS.at_most(5) == LIMITS.at_most(50) == 5e10


def test_the_picture_says_how_near_each_kernel_comes() -> None:
    page = draw_roofline(LIMITS, {"kernel": Kernel(operations=6e9, bytes=3e9, seconds=0.5)})
    assert page.plain.startswith("Memory 10 GB/s, arithmetic 50 GFLOP/s. kernel: 2 operations per ")
    assert page.plain.endswith("12 GFLOP/s, 60 % of what is possible.")
    assert f'alt="{page.plain}"' in page.html


def test_arithmetic_in_another_type_has_a_line_of_its_own() -> None:
    page = draw_roofline(LIMITS, {"kernel": Kernel(6e9, 3e9, 0.5)}, peaks={"bfloat16": 4e11})
    assert page.plain.startswith("Memory 10 GB/s, arithmetic 50 GFLOP/s, in bfloat16 400 GFLOP/s. ")
    assert "60 % of what is possible" in page.plain
