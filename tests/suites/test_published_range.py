"""What was published is shown as far as was measured here."""

from __future__ import annotations

from hpml.benchmark.sweep import Sweep
from hpml.suites.pictures import _within


def test_a_published_line_is_cut_to_what_was_measured() -> None:
    line = Sweep("sequential", (250.0, 500.0, 1000.0), ((1.0, 1.1, 1.2),) * 3, published=True)
    cut = _within(line, {10.0, 50.0, 250.0})
    assert cut is not None
    assert cut.at == (250.0,)
    assert _within(line, {10.0, 50.0}) is None
    assert _within(line, {250.0, 1000.0}) == line
