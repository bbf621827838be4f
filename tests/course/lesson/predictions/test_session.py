from __future__ import annotations

import platform
import re
from pathlib import Path

from hpml.course import lab_head, predict
from hpml.course.lesson.predictions.prediction import Lab


def test_the_head_shows_what_the_lab_runs_on_as_text_and_html(lab: Lab, tmp_path: Path) -> None:
    bundle = lab_head(7, "Code generation").bundle()
    assert bundle["text/plain"].startswith("Lab 07: Code generation\n")
    for kind in ("text/plain", "text/html"):
        assert platform.python_version() in bundle[kind]
        assert "PyTorch" in bundle[kind]
        assert "small (HPML_QUICK is set)" in bundle[kind]
        assert str(tmp_path) not in bundle[kind]


def test_the_head_counts_what_was_locked_earlier(lab: Lab) -> None:
    predict("How long?", unit="s", key="a", answer=3)
    assert re.search(r"answers locked earlier +1\b", lab_head(42, "Again").plain)
