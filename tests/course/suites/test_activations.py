from __future__ import annotations

from typing import Any

import pytest

from hpml.benchmark import BenchmarkError
from hpml.course.models import activations as models
from hpml.course.suites import activations

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


def test_a_way_that_computes_something_else_is_not_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "fast_swish", lambda x: x * 2)
    with pytest.raises(BenchmarkError) as raised:
        activations.run([1], **QUICK)
    assert raised.value.object.startswith("result of contender")
