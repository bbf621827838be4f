"""The explanation at a lab's end: a choice of experiment, and the reasons for each."""

from __future__ import annotations

import importlib
import pkgutil
from typing import TYPE_CHECKING, Any

import pytest

from hpml.labs import (
    AnswerError,
    LabError,
    PredictionLocked,
    calibration,
    explain,
    explanations,
    hypotheses,
    lab_head,
)

if TYPE_CHECKING:
    from hpml.labs.hypotheses import Hypotheses
    from hpml.labs.session import Lab

ITEM: dict[str, Any] = {
    "question": "B is faster than A.",
    "claims": ["B does less.", "B was lucky.", "B is <cached>."],
    "experiments": {"Run again.": "All predict the same.", "Swap them.": "Only one changes."},
    "best": "Swap them.",
}
NUMBERS = [
    name[4:] for _, name, _ in pkgutil.iter_modules(explanations.__path__) if name[:4] == "lab_"
]


def ask(**more: Any) -> Hypotheses:
    return hypotheses(**{**ITEM, **more})


def test_it_reads_without_a_choice(lab: Lab, capsys: pytest.CaptureFixture[str]) -> None:
    item = ask()
    shown = capsys.readouterr().out
    for text in ("A. B does less.", "2. Swap them.", "1. All predict the same.", item.verdict):
        assert text in shown
    assert shown.index("No experiment chosen yet.") < shown.index("The reasons:")


def test_the_reasons_are_folded_until_a_choice_is_made(lab: Lab) -> None:
    item = ask()
    assert "<details>" in item._card().html
    item.choose("swap them.")
    assert "<details open>" in item._card().html
    assert item.verdict == "You chose: Swap them. Yes, it tells them apart. Only one changes."


def test_a_choice_that_does_not_tell_them_apart_gets_its_reason(lab: Lab) -> None:
    item = ask()
    item.choose(1)
    assert item.verdict == "You chose: Run again. It does not. All predict the same."
    with pytest.raises(PredictionLocked):
        item.choose(2)
    with pytest.raises(AnswerError):
        item.choose(3)


def test_the_choice_is_kept_and_the_calibration_does_not_count_it(lab: Lab) -> None:
    ask().choose(2)
    lab_head(42, "The same lab in a new kernel")
    assert ask().answer == "Swap them."
    assert calibration().entries == ()
    lab_head(42, "Once more, and it is not asked again")
    assert calibration().entries == ()


def test_its_texts_cannot_become_html(lab: Lab) -> None:
    assert "<cached>" not in ask()._card().html


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"claims": ["one"]}, "claims expects two to six"),
        ({"claims": "one"}, "claims expects two to six"),
        ({"experiments": ["Swap them."]}, "experiments expects a dictionary"),
        ({"best": "Wait."}, "expected one of the experiments: Run again.; Swap them."),
        ({"experiments": {"Swap them.": "."}}, "two to eight different texts"),
    ],
)
def test_an_item_that_cannot_be_asked_says_so(lab: Lab, wrong: dict[str, Any], said: str) -> None:
    with pytest.raises(LabError, match=said):
        ask(**wrong)


@pytest.mark.parametrize("number", NUMBERS)
def test_every_labs_explanation_has_three_hypotheses_and_a_reason_for_each_experiment(
    lab: Lab, number: str
) -> None:
    item = importlib.import_module(f"hpml.labs.explanations.lab_{number}").EXPLANATION
    assert len(item.claims) == 3
    assert len(item.experiments) >= 3
    assert all(len(reason) > 20 for reason in item.experiments.values())
    lab_head(number, "The lab itself")
    asked = explain()
    asked.choose(item.best)
    assert "Yes, it tells them apart." in asked.verdict


def test_a_lab_without_an_explanation_says_where_it_would_be(lab: Lab) -> None:
    with pytest.raises(LabError, match=r"hpml/labs/explanations/lab_42\.py"):
        explain()
