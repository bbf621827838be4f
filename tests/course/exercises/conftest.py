"""Failures count within a test: those of one brought the hints of the next, wherever it ran."""

from __future__ import annotations

from collections import defaultdict

import pytest

from hpml.course.exercises import check


@pytest.fixture(autouse=True)
def _failures_count_within_a_test(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check, "_tried", defaultdict(check._Tried))
