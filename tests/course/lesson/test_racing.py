from __future__ import annotations

import pytest

from hpml.course.lesson.racing import answering


def test_only_what_gives_the_expected_result_takes_part(capsys: pytest.CaptureFixture[str]) -> None:
    def unfinished() -> object:
        raise KeyError("a")

    runs = {"none": lambda: None, "wrong": lambda: 4, "fails": unfinished, "right": lambda: 3}
    assert list(answering(runs, expected=3)) == ["right"]
    assert capsys.readouterr().out.splitlines() == [
        "none is left out: it returned None.",
        "wrong is left out: it returned 4.",
        "fails is left out: KeyError: 'a'.",
    ]
