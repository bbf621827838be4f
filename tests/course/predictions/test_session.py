"""The open lab and its head."""

from __future__ import annotations

import platform
from typing import TYPE_CHECKING, Any

import pytest

from hpml.course.predictions.session import current_lab, lab_name
from hpml.labs import LabError, lab_head, predict

if TYPE_CHECKING:
    from pathlib import Path

    from hpml.course.predictions.session import Lab


def test_the_head_shows_what_the_lab_runs_on_as_text_and_html(lab: Lab) -> None:
    head = lab_head(7, "Code generation")
    bundle = head._repr_mimebundle_()
    assert bundle["text/plain"].startswith("Lab 07: Code generation\n")
    for kind in ("text/plain", "text/html"):
        assert platform.python_version() in bundle[kind]
        assert "PyTorch" in bundle[kind]
    assert dict(head.table.rows)["sizes"] == "small (HPML_QUICK is set)"


def test_the_head_names_no_path_of_this_machine(lab: Lab, tmp_path: Path) -> None:
    assert str(tmp_path) not in repr(lab_head(7, "Code generation"))


def test_the_head_counts_what_was_locked_earlier(lab: Lab) -> None:
    predict("How long?", unit="s", key="a", answer=3)
    assert dict(lab_head(42, "Again").table.rows)["answers locked earlier"] == 1


def test_opening_a_lab_closes_the_one_before(lab: Lab) -> None:
    predict("How long?", unit="s", key="a")
    lab_head(43, "Another")
    assert (current_lab().name, current_lab().questions) == ("43", {})


@pytest.mark.parametrize("number", [-1, 100, True, 1.0, None, "", " "])
def test_a_labs_number_has_two_digits_or_is_a_word(number: Any) -> None:
    with pytest.raises(LabError, match="0 to 99"):
        lab_name(number)


@pytest.mark.parametrize("title", ["", " ", None])
def test_a_lab_has_a_title(title: Any) -> None:
    with pytest.raises(LabError, match="title is a text"):
        lab_head(7, title)
