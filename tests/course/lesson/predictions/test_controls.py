"""The widgets under a question, and what a notebook shows with and without them."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from hpml.course.lesson.execute import execute
from hpml.course.lesson.predictions import controls
from hpml.course.lesson.predictions.prediction import Lab, Prediction
from hpml.course.lesson.predictions.state import Entry

WIDGET = "application/vnd.jupyter.widget-view+json"
CALL = Entry("call", "How long?", unit="µs")
SIDE = Entry("side", "B is ...", choices=("faster", "slower"))


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    monkeypatch.setattr(controls, "_ON_ITS_WAY", 0.0)
    return []


def box(entry: Entry, submit: controls.Submit) -> Any:
    return controls.make(entry, submit).box


def test_a_choice_that_was_not_locked_counts_when_its_result_is_shown(lab: Lab) -> None:
    asked = Prediction("try", SIDE)
    asked._control, asked._ids["control"] = controls.make(SIDE, asked._submitted), "a place"
    assert asked._control is not None
    asked._control.field.value = "slower"
    asked.reveal("slower")
    assert (asked.answer, asked.entry.late) == ("slower", False)
    assert "You had not locked it; it counts." in repr(asked)


def act(field: Any, action: Any, *then: str) -> None:
    """Press Enter or the button; the browser sends what was typed or chosen `then`, after that."""

    async def acted() -> None:
        action()
        for text in then:
            field.value = text
        for _ in range(3):
            await asyncio.sleep(0)

    # In a thread of its own: where tests of the browser ran before, this one has a loop running.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, acted()).result()


def enter(control: Any, *then: str) -> None:
    field = control.children[0].children[0]

    def pressed() -> None:
        field._handle_custom_msg({"event": "submit"}, [])
        field._handle_custom_msg({"event": "something else"}, [])

    act(field, pressed, *then)


@pytest.mark.parametrize("then", [(), ("30 us",)])
def test_the_button_sends_what_the_field_holds_in_the_end(
    sent: list[object], then: tuple[str, ...]
) -> None:
    control: Any = box(CALL, sent.append)
    field, button = control.children[0].children
    field.value = "3 us"
    act(field, button.click, *then)
    assert sent == list(then or ["3 us"])


def test_enter_in_the_field_sends_what_was_typed_though_it_arrives_after_it(
    sent: list[object],
) -> None:
    control: Any = box(CALL, sent.append)
    control.children[0].children[0].value = "3"  # on leaving the field, which sends nothing
    enter(control, "30")
    assert sent == ["30"]
    enter(control)
    assert sent == ["30", "30"]


def test_what_is_wrong_is_said_under_the_field_and_goes_when_it_is_right(
    sent: list[object],
) -> None:
    control: Any = box(CALL, lambda typed: "not <3>" if typed == "x" else None)
    (field, button), message = control.children[0].children, control.children[1]
    field.value = "x"
    act(field, button.click)
    assert message.value == '<div role="alert">not &lt;3&gt;</div>'
    field.value = "3"
    act(field, button.click)
    assert message.value == ""


def test_a_choice_is_sent_only_when_one_is_chosen(sent: list[object]) -> None:
    control: Any = box(SIDE, sent.append)
    field, button, message = control.children
    act(field, button.click)
    assert sent == []
    assert "Choose one of the options first." in message.value
    field.value = "slower"
    act(field, button.click)
    assert sent == ["slower"]


CELLS = (
    "from hpml.course import calibration, lab_head, predict\n"
    "from hpml.widgets import explore\nlab_head('page', 'A page')",
    "guess = predict('How long?', unit='us', key='call')\nguess",
    "guess.reveal(0.9)",
    "explore(lambda n: n * n, n=[3, 4])",
    "guess.lock(3)",
    "guess",
    "calibration()",
)


@pytest.mark.parametrize("headless", ["1", "0"])
def test_a_notebook_runs_through_unanswered_with_and_without_controls(
    tmp_path: Path, headless: str
) -> None:
    path = tmp_path / "01_page.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(source) for source in CELLS]), path)
    environment = {"HPML_RESULTS": str(tmp_path / "results"), "HPML_HEADLESS": headless}

    execution = execute(path, timeout=120, environment=environment)

    assert execution.failure is None, str(execution.failure)
    shown = [cell.outputs for cell in execution.notebook.cells]
    widgets = [output for outputs in shown for output in outputs if WIDGET in output.data]
    assert widgets == []  # the question's field goes when it is locked
    assert "data-state=" in shown[3][0].data["text/html"]
    assert all("text/plain" in output.data for outputs in shown for output in outputs)
    # As the last line of its own cell `guess` does not show itself a second time.
    cards = [output for output in shown[1] if "Predict" in output.data["text/plain"]]
    assert len(cards) == 1
    assert "Locked: 3 µs." in cards[0].data["text/html"]
    assert "does not count" in shown[2][0].data["text/html"]
    assert shown[3][-1].data["text/plain"] == "9"
    assert shown[4] == []
    assert "Locked: 3 µs." in shown[5][0].data["text/plain"]
    assert "drawn hollow, not counted" in shown[6][0].data["text/plain"]
