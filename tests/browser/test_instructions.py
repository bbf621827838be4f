"""Keys and clicks that the labs' texts name, pressed in the order in which they are named."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.test_players import BROWSER, PLAYER, Player

HEAD = "from hpml.course import check, lab_head, predict"
STEPPER = """
from hpml.widgets import stepper
def lecture(a, b, c):
    d = a + b * c
    return d
stepper(lecture, 2, 3, 4, title="The lecture's example")
"""
TALL = "print('\\n' * 200)"


def scrolled(lab: Any) -> float:
    """Return how far the notebook is scrolled."""
    found: float = lab.page.locator(".jp-WindowedPanel-outer").first.evaluate("e => e.scrollTop")
    return found


def test_after_a_click_on_the_player_space_plays_and_the_arrows_step(scratch: Any) -> None:
    lab = scratch
    lab.show(PLAYER, TALL)
    player = Player(lab.page, "A tiny graph")
    player.root.locator("svg.hpml-graph").first.click()
    before = scrolled(lab)
    lab.page.keyboard.press("ArrowRight")
    player.at("2 / 10")
    lab.page.keyboard.press("ArrowLeft")
    player.at("1 / 10")
    lab.page.keyboard.press("Space")
    player.at(r"([2-9]|10) / 10")
    assert scrolled(lab) == before


def test_after_a_click_on_the_stepper_the_right_arrow_steps(scratch: Any) -> None:
    lab = scratch
    lab.show(STEPPER, TALL)
    player = Player(lab.page, "The lecture's example")
    player.root.get_by_text("BINARY_OP").first.click()
    place = player.root.locator(".hpml-animation-controls").inner_text()
    lab.page.keyboard.press("ArrowRight")
    lab.page.wait_for_function(
        "before => document.querySelector('.hpml-animation-controls').innerText !== before",
        arg=place,
    )


def test_after_a_click_on_a_node_the_arrow_keys_lead_to_its_neighbours(scratch: Any) -> None:
    lab = scratch
    lab.show(BROWSER)
    player = Player(lab.page, "A residual block")
    heading = player.root.locator(".about .head")
    player.root.locator(".label", has_text="Conv2d_1").click()
    assert heading.inner_text() == "Conv2d_1"
    lab.page.keyboard.press("ArrowRight")
    assert heading.inner_text() == "ReLU_1"


def test_a_choice_is_made_with_tab_and_space(scratch: Any) -> None:
    lab = scratch
    lab.show(
        f"{HEAD}\nlab_head('tabs', 'Tabs')",
        "side = predict('B is ...', choices=['faster', 'slower', 'cannot tell'], key='side')",
    )
    lab.page.get_by_role("radio", name="faster").focus()
    for key in ("Tab", "Space", "Tab", "Tab", "Space"):
        lab.page.keyboard.press(key)
    lab.saw("Locked: slower.")


def test_a_hidden_question_is_opened_with_its_three_dots(scratch: Any) -> None:
    lab = scratch
    lab.show("1 + 1")
    lab.page.evaluate(
        "() => { const cell = window.jupyterapp.shell.currentWidget.content.widgets[0];"
        "cell.model.setMetadata('jupyter', {source_hidden: true}); cell.inputHidden = true; }"
    )
    assert not lab.page.locator(".jp-CodeCell .cm-content").first.is_visible()
    lab.page.locator(".jp-Placeholder-content").first.click()
    lab.page.locator(".jp-CodeCell .cm-content").first.wait_for()


ENDLESS = """
def hello(name):
    open({path!r}, "w").close()
    while True:
        pass
"""
RUN = """() => {
    const notebook = window.jupyterapp.shell.currentWidget.content;
    notebook.deselectAll();
    notebook.activeCellIndex = 2;
    window.jupyterapp.commands.execute('notebook:run-cell');
}"""


def test_the_square_in_the_toolbar_stops_a_check(scratch: Any, tmp_path: Path) -> None:
    begun = tmp_path / "begun"
    lab = scratch
    lab.show(f"{HEAD}\nlab_head(0, 'Start here')", ENDLESS.format(path=str(begun)), "'the check'")
    lab.page.evaluate(
        "() => window.jupyterapp.shell.currentWidget.content.widgets[2].model.sharedModel"
        ".setSource('check(hello)')"
    )
    lab.page.evaluate(RUN)  # not to its end
    while not begun.exists():
        lab.page.wait_for_timeout(50)
    lab.page.get_by_role("button", name="Interrupt the kernel").click()
    lab.saw("You stopped it.")
