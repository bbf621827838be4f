from __future__ import annotations

import re
import subprocess
import sys

import torch

from hpml.profiling import ProfilingError, operator_report
from tests.parts import raises


def test_the_script_runs_elsewhere_and_the_text_says_where_it_ran(tmp_path) -> None:
    x = torch.rand(3, 4, dtype=torch.float64).t()
    report = operator_report("torch.sigmoid(x)", "torch.relu(x)", x=x, seconds=0.01)
    assert "torch.rand((12,), dtype=torch.float64).as_strided((4, 3), (1, 4))" in report.script
    names = (r"torch\.sigmoid\(x\)", r"torch\.relu\(x\)", "ratio in a turn")
    for line, name in zip(report.output.splitlines(), names, strict=True):
        said = re.fullmatch(rf"{name}: ([\d.]+)(?: µs)? \(25 to 75 %: (.+) to (.+)\)", line)
        assert said
        middle, low, high = map(float, said.groups())
        assert 0 < low <= middle <= high
    assert "hpml" not in report.script
    assert torch.__version__ in report.text
    (tmp_path / "script.py").write_text(report.script, encoding="utf-8")
    again = subprocess.run(
        [sys.executable, tmp_path / "script.py"], capture_output=True, check=True
    )
    assert len(again.stdout.splitlines()) == 3


def test_what_cannot_be_reproduced_is_refused() -> None:
    with raises(ProfilingError, object="tensor x of operator_report", received="Tensor"):
        operator_report("x.sum()", "x.mean()", x=torch.ones(2).to_sparse())
    with raises(ProfilingError, object="tensor x of operator_report", received="torch.int64"):
        operator_report("x.sum()", "x.any()", x=torch.ones(2, dtype=torch.int64))
    with raises(
        ProfilingError,
        object="calls of operator_report",
        received=("torch.no_such", "AttributeError"),
    ):
        operator_report("torch.no_such(x)", "x.sum()", x=torch.ones(2))
