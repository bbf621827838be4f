"""Animations in a real page: played and browsed by mouse and keyboard, also with no kernel.

What all animations have in common is tried on one; the stepper has a file of its own.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

PLAYER = """
from hpml.widgets import execution_player
tiny = {"x": [], "double": ["x"], "square": ["x"], "sum": ["double", "square"]}
execution_player(tiny, ["lazy", "ordered"], title="A tiny graph")
"""
DIAMONDS = """
diamonds, top = {"x": []}, "x"
for i in (1, 2, 3):
    diamonds |= {f"left{i}": [top], f"right{i}": [top], f"join{i}": [f"left{i}", f"right{i}"]}
    top = f"join{i}"
execution_player(diamonds, ["without memory", "lazy"], title="Three diamonds")
"""
BROWSER = """
from torch import nn
from hpml.symbolic import Input, SymbolicModel
from hpml.widgets import graph_browser
x = Input(shape=(3, 8, 8))
h = nn.ReLU()(nn.Conv2d(3, 4, 3, padding=1)(x))
y = nn.Linear(256, 10)(nn.Flatten()(nn.Conv2d(4, 4, 3, padding=1)(h) + h))
graph_browser(SymbolicModel(x, y), title="A residual block")
"""
CHOSEN = """
from hpml.widgets import execution_player, explore
graphs = {"one": {"x": [], "y": ["x"]}, "two": {"x": [], "y": ["x"], "z": ["y"]}}
explore(lambda graph: execution_player(graphs[graph], title=graph), graph=list(graphs))
"""
LAST = "Done after 8 steps."


class Player:
    """One animation on a page; what a reader does with it and sees of it, by name."""

    def __init__(self, page: Any, title: str) -> None:
        self.page = page
        self.root = page.get_by_role("group", name=title)
        self.root.get_by_role("toolbar").wait_for()

    def press(self, *keys: str) -> None:
        """Press keys while the animation has the focus."""
        self.root.focus()
        for key in keys:
            self.page.keyboard.press(key)

    def click(self, name: str) -> None:
        self.root.get_by_role("button", name=name, exact=True).click()

    def shows(self, *texts: str) -> None:
        """Wait until all these texts are seen in the template."""
        for text in texts:
            self.root.locator(".hpml-animation-template").get_by_text(text).first.wait_for()

    def at(self, place: str) -> None:
        """Wait until it says that it is at this step; a pattern, such as ``"2 / 10"``."""
        self.root.get_by_text(re.compile(f"^{place}$")).wait_for()

    def lit(self, state: str) -> list[str]:
        """Return the texts of the boxes that are marked so, in the first picture."""
        boxes = self.root.locator("svg.hpml-graph").first.locator(f'.shape[data-on~="{state}"]')
        return [text.strip() for text in boxes.all_text_contents()]


@pytest.fixture
def lab(scratch: Any) -> Any:
    scratch.show(PLAYER, DIAMONDS, BROWSER)
    return scratch


def test_an_animation_is_operated_with_the_mouse(lab: Any) -> None:
    player = Player(lab.page, "A tiny graph")
    player.at("1 / 10")
    player.shows("Nothing has happened yet.")
    assert player.lit("known") == ["x"]

    player.click("One step on")
    player.at("2 / 10")
    player.shows("You ask for sum.", "double is executed.")
    assert player.lit("asked") == ["sum"]
    player.click("One step on")
    player.shows("sum asks for double.", "Open requests, 2: sum → double")
    assert (player.lit("waits"), player.lit("asked")) == (["sum"], ["double"])
    player.click("One step back")
    player.at("2 / 10")
    player.click("Last step")
    player.shows(LAST)
    assert player.lit("known") == ["x", "double", "square", "sum"]
    player.click("First step")
    player.shows("Nothing has happened yet.")

    slider = player.root.get_by_role("slider", name="Step")
    slider.fill("4")
    player.at("5 / 10")
    assert player.lit("now") == ["double"]


def test_an_animation_plays_pauses_and_stops_at_its_end(lab: Any) -> None:
    long, short = Player(lab.page, "Three diamonds"), Player(lab.page, "A tiny graph")
    long.click("Play")
    # Whatever step is seen first: a loaded machine may miss one.
    long.at(r"([3-9]|\d\d) / 52")
    long.click("Pause")
    long.root.get_by_role("button", name="Play", exact=True).wait_for()
    short.root.get_by_role("combobox", name="Speed").select_option("4×")
    short.click("Play")
    short.at("10 / 10")
    short.shows(LAST)
    short.root.get_by_role("button", name="Play", exact=True).wait_for()
    assert not long.root.get_by_text("52 / 52", exact=True).is_visible()
    short.root.get_by_role("combobox", name="Speed").select_option("½×")
    short.click("Play")  # from the beginning
    short.at("[1-5] / 10")


def test_an_animation_is_operated_with_the_keyboard_and_jupyter_does_not_take_the_keys(
    lab: Any,
) -> None:
    cells = lab.page.locator(".jp-Cell").count()
    player = Player(lab.page, "Three diamonds")
    player.press("ArrowRight", "ArrowRight", "ArrowRight")
    player.at("4 / 52")
    player.press("ArrowLeft")
    player.at("3 / 52")
    player.press("End")
    player.at("52 / 52")
    player.shows("Done after 50 steps.", "Done after 22 steps.")
    counted = player.root.locator("svg.hpml-graph").first.locator("text.note").all_text_contents()
    assert sorted(counted) == ["", *["1×"] * 3, *["2×"] * 3, *["4×"] * 3]
    player.press("Home")
    player.at("1 / 52")
    player.press("Space")  # plays
    player.at(r"([2-9]|\d\d) / 52")
    player.press("Space")  # pauses
    player.root.get_by_role("button", name="Play", exact=True).wait_for()
    # Keys that would cut, add and delete cells if the notebook took them.
    player.press("x", "a", "b", "d", "d", "j", "Enter")
    assert lab.page.locator(".jp-Cell").count() == cells
    # The slider, reached with Tab, goes by the same keys.
    player.root.get_by_role("slider", name="Step").focus()
    lab.page.keyboard.press("End")
    player.at("52 / 52")


def test_the_graph_is_browsed_by_click_list_link_and_keyboard(lab: Any) -> None:
    player = Player(lab.page, "A residual block")
    heading = player.root.locator(".about .head")
    assert heading.inner_text() == "input"

    player.root.locator(".label", has_text="AddOpLayer_1").click()
    assert heading.inner_text() == "AddOpLayer_1"
    assert len(player.lit("parent")) == 2
    player.root.locator("dl").get_by_role("button", name="ReLU_1").click()  # a parent
    assert heading.inner_text() == "ReLU_1"
    assert player.lit("chosen") == ["(None, 4, 8, 8)"]
    player.root.get_by_role("combobox", name="Choose").select_option("Linear_1")
    assert heading.inner_text() == "Linear_1"
    assert "2,570 in total" in player.root.inner_text()

    player.press("ArrowLeft")
    assert heading.inner_text() == "Flatten_1"
    player.press("Home")
    assert heading.inner_text() == "input"
    label = player.root.locator(".label", has_text="Conv2d_1")
    label.focus()
    lab.page.keyboard.press("Enter")
    assert heading.inner_text() == "Conv2d_1"
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Space")
    assert heading.inner_text() != "Conv2d_1"


def test_a_graph_is_chosen_from_a_list_and_its_animation_plays(scratch: Any) -> None:
    lab = scratch
    lab.show(CHOSEN)
    first = Player(lab.page, "one")
    first.press("End")
    first.shows("Done after 3 steps.")
    lab.page.get_by_role("combobox", name="graph").select_option("two")
    second = Player(lab.page, "two")
    second.press("End")
    second.shows("Done after 5 steps.")
    assert lab.page.get_by_role("group", name="one").count() == 0
    lab.page.get_by_role("combobox", name="graph").select_option("one")
    first.shows("Done after 3 steps.")  # where it was left


def test_an_exported_page_plays_from_disk_without_network_or_kernel(
    lab: Any, server: Any, offline: Any, tmp_path: Path
) -> None:
    import nbconvert

    lab.save()
    page, _ = nbconvert.HTMLExporter().from_filename(server.folder / lab.name)
    path = tmp_path / "players.html"
    path.write_text(page, encoding="utf-8")
    offline.goto(path.as_uri(), wait_until="domcontentloaded")
    player = Player(offline, "A tiny graph")
    player.press("ArrowRight", "ArrowRight")
    player.shows("sum asks for double.")
    browser = Player(offline, "A residual block")
    browser.root.locator(".label", has_text="ReLU_1").click()
    assert browser.root.locator(".about .head").inner_text() == "ReLU_1"
    # On paper stands what is seen now, without controls.
    offline.emulate_media(media="print")
    assert not player.root.get_by_role("toolbar").is_visible()
    assert player.root.get_by_text("sum asks for double.").first.is_visible()
    assert not [error for error in offline.errors if "hpml" in error]


def test_players_on_one_page_do_not_meet_and_leave_no_names(offline: Any, tmp_path: Path) -> None:
    from hpml.widgets import Animation, Keyframe
    from hpml.widgets.animation.animation import placeholder

    def animation(title: str, count: int) -> str:
        keyframes = [Keyframe(f"{title} {i}", texts={"n": str(i)}) for i in range(count)]
        return Animation(title, f"<p class='n' {placeholder('n')}></p>", keyframes).html

    page = (
        "<!doctype html><meta charset=utf-8>"
        + animation("A", 3)
        + animation("B", 5)
        + animation("A", 3)
    )
    path = tmp_path / "several.html"
    path.write_text(page, encoding="utf-8")
    offline.add_init_script("window.before = Object.keys(window).length + 1")
    offline.goto(path.as_uri())
    roots = offline.locator(".hpml-animation")
    roots.nth(0).focus()
    offline.keyboard.press("End")
    roots.nth(1).focus()
    offline.keyboard.press("ArrowRight")
    assert roots.locator(".n").all_inner_texts() == ["2", "1", "0"]
    assert roots.get_by_role("toolbar").count() == 3
    assert offline.evaluate("Object.keys(window).length - window.before") == 0
    assert offline.errors == []

    # A page saved by the browser holds what the script had made; run again, it makes it anew.
    path.write_text(offline.content(), encoding="utf-8")
    offline.goto(path.as_uri())
    assert roots.get_by_role("toolbar").count() == 3
    assert roots.locator(".n").all_inner_texts() == ["0", "0", "0"]


def test_a_page_without_scripts_shows_the_first_state(browser: Any, tmp_path: Path) -> None:
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
    assert still.get_by_role("group", name="Player").get_by_role("img").count() == 2
    context.close()
