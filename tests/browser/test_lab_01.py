"""A student at lab 01: its controls by keyboard."""

from __future__ import annotations

from typing import Any

HEAD = (
    "from hpml.bytecode import object_header\n"
    "from hpml.labs import lab_head\n"
    "from hpml.labs import lab_01_dynamic_typing as dt\n"
    "from hpml.widgets import explore\n"
    "lab_head(1, 'The cost of dynamic typing')"
)
THINGS = (
    "things = {'an int': 1000, 'a list': [1000, 2000], 'a text': '<spam>'}\n"
    "explore(lambda thing: object_header(things[thing]), thing=list(things))"
)
CHOICE = (
    "chosen = dt.times_by_choice([1, 100], dt.compiled_loops(), rounds=2)\n"
    "explore(lambda operation, size: dt.draw_times(chosen[operation, size], operation, size),\n"
    "        operation=list(dt.OPERATIONS), size=[1, 100])"
)


def next_choice(lab: Any, name: str) -> None:
    """Choose the next of a list by keyboard; without the space JupyterLab takes the arrow."""
    lab.page.get_by_label(name).focus()
    for key in ("Space", "ArrowDown", "Enter"):
        lab.page.keyboard.press(key)


def test_the_bytes_of_an_object_change_with_the_choice(scratch: Any, shot: Any) -> None:
    lab = scratch
    lab.show(HEAD, THINGS)
    lab.saw("ob_digit 1000")
    next_choice(lab, "thing")
    lab.saw("allocated room for 2")
    lab.saw("→ int 2000")
    shot(lab, "lab_01_bytes")
    next_choice(lab, "thing")
    lab.saw("'<spam>' and a zero")
    assert "ob_item" not in lab.outputs()


def test_operation_and_size_are_chosen_by_keyboard(scratch: Any, shot: Any) -> None:
    lab = scratch
    lab.show(HEAD, CHOICE)
    picture = lab.page.locator(".jp-OutputArea-output img[alt^='Fastest:']")
    picture.wait_for()
    before = picture.get_attribute("src")
    lab.page.get_by_role("slider").press("ArrowRight")
    lab.page.wait_for_function(
        "before => document.querySelector(\"img[alt^='Fastest:']\").src !== before", arg=before
    )
    before = picture.get_attribute("src")
    next_choice(lab, "operation")
    lab.page.wait_for_function(
        "before => document.querySelector(\"img[alt^='Fastest:']\").src !== before", arg=before
    )
    assert picture.count() == 1
    shot(lab, "lab_01_choice")
