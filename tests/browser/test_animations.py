"""What all animations share, tried on a player and a stepper: dark, on paper, without a script."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.browser.test_players import BROWSER, PLAYER, Player
from tests.browser.test_stepper import TOTAL, Stepper


@contextlib.contextmanager
def dark(page: Any) -> Iterator[None]:
    """Switch JupyterLab to its dark theme, and back: the server would keep it for other tests."""
    change = "theme => window.jupyterapp.commands.execute('apputils:change-theme', {theme})"
    seen = "light => document.body.dataset.jpThemeLight === light"
    page.evaluate(change, "JupyterLab Dark")
    page.wait_for_function(seen, arg="false")
    try:
        yield
    finally:
        page.evaluate(change, "JupyterLab Light")
        page.wait_for_function(seen, arg="true")


def lightness(colour: str) -> float:
    """Return the mean of red, green and blue, 0 to 1, of a computed colour."""
    numbers = [float(number) for number in re.findall(r"[\d.]+", colour.partition("(")[2])][:3]
    whole = 1.0 if colour.startswith("color(") else 255.0
    return sum(numbers) / 3 / whole


def test_lightness_is_read_from_both_forms_of_a_colour() -> None:
    assert lightness("rgb(255, 255, 255)") == 1.0
    assert lightness("color(srgb 0 0 0)") == 0.0


def test_animations_read_in_the_dark_theme(scratch: Any, shot: Any) -> None:
    scratch.show(PLAYER, BROWSER, TOTAL)
    with dark(scratch.page):
        player = Player(scratch.page, "A tiny graph")
        player.press(*["ArrowRight"] * 4)
        boxes = player.root.locator("svg.hpml-graph").first.locator(".shape")
        square = boxes.filter(has_text="square").evaluate(
            "box => [box.querySelector('text'), box.querySelector('rect')]"
            ".map((element) => getComputedStyle(element).fill)"
        )
        shot(player.root, "player_dark")
        browser = Player(scratch.page, "A residual block")
        browser.press(*["ArrowRight"] * 3)
        shot(browser.root, "graph_browser_dark")
        stepper = Stepper(scratch.page, "A loop, a call, an exception")
        stepper.on("the ValueError arrives")
        level = stepper.root.locator('.level[data-on~="new"] .kept').evaluate(
            "box => [getComputedStyle(box).color, getComputedStyle(box).backgroundColor]"
        )
        shot(stepper.root, "stepper_dark")
    for text, ground in (square, level):
        assert lightness(text) > 0.6 > 0.4 > lightness(ground)


def test_a_page_without_scripts_shows_the_first_state(
    browser: Any, tmp_path: Path, shot: Any
) -> None:
    from hpml.widgets import execution_player, stepper

    animations = (
        stepper(lambda a, b, c: a + b * c, 2, 3, 4, title="Stepper"),
        execution_player({"x": [], "y": ["x"]}, title="Player"),
    )
    path = tmp_path / "animations.html"
    whole = "".join(animation.html for animation in animations)
    path.write_text(f"<!doctype html><meta charset=utf-8>{whole}", encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    still = context.new_page()
    still.goto(path.as_uri())
    for title, first, later in (
        ("Stepper", "<lambda>(2, 3, 4) is called", "takes 3 and 4 off the stack"),
        ("Player", "Nothing has happened yet.", "y asks for x: it is known."),
    ):
        root = still.get_by_role("group", name=title)
        assert root.get_by_role("button").count() == 0
        assert root.get_by_text(first).first.is_visible()
        root.get_by_text("steps as a table").click()
        assert root.get_by_role("cell", name=later).is_visible()
        shot(root, f"{title.lower()}_without_script")
    assert still.get_by_role("group", name="Player").get_by_role("img").count() == 2
    context.close()
