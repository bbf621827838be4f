from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from hpml.course import LabError, calibration, explain, lab_head
from hpml.course.labs import checking
from hpml.course.labs.catalogue import LABS, explanation
from hpml.course.lesson.explanation import Explanation
from hpml.course.lesson.predictions.prediction import Lab
from tests.parts import raises

FIELDS: dict[str, Any] = {
    "question": "B is faster than A.",
    "claims": ("B does less.", "B was lucky.", "B is <cached>."),
    "experiments": {"Run again.": "All predict the same.", "Swap them.": "Only one changes."},
    "best": "Swap them.",
}
ITEM = Explanation(**FIELDS)


def test_before_the_choice_it_asks_and_says_what_to_do_and_gives_no_reason() -> None:
    page = ITEM.page(None)
    for text in ("A. B does less.", "2. Swap them.", "in place of None, and run the cell again"):
        assert text in " ".join(page.plain.split())
    for shown in (page.plain, page.html):
        assert not any(reason in shown for reason in ITEM.experiments.values())
        assert "tells them apart." not in shown


@pytest.mark.parametrize(
    ("choice", "said"), [(1, "It does not tell them"), (2, "Yes, it tells them")]
)
def test_a_choice_gets_the_reasons_of_all(choice: int, said: str) -> None:
    page = ITEM.page(choice)
    for shown in (page.plain, page.html):
        assert f"You chose {choice}. {said} apart." in shown
        assert all(reason in shown for reason in ITEM.experiments.values())
    assert "You chose 1 first, which counts." in ITEM.page(1, 2).plain


@pytest.mark.parametrize("number", LABS)
def test_no_experiment_of_a_lab_is_told_by_its_length(number: str) -> None:
    lengths = [len(text) for text in explanation(number).experiments]
    assert max(lengths) <= 1.6 * min(lengths), lengths


@pytest.mark.parametrize("wrong", ["B", "2", 0, 3, 2.0, True, "<script>", [2]])
def test_what_is_no_experiments_number_is_told_what_is_expected_and_is_no_html(wrong: Any) -> None:
    page = ITEM.page(wrong)
    assert f"explanation is {wrong!r}, expected 1 or 2." in page.plain
    assert "All predict the same." not in page.html
    assert "<script>" not in page.html
    assert "<cached>" not in page.html


@pytest.mark.parametrize("number", LABS)
def test_every_labs_explanation_has_three_hypotheses_and_a_reason_for_each_experiment(
    lab: Lab, number: str
) -> None:
    item = explanation(number)
    assert len(item.claims) == 3
    assert len(item.experiments) >= 3
    assert all(len(reason) > 20 for reason in item.experiments.values())
    lab_head(number, "The lab itself")
    assert "Yes, it tells them apart." in explain(item.best_number).plain


def test_what_is_explained_is_what_the_cell_assigns(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number in `explain(2)` alone is not what grading reads."""
    lab_head("00", "The lab itself")
    shell = SimpleNamespace(user_ns={}, execution_count=1)
    monkeypatch.setattr(checking, "notebook_shell", lambda: shell)
    for _ in range(2):
        with raises(
            LabError,
            object="choice of explain",
            expected="None",
            received="2",
            remedy="explanation = 2",
        ):
            explain(2)
        shell.user_ns["explanation"] = None
    shell.user_ns["explanation"] = 2
    assert "You chose 2" in explain(2).plain


def test_a_lab_of_ones_own_has_no_explanation(lab: Lab) -> None:
    lab_head("mine", "My own")
    with raises(LabError, object="lab", expected=LABS[0], received="'mine'", remedy="lab_head"):
        explain(None)


def test_the_calibration_does_not_count_it(lab: Lab) -> None:
    lab_head("00", "The lab itself")
    explain(1)
    assert calibration().entries == ()
