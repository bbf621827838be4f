"""Advice on many measurements: bounded however many there are, in text, page and picture."""

from __future__ import annotations

import re

from hpml.benchmark import Case, Comparison, Measurement
from hpml.benchmark.advising import kinds, summary, unstable
from hpml.benchmark.display.cases import cases_table
from hpml.benchmark.stability import Advice

CALM = tuple(1e-3 + 1e-6 * (i % 5) for i in range(25))
SPREAD = tuple(1e-3 * (1 + 0.5 * (i % 5)) for i in range(25))
DRIFTING = tuple(1e-3 * (1 + 0.02 * i) for i in range(25))


def busy(count: int = 9) -> Comparison:
    """A calm baseline among contenders that drift or spread."""
    others = [Measurement(f"way {n}", SPREAD if n % 2 else DRIFTING, 10) for n in range(count - 1)]
    return Comparison((Measurement("base", CALM, 10), *others), "base", 25)


def test_a_kind_of_advice_takes_one_line_of_text_and_names_who_has_it() -> None:
    lines = str(busy()).splitlines()[2 + 9 :]
    assert [line.split(":")[0] for line in lines] == [
        "Ratio",
        "drift",
        "wide spread",
        "cannot tell",
    ]
    assert lines[1].startswith("drift: way 0, way 2, way 4, way 6. Let the")
    assert max(map(len, lines)) < 300


def test_more_contenders_make_no_more_text() -> None:
    few, many = (str(busy(count)).splitlines()[2 + count :] for count in (13, 41))
    assert len(few) == len(many)
    assert "way 0, way 2, way 4, way 6 and 16 more." in many[1]


def test_a_page_folds_the_advice_under_one_line() -> None:
    shown = busy()._repr_html_()
    before, _, folded = shown.partition("<details>")
    assert "drift" not in before
    assert "Unstable: 8 of 9 contenders (drift, wide spread); cannot tell: 4." in folded
    assert len(re.findall("<li>", folded)) == 3
    # What was seen is worth its room where it is folded.
    assert "For way 0, the last third of the samples is" in folded


def test_a_calm_comparison_has_nothing_to_fold() -> None:
    calm = Comparison((Measurement("base", CALM, 10),), "base", 25)
    assert "details" not in calm._repr_html_()
    assert str(calm).splitlines()[-1].startswith("Ratio:")


def test_names_in_the_folded_advice_are_escaped() -> None:
    shown = Comparison((Measurement("<script>", SPREAD, 10),), "<script>", 25)._repr_html_()
    assert "<script>" not in shown


def test_what_differs_is_said_for_the_first_by_name() -> None:
    one, two = (Advice("cannot tell", "s", f"take {n}.") for n in (100, 200))
    (kind,) = kinds([("a", one), ("b", two)])
    assert str(kind) == "cannot tell: a, b. For a: take 100."


def test_the_summary_counts_a_contender_once_however_much_is_wrong_with_it() -> None:
    found = kinds(
        [("a", Advice(problem, "s", "r.")) for problem in ("few samples", "drift", "two modes")]
    )
    assert unstable(found) == ("a",)
    assert summary(found, 3) == "Unstable: 1 of 3 contenders (drift, two modes); few samples: 1"
    assert summary((), 3) == ""


def test_advice_on_many_cases_is_a_line_a_kind_too() -> None:
    table = cases_table(Case("s", {"layers": n}, busy()) for n in (250, 1000))
    text = str(table).splitlines()
    assert sum(line.startswith("drift: way 0 (layers 250), ") for line in text) == 1
    assert text[-1].startswith("wide spread: ")
    assert "Unstable: 16 of 18 measurements (drift, wide spread)." in table._repr_html_()


def test_a_picture_marks_who_is_unstable_and_its_caption_says_so() -> None:
    ax = busy(3).plot()
    notes = [text.get_text() for text in ax.texts]
    assert notes[0] == "baseline"
    assert notes[1].endswith("cannot tell · drift")
    assert notes[2].endswith("slower · wide spread")
    caption = " ".join(ax.figure.get_supxlabel().split())  # type: ignore[union-attr]
    assert caption.endswith("Unstable: way 0, way 1; print it as a table for what to do.")
    calm = Comparison((Measurement("base", CALM, 10),), "base", 25).plot()
    assert "Unstable" not in calm.figure.get_supxlabel()  # type: ignore[union-attr]
