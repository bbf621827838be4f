"""Pictures of every lab to look at: light and dark, on pages 1,280 and 1,024 pixels wide.

    HPML_ARTEFACTS=pictures pytest tests/browser/screenshots.py -k "01 or 05"

writes pictures/lab_01_light_1280_0.png and so on, a piece of 6,000 pixels of the notebook each. It
asserts nothing, and no other run of the tests collects it.
"""

from __future__ import annotations

from typing import Any

from tests.browser.test_animations import dark
from tests.browser.test_labs import each_lab, number

_PIECE = 6000
_WIDTHS = (1280, 1024)


@each_lab
def test_pictures_of_a_lab(lab: Any, shot: Any) -> None:
    pictures(lab, shot, "light")
    with dark(lab.page):
        pictures(lab, shot, "dark")


def pictures(lab: Any, shot: Any, theme: str) -> None:
    """Keep pictures of the whole notebook, piece by piece."""
    for width in _WIDTHS:
        lab.page.set_viewport_size({"width": width, "height": _PIECE})
        notebook = lab.page.locator(".jp-WindowedPanel-outer").first
        notebook.evaluate("panel => { panel.scrollTop = 0; }")
        piece, at = 0, -1
        while at != (now := notebook.evaluate("panel => panel.scrollTop")):
            at = now
            lab.page.wait_for_timeout(500)  # cells draw themselves as they come into sight
            shot(lab, f"lab_{number(lab)}_{theme}_{width}_{piece}")
            notebook.evaluate("panel => { panel.scrollTop += panel.clientHeight - 100; }")
            piece += 1
