"""A student at a lab in JupyterLab: typing a prediction, locking it, and seeing it revealed."""

from __future__ import annotations

from typing import Any

import nbformat

HEAD = "from hpml.labs import calibration, lab_head, predict; from hpml.widgets import explore"
ASK = "guess = predict('How long does one call take?', unit='us', key='call')"


def test_lab_00_runs_and_a_typed_prediction_is_locked_and_revealed(open_lab: Any) -> None:
    lab = open_lab("00_start_here.ipynb")
    lab.run_all()
    assert lab.page.locator(".jp-RenderedText[data-mime-type*=stderr]").count() == 0
    field = lab.page.get_by_role("textbox", name="in ×:").first
    field.fill("123")
    field.press("Enter")
    lab.saw("Locked: 123×.")
    lab.saw("You said 123×, measured")
    lab.saw("Locked after the result had been shown")


def test_a_prediction_stays_locked_and_outlives_kernel_and_page(open_lab: Any, server: Any) -> None:
    server.write("steps.ipynb", f"{HEAD}\nlab_head('steps', 'Steps')", ASK, "guess.reveal(0.9)")
    lab = open_lab("steps.ipynb")
    lab.run_cell(0)
    lab.run_cell(1)
    field = lab.page.get_by_role("textbox", name="in µs:")
    field.fill("three")
    field.press("Enter")
    lab.page.get_by_role("alert").filter(has_text="'three' is not a number").wait_for()
    field.fill("0.003 ms")
    lab.page.get_by_role("button", name="Lock in").press("Enter")
    lab.saw("Locked: 3 µs.")
    field.wait_for(state="detached")
    lab.run_cell(2)
    lab.saw("You said 3 µs, measured 0.9 µs: 3.3 times too high.")

    lab.restart()
    lab.run_all()
    lab.saw("Locked: 3 µs.")
    assert lab.page.get_by_role("textbox", name="in µs:").count() == 0
    assert "Locked after" not in lab.outputs()

    lab.save()
    saved = nbformat.read(server.folder / "steps.ipynb", as_version=4)
    shown = [output.data for cell in saved.cells for output in cell.outputs if "data" in output]
    assert not any("application/vnd.jupyter.widget-view+json" in data for data in shown)
    assert any("3.3 times too high" in data.get("text/html", "") for data in shown)


def test_a_choice_is_made_from_the_keyboard(open_lab: Any, server: Any) -> None:
    server.write(
        "choice.ipynb",
        f"{HEAD}\nlab_head('choice', 'Choice')",
        "side = predict('B is ...', choices=['faster', 'slower'], key='side')",
        "side.reveal('slower')",
    )
    lab = open_lab("choice.ipynb")
    lab.run_cell(0)
    lab.run_cell(1)
    lab.page.get_by_role("button", name="Lock in").press("Enter")
    lab.page.get_by_role("alert").filter(has_text="Choose one of the lines first").wait_for()
    lab.page.get_by_role("radio", name="faster").focus()
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Space")
    lab.page.keyboard.press("Tab")
    lab.page.keyboard.press("Enter")
    lab.saw("Locked: slower.")
    lab.run_cell(2)
    lab.saw("So: right.")


def test_a_slider_replaces_the_result_below_it(open_lab: Any, server: Any) -> None:
    server.write("slider.ipynb", f"{HEAD}\nexplore(lambda n: f'squared: {{n * n}}', n=[3, 4, 5])")
    lab = open_lab("slider.ipynb")
    lab.run_cell(0)
    lab.saw("squared: 9")
    lab.page.get_by_role("slider").press("ArrowRight")
    lab.saw("squared: 16")
    assert "squared: 9" not in lab.outputs()
