"""A lab of its own for each test: an empty results folder, and nothing open from before."""

from __future__ import annotations

from pathlib import Path

import pytest

from hpml.course.predictions import prediction
from hpml.course.predictions.prediction import Lab, current_lab
from hpml.labs import lab_head


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(prediction, "_open", [])
    lab_head(42, "A lab for tests")
    return current_lab()
