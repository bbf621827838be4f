from __future__ import annotations

import html
import random

import pytest

from hpml.base.described import DescribedFigure
from hpml.benchmark import Case, Comparison, Measurement
from hpml.benchmark.advice import judge
from hpml.benchmark.tables import cases_table

CALM = tuple(1e-3 + 1e-6 * (i % 5) for i in range(25))
SPREAD = tuple(1e-3 * (1 + 0.5 * (i % 5)) for i in range(25))
DRIFTING = tuple(1e-3 * (1 + 0.02 * i) for i in range(25))


def problems(samples: list[float], number: int = 10) -> list[str]:
    return [advice.problem for advice in judge(samples, number)]


def quiet(count: int = 25, seed: int = 0, noise: float = 0.01) -> list[float]:
    generator = random.Random(seed)
    return [1e-3 * generator.gauss(1, noise) for _ in range(count)]


def busy(count: int = 9) -> Comparison:
    """A calm baseline among contenders that drift or spread."""
    others = [Measurement(f"way {n}", SPREAD if n % 2 else DRIFTING, 10) for n in range(count - 1)]
    return Comparison((Measurement("base", CALM, 10), *others), "base", 25)


def test_a_quiet_measurement_gets_no_advice() -> None:
    assert problems(quiet()) == []


def test_a_sample_that_the_clock_disturbs_is_too_short() -> None:
    short = [sample * 1e-4 for sample in quiet()]
    assert problems(short, 10) == ["short samples"]
    assert problems(short, 2000) == []


@pytest.mark.parametrize(("factor", "word"), [(1.004, "slower"), (0.996, "faster")])
def test_a_drift_is_reported_with_its_direction(factor: float, word: str) -> None:
    (advice,) = judge([sample * factor**i for i, sample in enumerate(quiet())], 10)
    assert advice.problem == "unstable"
    assert word in advice.seen


def test_what_is_too_small_to_matter_is_not_reported() -> None:
    assert problems([1e-3 * 1.0005**i for i in range(25)]) == []
    samples = quiet()
    samples[3] = 5e-3
    assert problems(samples) == []


def test_a_wide_spread_is_reported() -> None:
    generator = random.Random(5)
    assert problems([1e-3 * generator.uniform(0.8, 1.2) for _ in range(25)]) == ["unstable"]


@pytest.mark.parametrize("count", [1, 2, 5, 6, 7, 29])
def test_equal_samples_of_any_number_are_judged(count: int) -> None:
    assert problems([1e-3] * count) == (["few samples"] if count < 6 else [])


def test_a_table_has_one_footnote_however_many_contenders_are_unstable() -> None:
    few, many = (str(busy(count)).splitlines()[2 + count :] for count in (13, 41))
    assert len(few) == len(many) == 3
    assert len(many[2]) < 600
    assert "way 0, way 2, way 4, way 6 and 16 more" in many[2]
    cases = str(cases_table(Case("s", {"layers": n}, busy()) for n in (250, 1000))).splitlines()
    assert len(cases) == 2 + 18 + 3
    calm = Comparison((Measurement("base", CALM, 10),), "base", 25)
    assert str(calm).splitlines()[-1].startswith("Each ratio is")


def test_a_name_with_a_comma_is_quoted_among_others() -> None:
    spread = tuple(Measurement(name, SPREAD, 10) for name in ("l[0], ...", "codegen"))
    comparison = Comparison((Measurement("base", CALM, 10), *spread), "base", 25)
    assert "“l[0], ...”, codegen" in str(comparison)


def test_a_table_folds_its_notes_and_names_the_problems_outside() -> None:
    found = busy(3)
    shown = found._repr_html_()
    outside, _, inside = shown.partition("</summary>")
    assert outside.endswith(
        "<p><small>Ratio: time as a multiple of base.</small></p>"
        "<details><summary><small>How it was measured (note: disturbed rounds, unstable)</small>"
    )
    assert "25 interleaved rounds" in inside
    assert "Let the machine settle" in inside
    # All of it is in the text.
    lines = str(found).splitlines()[-3:]
    assert all(html.escape(line) in shown for line in lines)
    assert (
        html.unescape(inside.replace("<br>", "\n"))
        .split("</small>")[0]
        .endswith("\n".join(lines[1:]))
    )


def test_a_picture_has_one_line_of_caption_and_folds_its_notes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    displayed: list[dict[str, str]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: displayed.append(data))
    many = busy(8)
    figure = many.plot(predicted={"way 1": 0.5}).get_figure(root=True)
    assert isinstance(figure, DescribedFigure)
    (caption,) = figure.texts
    assert "\n" not in caption.get_text()
    assert caption.get_text().endswith("Diamond: predicted.")
    figure.draw_without_rendering()
    assert caption.get_window_extent().x1 < figure.bbox.x1
    figure._ipython_display_()
    (data,) = displayed
    _, _, inside = data["text/html"].partition(
        "(note: disturbed rounds, unstable)</small></summary>"
    )
    for part in ("25 interleaved rounds", "Let the machine settle"):
        assert part in inside
        assert part in data["text/plain"]
