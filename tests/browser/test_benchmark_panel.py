"""The benchmark panel in JupyterLab: run, stop, and what is kept; by mouse and by keyboard."""

from __future__ import annotations

from typing import Any

CALL = """\
from hpml.widgets import benchmark_panel
names = ["handwritten", "codegen", "lazy"]
benchmark_panel("deep-linear", sizes=[2, 4, 8], contenders=names, min_sample_time={time})"""


def shown(lab: Any, time: float = 1e-5) -> Any:
    lab.show(CALL.format(time=time))
    lab.saw("Nothing measured yet.")
    return lab


def pictures(lab: Any) -> int:
    count: int = lab.page.locator(".jp-OutputArea-output img").count()
    return count


def table(lab: Any) -> list[list[str]]:
    lab.page.get_by_text("Table", exact=True).click()
    rows = lab.page.locator(".jp-OutputArea-output tbody tr").all_inner_texts()
    return [row.split("\t") for row in rows]


def test_a_run_is_chosen_and_started_by_mouse(scratch: Any, server: Any, shot: Any) -> None:
    lab = shown(scratch)
    assert pictures(lab) == 0
    assert lab.page.get_by_role("checkbox", name="handwritten").is_disabled()
    lab.page.get_by_role("checkbox", name="lazy").click()
    lab.page.get_by_role("checkbox", name="4").click()
    lab.page.get_by_role("button", name="Run", exact=True).click()
    lab.saw("Done: layers 2 (7 rounds), 8 (7 rounds). Recorded in results/panel-deep-linear-")
    assert pictures(lab) == 1
    shot(lab, "benchmark_panel_done")
    assert [row[:2] for row in table(lab)] == [
        ["2", "handwritten"],
        ["2", "codegen"],
        ["8", "handwritten"],
        ["8", "codegen"],
    ]


def test_it_is_run_and_stopped_by_keyboard_while_the_kernel_is_free(
    scratch: Any, server: Any, shot: Any
) -> None:
    # Long samples: the first case is done, the second is not, when we cancel.
    lab = shown(scratch, time=0.05)
    lab.page.get_by_role("checkbox", name="lazy").press("Space")
    lab.page.get_by_role("button", name="Run", exact=True).press("Enter")
    lab.page.get_by_role("status").filter(has_text="1 of 3 sizes are done").wait_for()
    # The picture has grown by the case that is done, while the run goes on.
    assert pictures(lab) == 1
    shot(lab, "benchmark_panel_running")
    # The same button, which keeps the keyboard's focus.
    button = lab.page.locator("button:focus")
    assert button.inner_text() == "Stop"
    button.press("Enter")
    lab.saw("Stopped. Kept: layers 2 (7 rounds)")
    assert lab.page.locator("button:focus").inner_text() == "Run"
    shot(lab, "benchmark_panel_stopped")
    assert any("codegen" in row for row in table(lab))
    assert lab.page.get_by_role("button", name="Run", exact=True).is_enabled()

    record = max((server.folder.parent / "results").glob("panel-deep-linear-*.jsonl"))
    assert '"layers": 2' in record.read_text(encoding="utf-8").splitlines()[0]


def test_nothing_chosen_is_said_and_nothing_is_started(scratch: Any, server: Any) -> None:
    lab = shown(scratch)
    for size in ("2", "4", "8"):
        lab.page.get_by_role("checkbox", name=size).click()
    lab.page.get_by_role("button", name="Run", exact=True).click()
    lab.page.get_by_role("alert").filter(
        has_text="sizes: expected one or more of 2, 4, 8"
    ).wait_for()
    assert lab.page.get_by_role("button", name="Run", exact=True).is_enabled()
