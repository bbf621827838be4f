"""Prose, pictures and controls of a page: text and HTML at once, and nothing executable in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from hpml.labs import LabError, explore, say, why
from hpml.labs.drift import Drift, in_order, simulate_drift
from hpml.labs.factors import FACTORS, performance_factors
from hpml.labs.page import Page, picture

if TYPE_CHECKING:
    from types import SimpleNamespace


def test_prose_has_paragraphs_code_and_bold_and_no_html_of_its_own() -> None:
    page = say("One **bold** `a < b` line\nwrapped.\n\nSecond & last <script>.")
    assert page.html == (
        "<p>One <b>bold</b> <code>a &lt; b</code> line wrapped.</p>"
        "<p>Second &amp; last &lt;script&gt;.</p>"
    )
    assert page.plain == "One bold `a < b` line wrapped.\n\nSecond & last <script>."


def test_a_folded_answer_opens_on_paper_and_is_plain_text_too() -> None:
    page = why("Because.", "Why <so>?")
    assert "@media print" in page.html
    assert (
        "<details><summary><b>Why &lt;so&gt;?</b></summary><p>Because.</p></details>" in page.html
    )
    assert page.plain == "Why <so>?\n    Because."


@pytest.mark.parametrize("text", ["", " \n ", None, 3])
def test_prose_is_a_text(text: Any) -> None:
    with pytest.raises(LabError, match="Prose is a text"):
        say(text)


def test_a_page_is_a_bundle_of_text_html_and_the_picture_if_there_is_one() -> None:
    assert Page("a", "<p>a</p>").bundle() == {"text/plain": "a", "text/html": "<p>a</p>"}
    bundle = Page("a", "<p>a</p>", b"\x89PNG").bundle()
    assert bundle["image/png"] == "iVBORw=="


def test_a_picture_is_closed_has_a_text_and_an_opaque_ground() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from matplotlib.image import imread

    figure = pyplot.figure()
    page = picture(figure, 'Two "lines".', "<p>after</p>")
    assert not pyplot.fignum_exists(figure.number)
    assert 'alt="Two &quot;lines&quot;."' in page.html
    assert page.html.endswith("<p>after</p>")
    import io

    pixels = imread(io.BytesIO(page.png or b""))
    assert pixels.shape[2] == 3 or pixels[..., 3].min() == 1.0


def test_the_stack_of_factors_is_that_of_the_lecture_with_this_course_marked() -> None:
    assert [name for name, _ in FACTORS] == [
        "algorithm",
        "hyperparameters",
        "implementation",
        "framework",
        "libraries",
        "hardware",
    ]
    lines = performance_factors().plain.splitlines()
    assert [line.split()[0] for line in lines if "this course" in line] == ["framework"]


@pytest.mark.parametrize("slowdown", [0.0, 0.1, 0.5])
def test_in_turns_the_drift_cancels_and_one_after_the_other_it_does_not(slowdown: float) -> None:
    drift = simulate_drift(slowdown=slowdown, noise=0.0, rounds=20)
    # Half of the slowdown lies between the middles of the two halves.
    expected = (1 + 0.75 * slowdown) / (1 + 0.25 * slowdown)
    assert drift.ratio("blocks") == pytest.approx(expected, rel=0.02)
    assert drift.ratio("turns") == pytest.approx(1.0, abs=1e-12)


def test_a_simulation_repeats_with_its_seed() -> None:
    assert simulate_drift(seed=3) == simulate_drift(seed=3)
    assert simulate_drift(seed=3) != simulate_drift(seed=4)


def test_both_orders_take_as_many_samples_of_each() -> None:
    drift = simulate_drift(rounds=7)
    for taken in (drift.blocks, drift.turns):
        assert sorted(name for name, _ in taken) == ["A"] * 7 + ["B"] * 7


@pytest.mark.parametrize("wrong", [{"rounds": 1}, {"slowdown": -0.1}, {"noise": -1}])
def test_a_machine_that_cannot_be_simulated_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(LabError, match="simulate_drift expects"):
        simulate_drift(**wrong)
    with pytest.raises(LabError, match="'blocks' or 'turns'"):
        Drift((), (), 0.0).ratio("sideways")


def test_the_caption_of_a_row_of_samples_compares_its_halves(samples: SimpleNamespace) -> None:
    text = in_order(samples).plain
    assert text.startswith("loop: the first half took 1.00 µs, the second 1.50 µs in the median")
    assert "50.0% more" in text
    samples.samples = (1e-6,) * 3
    with pytest.raises(LabError, match="at least 4 samples, got 3"):
        in_order(samples)


@pytest.fixture
def samples() -> SimpleNamespace:
    from types import SimpleNamespace

    return SimpleNamespace(name="loop", samples=(1e-6,) * 4 + (1.5e-6,) * 4)


def test_exploring_starts_at_the_default_or_else_at_the_first_value(
    capsys: pytest.CaptureFixture[str],
) -> None:
    explore(lambda n=4, word="no": f"{n} {word}", n=[3, 4, 5], word=["a", "b"])
    assert capsys.readouterr().out == "4 a\n"


@pytest.mark.parametrize("values", [[], [3], "text"])
def test_a_control_has_at_least_two_values(values: Any) -> None:
    with pytest.raises(LabError, match="two or more values for n"):
        explore(lambda n: n, n=values)
