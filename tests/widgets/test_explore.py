from __future__ import annotations

from typing import Any

import pytest

from hpml.base.errors import describe
from hpml.widgets import WidgetError, explore
from tests.parts import raises


def test_exploring_starts_at_the_default_or_else_at_the_first_value(
    capsys: pytest.CaptureFixture[str],
) -> None:
    explore(lambda n=4, word="no": f"{n} {word}", n=[3, 4, 5], word=["a", "b"])
    assert capsys.readouterr().out == "4 a\n"


@pytest.mark.parametrize("values", [[], [3], "text"])
def test_a_control_has_at_least_two_values(values: Any) -> None:
    with raises(WidgetError, object="n of explore", expected="two", received=describe(values)):
        explore(lambda n: n, n=values)
