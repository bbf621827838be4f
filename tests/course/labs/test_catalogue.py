from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from hpml.course import labs
from hpml.course.labs import catalogue
from hpml.course.labs.catalogue import LABS, exercises, explanation

FOLDERS = {path.name[4:6]: path for path in Path(labs.__path__[0]).glob("lab_*")}


@pytest.mark.parametrize("lab", LABS)
def test_each_hint_belongs_to_an_exercise_and_each_text_is_read(lab: str) -> None:
    with (FOLDERS[lab] / "texts.toml").open("rb") as file:
        texts = tomllib.load(file)
    assert set(texts) - {"questions"} == {"paths", "explanation", "hints"}
    assert ("questions" in texts) == (lab == "00")
    assert set(texts["hints"]) == {exercise.name for exercise in exercises(lab)}
    assert set(texts["explanation"]) == {
        "question",
        "claims",
        "best",
        "experiments",
        "predicts",
    }
    end = explanation(lab)
    assert end.best_number == texts["explanation"]["best"]
    assert not any("\n" in text for text in (end.question, *end.claims, *end.experiments))


def test_another_edition_has_another_order_of_the_same_experiments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    before = {lab: explanation(lab) for lab in LABS}
    monkeypatch.setattr(catalogue, "EDITION", "2027")
    after = {lab: explanation(lab) for lab in LABS}
    assert after == before  # the same question, claims, experiments and answer ...
    assert after == {lab: explanation(lab) for lab in LABS}
    moved = [lab for lab in LABS if after[lab].best_number != before[lab].best_number]
    assert len(moved) > len(LABS) // 3  # ... under another number
    assert [after[lab].best_number == catalogue.choice(lab).best for lab in LABS] == [True] * 16
