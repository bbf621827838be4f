from __future__ import annotations

from typing import Any

import pytest

from hpml.benchmark import BenchmarkError
from hpml.course.models import activations as models
from hpml.course.suites import activations
from hpml.course.suites.settings import SuiteError
from tests.parts import raises

QUICK: dict[str, Any] = {"rounds": 6, "min_sample_time": 1e-5}


def test_everyone_is_measured_and_fastswish_beside_its_goals() -> None:
    result = activations.run([1], **QUICK)
    assert result.cases[0].comparison.names == activations.NAMES
    assert result.kept[activations.KERNEL] == result.kept["relu"] == 4
    assert result.kept[activations.COMPOSITE] == 14
    goals = result.goals()
    assert goals.column("at most") == (3.0, 1.0, 1.0)
    assert goals.column("measured")[-1] == "1.00"
    assert result.plot().axes[0].get_lines()
    assert "fastswish-kernel / hardswish, 1 KiB" in str(result)


def test_a_kernel_that_a_device_lacks_is_left_out_with_a_note(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    without = tuple(name for name in activations.NAMES if name != activations.KERNEL)
    assert activations._names("meta") == without
    assert activations._kept(without, "meta") == activations._kept(without, "cpu")
    monkeypatch.setattr(models, "has_kernel", lambda x: False)
    result = activations.run([1], **QUICK)
    assert result.cases[0].comparison.names == without
    assert activations.KERNEL not in str(result.goals())
    assert result.notes == ("fastswish-kernel has no kernel on this device.",)
    with raises(SuiteError, object="contenders", received=activations.KERNEL, remedy="Leave"):
        activations.run([1], **QUICK, contenders=[activations.KERNEL])


def test_a_way_that_computes_something_else_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "fast_swish", lambda x: x * 2)
    with pytest.raises(BenchmarkError) as raised:
        activations.run([1], **QUICK)
    assert raised.value.object.startswith("result of contender")
