from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.nn.functional import scaled_dot_product_attention

from hpml.course.labs.lab_11_gpu_benchmarks import attention, limits, resnet


def attend(kernels: Any, positions: int) -> Callable[[], object]:
    q, k, v = torch.rand(3, 1, 4, positions, 64)

    def run() -> object:
        with sdpa_kernel(kernels):
            return scaled_dot_product_attention(q, k, v)

    return run


def only_math(kernels: Any, positions: int) -> Callable[[], object]:
    if kernels != [SDPBackend.MATH]:
        return no_kernel
    return attend(kernels, positions)


def no_kernel() -> object:
    raise RuntimeError("No available kernel. Aborting execution.")


def test_math_writes_the_scores_twice_and_a_fused_kernel_only_the_result() -> None:
    found = attention.measure(attend, "cpu", [64, 128])
    for positions in (64, 128):
        scores, vectors = 4 * 4 * positions**2, 4 * 4 * positions * 64
        written = found.works[positions]["math"].bytes
        assert written == 2 * scores + 3 * vectors  # with q and k, scaled
        assert found.written(positions, "math") == written / 2**20
        assert vectors <= found.works[positions]["fused"].bytes < 1.1 * vectors
    slower = found.slower(128)
    assert slower is not None
    times = found.times[128]
    assert slower.low * 0.8 < times["math"].median / times["fused"].median < slower.high * 1.25
    assert "math / fused" in found.table.columns
    assert [row[0] for row in found.rows] == [
        "attention, 128 positions: math writes",
        "attention, 128 positions: math / fused",
    ]
    assert found.draw().png


def test_both_kernels_do_the_same_operations_and_double_positions_do_four_times_as_many() -> None:
    counts = {
        (name, positions): limits.count_operations(attend(kernels, positions))
        for name, kernels in attention.kernels(attend).items()
        for positions in (64, 128)
    }
    assert counts["math", 64] == counts["fused", 64] == 4 * 4 * 64 * 64 * 64
    assert counts["math", 128] == counts["fused", 128] == 4 * counts["math", 64]


def test_a_device_without_a_fused_kernel_measures_math_alone_and_says_so() -> None:
    found = attention.measure(only_math, "cpu", [64])
    assert list(found.works[64]) == ["math"]
    assert found.slower(64) is None
    assert "This device has no fused kernel in float32." in str(found.table)
    assert "inside" not in str(found.table)
    assert found.rows[1][1] == "no fused kernel"
    assert found.draw().png


def only_its_own(kernels: Any, positions: int) -> Callable[[], object]:
    return attend([SDPBackend.FLASH_ATTENTION], positions)


def test_a_kernel_that_runs_whatever_is_asked_for_is_not_compared_with_itself() -> None:
    found = attention.measure(only_its_own, "cpu", [64])
    assert list(found.works[64]) == ["math"]
    assert "what it writes inside is not counted" in str(found.table)


def test_operations_are_those_of_products_or_one_for_each_element() -> None:
    x = torch.rand(8, 8)
    assert limits.count_operations(lambda: x @ x) == 2 * 8**3
    assert limits.count_operations(lambda: x * 2) == 64
    assert limits.count_operations(lambda: None) == 0


def test_the_roofline_has_the_measured_limits_and_the_labs_operators() -> None:
    large = torch.rand(2**16)
    operators = {"scaling": lambda: large * 2, **resnet.forwards("cpu")}
    roof = limits.measure(operators, "cpu")
    assert list(roof.kernels) == ["scaling", "ResNet, 16 pixels", "ResNet, 64 pixels"]
    assert roof.kernels["scaling"].intensity == 2**16 / (2 * 4 * 2**16)
    assert roof.limits.ridge > 0
    small, wide = (roof.kernels[resnet.forward_name(size)].operations for size in (16, 64))
    assert 15.5 < wide / small < 16.5
    assert "ResNet, 64 pixels" in roof.draw().plain
    assert roof.table.column("operator") == tuple(roof.kernels)


def test_a_share_above_the_roof_is_not_rounded_up_to_ten_percent() -> None:
    limit, above = limits.Limits(1.0, 1.0), {"scaling": limits.Kernel(1.06, 1.0, 1.0)}
    assert "106 %" in str(limits.Roofline(limit, above, {}, "CPU").table)


def test_a_graph_of_the_recorded_gpu_runs_nearer_to_its_product_than_eager() -> None:
    operations = {16: 53e6, 64: 853e6}
    kernels = {resnet.forward_name(s): limits.Kernel(n, 1, 1) for s, n in operations.items()}
    table = limits.recorded_shares(kernels)
    shares = dict(zip(table.column("forward"), table.column("of the product"), strict=True))
    assert shares["handwritten, 16 pixels"] < 0.002
    for size in operations:
        assert shares[f"cuda-graphs, {size} pixels"] > 4 * shares[f"handwritten, {size} pixels"]
        assert shares[f"cuda-graphs, {size} pixels"] < 0.1
    assert "not yet recorded" in str(table)


def test_a_card_that_rounds_convolutions_says_so_below_the_roofline(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = torch.rand(2**10)
    monkeypatch.setattr(limits.accelerator, "name", lambda device: "RTX 4060")
    monkeypatch.setattr(limits.accelerator, "rounds_convolutions", lambda device: True)
    found = limits.measure({"scaling": lambda: large * 2}, "cpu")
    assert found.device.startswith("RTX 4060; convolutions round their inputs to TF32")


def test_numbers_of_16_bits_have_a_roof_of_their_own_where_the_device_has_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    large = torch.rand(2**10)
    monkeypatch.setattr(limits.accelerator, "can", lambda feature, device: False)
    without = limits.measure({"scaling": lambda: large * 2}, "cpu")
    assert without.peaks == {}
    monkeypatch.setattr(limits.accelerator, "can", lambda feature, device: feature == "bfloat16")
    assert list(limits.measure({"scaling": lambda: large * 2}, "cpu").peaks) == ["bfloat16"]
