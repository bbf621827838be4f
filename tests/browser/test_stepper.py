"""The stepper in a real page: forwards and backwards, by mouse and keyboard."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.browser.test_players import Player

LECTURE = """\
from hpml.widgets import stepper
def lecture(a, b, c):
    d = a + b * c
    return d
stepper(lecture, 2, 3, 4, title="The lecture's line")"""
TOTAL = """\
from hpml.widgets import stepper

def check(n):
    if n > 2:
        raise ValueError("too big")
    return n * n

def total(items):
    s = 0
    for item in items:
        try:
            s = s + check(item)
        except ValueError as error:
            print("no:", error)
    return s

stepper(total, [2, 3, 1], title="A loop, a call, an exception")"""
CALLED = "Back in total: CALL 1 pushes the value returned by check, 4."


class Stepper(Player):
    """A stepper on a page, and what a reader sees of it."""

    def says(self) -> str:
        return self._text(".says")

    def waits(self, pattern: str) -> None:
        """Wait until the sentence matches; fail if it never does."""
        self.root.locator(".says", has_text=re.compile(pattern)).wait_for()

    def on(self, pattern: str) -> None:
        """Go on until the sentence matches."""
        for _ in range(200):
            if re.search(pattern, self.says()):
                return
            self.press("ArrowRight")
        pytest.fail(f"no step says {pattern!r}")

    def back(self, pattern: str) -> None:
        """Go back until the sentence matches."""
        for _ in range(200):
            if re.search(pattern, self.says()):
                return
            self.press("ArrowLeft")
        pytest.fail(f"no step says {pattern!r}")

    def stack(self) -> list[str]:
        """Return the boxes from the bottom to the top, as they lie on the page."""
        return self._boxes('.level[data-on~="full"] .kept')

    def gone(self) -> list[str]:
        return self._boxes('.level[data-on~="went"] .gone')

    def variables(self) -> dict[str, str]:
        rows = self.root.locator(".values[data-on] tbody tr").all_inner_texts()
        cells = [row.split("\t") for row in rows]
        return {name: value for _, name, value in cells if value}

    def line(self) -> str:
        found: str = self.root.locator(".source[data-on] .line[data-on] code").inner_text()
        return found.strip()

    def instruction(self) -> str:
        row = self.root.locator('.listing[data-on] .row:is([data-on~="at"], [data-on~="bad"])')
        return " ".join(row.locator(".op").inner_text().split())

    def _boxes(self, selector: str) -> list[str]:
        boxes = self.root.locator(selector).evaluate_all(
            "boxes => boxes.map(box => [-box.getBoundingClientRect().top, box.textContent])"
        )
        return [text for _, text in sorted(boxes)]

    def _text(self, selector: str) -> str:
        text: str = self.root.locator(selector).inner_text()
        return " ".join(text.split())


@pytest.fixture
def lab(scratch: Any) -> Any:
    scratch.show(LECTURE, TOTAL)
    return scratch


def test_the_lectures_line_is_stepped_through_with_the_mouse(lab: Any) -> None:
    stepper = Stepper(lab.page, "The lecture's line")
    assert stepper.says().startswith("lecture(2, 3, 4) is called")
    assert (stepper.stack(), stepper.variables()) == ([], {"a": "2", "b": "3", "c": "4"})
    for _ in range(5):
        stepper.click("One step on")
    stepper.waits(r"BINARY_OP \* takes 3 and 4 off the stack and pushes 12\.")
    assert (stepper.stack(), stepper.gone()) == (["2", "12"], ["3", "4"])
    assert stepper.line() == "d = a + b * c"
    assert stepper.instruction().startswith("BINARY_OP 5 *")
    # The lowest box lies on the bottom.
    floor, lowest = (
        stepper.root.locator(name).bounding_box() for name in (".floor", ".level >> nth=-1")
    )
    assert floor["y"] - (lowest["y"] + lowest["height"]) < 10
    stepper.click("One step on")
    assert (stepper.stack(), stepper.gone()) == (["14"], ["2", "12"])
    stepper.click("One step back")
    stepper.waits(r"pushes 12\.")
    assert (stepper.stack(), stepper.gone()) == (["2", "12"], ["3", "4"])
    stepper.click("Last step")
    stepper.waits("lecture returns 14")
    assert stepper.variables()["d"] == "14"
    stepper.click("First step")
    assert "d" not in stepper.variables()
    stepper.root.locator(".listing .row", has_text="STORE_FAST").click()
    stepper.waits("STORE_FAST d takes 14 off the stack")


def test_a_loop_a_call_and_an_exception_are_stepped_through_with_the_keyboard(lab: Any) -> None:
    cells = lab.page.locator(".jp-Cell").count()
    stepper = Stepper(lab.page, "A loop, a call, an exception")
    calls = stepper.root.locator(".calls > :not(:empty)")
    stepper.on("calls function check with 2")
    assert stepper.line() == "s = s + check(item)"
    stepper.press("ArrowRight")
    assert stepper.line() == "def check(n):"
    assert calls.all_inner_texts() == ["check line 3", "total waits in line 12"]
    calls.last.click()
    assert "stack, bottom first: list_iterator object0" in calls.last.inner_text()
    stepper.press("ArrowRight")
    assert "variables: items = [2, 3, 1], s = 0, item = 2" in calls.last.inner_text()
    stepper.on("jumps to")
    assert stepper.root.locator(".arcs g[data-on='lit']:visible").count() == 1
    stepper.on(re.escape(CALLED))
    assert (calls.all_inner_texts(), stepper.stack()[-1]) == (["total line 12"], "4")
    stepper.on("jumps back to")
    stepper.on("RAISE_VARARGS")
    assert "it leaves check; caught in total" in stepper.says()
    assert stepper.variables() == {"n": "3"}
    stepper.press("ArrowRight")
    assert "cuts the stack to 1 value" in stepper.says()
    assert stepper.stack() == ["list_iterator object", "ValueError('too big')"]
    assert stepper.root.locator(".guarded[data-on~='thrown']:visible").count() == 1
    stepper.on("calls builtin print")
    assert stepper.root.locator(".printed").inner_text().strip() == "no: too big"
    # And back again: nothing is lost on the way.
    stepper.back("RAISE_VARARGS")
    assert stepper.root.locator(".printed").inner_text().strip() == ""
    assert stepper.variables() == {"n": "3"}
    stepper.back(re.escape(CALLED))
    assert stepper.stack()[-1] == "4"
    stepper.press("Home")
    assert stepper.says().startswith("total([2, 3, 1]) is called")
    stepper.press("End")
    stepper.waits("total returns 5")
    # The last instruction of a long listing is scrolled into sight.
    box, row = (
        stepper.root.locator(name).bounding_box()
        for name in (
            ".listing[data-on] .hpml-animation-scroll",
            ".listing[data-on] .row[data-on~='at']",
        )
    )
    assert box["y"] <= row["y"]
    assert row["y"] + row["height"] <= box["y"] + box["height"]
    assert stepper.root.locator(".listing[data-on] .hpml-animation-scroll").evaluate(
        "b => b.scrollTop"
    )
    assert lab.page.locator(".jp-Cell").count() == cells


def test_a_line_leads_to_its_next_execution_by_click(lab: Any) -> None:
    stepper = Stepper(lab.page, "A loop, a call, an exception")
    line = stepper.root.locator(".source[data-on] .line", has_text="s = s + check(item)")
    items = []
    for _ in range(4):
        line.click()
        assert stepper.line() == "s = s + check(item)"
        items.append(stepper.variables()["item"])
    # Coming back from a call is on that line as well; after the last it begins anew.
    assert items == ["2", "2", "3", "3"]
