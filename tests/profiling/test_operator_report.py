"""The report on a slow operator runs by itself, and says shape, type, layout and machine."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
import torch

from hpml.profiling import ProfilingError, operator_report


def test_the_script_runs_elsewhere_and_the_text_says_where_it_ran(tmp_path) -> None:
    x = torch.rand(3, 4, dtype=torch.float64).t()
    report = operator_report("torch.sigmoid(x)", "torch.relu(x)", x=x, seconds=0.01)
    assert "torch.rand((12,), dtype=torch.float64).as_strided((4, 3), (1, 4))" in report.script
    for line, call in zip(report.output.splitlines(), ("sigmoid", "relu"), strict=True):
        said = re.fullmatch(rf"torch\.{call}\(x\): (.+) µs \(25 to 75 %: (.+) to (.+)\)", line)
        assert said
        middle, low, high = map(float, said.groups())
        assert 0 < low <= middle <= high
    assert "hpml" not in report.script
    assert torch.__version__ in report.text
    (tmp_path / "script.py").write_text(report.script, encoding="utf-8")
    again = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, check=True
    )
    assert len(again.stdout.splitlines()) == 2


@pytest.mark.parametrize("dtype", [torch.bool, torch.int64])
def test_whole_numbers_and_truth_values_are_made_too(dtype) -> None:
    x = torch.ones(3, dtype=dtype)
    report = operator_report("x.sum()", "x.any()", x=x, seconds=0.01)
    assert f".to({dtype})" in report.script


def test_places_stay_inside_what_is_shared_is_shared_and_gradients_are_asked_for() -> None:
    x = torch.rand(1, 4, requires_grad=True).expand(3, 4)
    report = operator_report(
        "torch.nn.functional.embedding(i, w)", "(2 * x).sum().backward()", seconds=0.01,
        i=torch.randint(0, 5, (50,)), w=torch.rand(5, 3), x=x.detach().requires_grad_(),
        empty=torch.zeros(0, dtype=torch.int64),
    )  # fmt: skip
    assert "x = torch.rand((4,), dtype=torch.float32).as_strided((3, 4), (0, 1))" in report.script
    assert report.script.count(".requires_grad_()") == 1


def test_what_cannot_be_reproduced_is_refused() -> None:
    with pytest.raises(ProfilingError):
        operator_report("x.sum()", "x.mean()", x=torch.ones(2).to_sparse())
    with pytest.raises(ProfilingError):
        operator_report("torch.no_such(x)", "x.sum()", x=torch.ones(2))
