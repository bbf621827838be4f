from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import pytest
from IPython.core.formatters import DisplayFormatter

from hpml.base.charts import Bar, bars, show
from hpml.base.errors import describe
from hpml.base.page import Page
from hpml.widgets import WidgetError, explore
from hpml.widgets.explore.explore import compute
from hpml.widgets.explore.states import Control, States
from tests.parts import raises


def computed(function: Callable[..., object], **controls: tuple[object, ...]) -> States:
    choices = [Control(name, values) for name, values in controls.items()]
    form: Any = DisplayFormatter()  # type: ignore[no-untyped-call]
    return compute(function, choices, form.format)


def test_exploring_starts_at_the_default_or_else_at_the_first_value(
    capsys: pytest.CaptureFixture[str],
) -> None:
    explore(lambda n=4, word="no": f"{n} {word}", n=[3, 4, 5], word=["a", "b"])
    assert capsys.readouterr().out == "4 a\n"


@pytest.mark.parametrize("values", [[], [3], "text"])
def test_a_control_has_at_least_two_values(values: Any) -> None:
    with raises(WidgetError, object="n of explore", expected="two", received=describe(values)):
        explore(lambda n: n, n=values)


def test_too_many_combinations_are_refused_before_any_is_computed() -> None:
    def fails(**_: object) -> None:
        pytest.fail("it was called")

    with raises(
        WidgetError,
        object="controls of explore",
        expected="at most 100",
        received="11 × 10 = 110",
        remedy="fewer",
    ):
        explore(fails, a=range(11), b=range(10))


def test_results_that_are_too_large_are_refused() -> None:
    with raises(
        WidgetError,
        object="the results of explore",
        expected="at most 4 MB",
        received="4.2 MB for 2",
    ):
        computed(lambda n: Page("", f"<p>{n}{'x' * 2_100_000}</p>"), n=(3, 4))


def test_every_combination_is_there_and_equal_results_are_stored_once() -> None:
    states = computed(lambda a, b: a * b, a=(0, 2), b=(3, 4, 5))
    assert states.html.count("data-state=") == 4  # 0 three times, then 6, 8 and 10
    assert "&quot;places&quot;:[0,0,0,1,2,3]" in states.html
    assert states.html.count(" hidden>") == 3


def test_the_style_sheet_of_all_results_is_stored_once() -> None:
    states = computed(lambda n: Page("", f"<style>p {{color: red}}</style><p>{n}</p>"), n=(3, 4))
    assert states.html.count("color: red") == 1
    assert "<p>3</p>" in states.html
    assert "<p>4</p>" in states.html


def test_a_picture_is_stored_small_and_with_its_text() -> None:
    from PIL import Image

    def picture(n: int) -> Page:
        return show(bars([Bar("n", n)], title=f"{n}"), text=f"a bar of {n}")

    before = len(base64.b64encode(picture(3).png or b""))
    first = computed(picture, n=(3, 4)).pages[0]
    png = first.partition("base64,")[2].partition('"')[0]
    assert len(png) < 0.7 * before
    assert Image.open(io.BytesIO(base64.b64decode(png))).size[0] > 500
    assert "a bar of 3" in first


def test_text_is_escaped_and_a_value_that_shows_itself_is_refused() -> None:
    assert (
        computed(lambda n: {"<b>": n}, n=(3, 4)).pages[0] == "<pre>{&#x27;&lt;b&gt;&#x27;: 3}</pre>"
    )

    class Shows:
        def _ipython_display_(self) -> None:
            pass

    with raises(WidgetError, object="a result of explore", received="displays itself"):
        computed(lambda n: Shows(), n=(3, 4))
