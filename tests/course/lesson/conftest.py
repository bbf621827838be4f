"""A lab of its own for each test: an empty results folder, and nothing open from before."""

from __future__ import annotations

from pathlib import Path

import pytest

from hpml.course import lab_head
from hpml.course.lesson.predictions import prediction
from hpml.course.lesson.predictions.prediction import Lab, current_lab


@pytest.fixture
def lab(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Lab:
    monkeypatch.setenv("HPML_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(prediction, "_open", [])
    lab_head(42, "A lab for tests")
    return current_lab()
