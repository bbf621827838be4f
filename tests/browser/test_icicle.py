"""The icicle of a profile in JupyterLab: zoom, cutoff, keyboard, and a page that was saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hpml.profiling import Samples, profile_difference
from hpml.profiling.call_tree import CallTree
from hpml.profiling.icicle import icicle
from tests.browser.accessibility import violations

PROFILE = """\
from hpml.profiling import profile
def leaf(n):
    return sum(range(n))
def heavy(n):
    return leaf(n) + leaf(n)
def light(n):
    return leaf(n // 20)
def program():
    return heavy(2_000_000) + light(2_000_000)
profile(program)"""

TREE = CallTree(
    "main",
    "a.py:1",
    1.0,
    (
        CallTree("left", "a.py:5", 50.0, (CallTree("deep", "b.py:1", 30.0, calls=4),)),
        CallTree("right", "b.py:9", 18.5),
        CallTree("tiny", "b.py:20", 0.5),
    ),
)


def frames(page: Any) -> int:
    count: int = page.locator(".hpml-icicle svg g").count()
    return count


def about(page: Any) -> str:
    text: str = page.locator(".hpml-icicle-about").inner_text()
    return text


def test_a_profile_is_shown_below_its_cell_and_opened_again_without_a_kernel(
    open_lab: Any, server: Any
) -> None:
    server.write("saved.ipynb", PROFILE)
    lab = open_lab("saved.ipynb")
    lab.run_all()
    lab.saw("program")
    assert "ncalls" in lab.outputs()
    lab.save()

    lab = open_lab("saved.ipynb")
    lab.shut_down()
    root = lab.page.locator(".hpml-icicle")
    root.locator("[data-reset]").wait_for()
    shown = frames(lab.page)
    root.locator("svg text", has_text="heavy").click(force=True)
    assert about(lab.page).startswith("heavy (")
    assert frames(lab.page) < shown
    root.get_by_role("button", name="Reset").click()
    assert frames(lab.page) == shown
    root.locator("svg text", has_text="heavy").click(force=True)
    root.focus()
    lab.page.keyboard.press("ArrowDown")
    assert about(lab.page).startswith("leaf (")
    lab.page.keyboard.press("Escape")
    assert frames(lab.page) == shown


def test_a_page_on_disk_is_walked_by_keyboard_and_cut_off(offline: Any, tmp_path: Path) -> None:
    file = tmp_path / "icicle.html"
    file.write_text(f"<!doctype html><meta charset=utf-8>{icicle(TREE).html}", encoding="utf-8")
    offline.goto(file.as_uri())
    root = offline.locator(".hpml-icicle")
    assert frames(offline) == 5
    root.focus()
    for key, name in (
        ("ArrowDown", "left"),
        ("ArrowRight", "right"),
        ("ArrowRight", "tiny"),
        ("ArrowRight", "tiny"),
        ("ArrowLeft", "right"),
        ("ArrowLeft", "left"),
        ("ArrowDown", "deep"),
    ):
        offline.keyboard.press(key)
        assert about(offline).startswith(f"{name} (")
    assert "4 calls" in about(offline)
    assert "Call stack: main > left > deep" in about(offline)
    offline.keyboard.press("ArrowUp")
    offline.keyboard.press("Enter")
    assert frames(offline) == 2
    offline.keyboard.press("Escape")
    assert frames(offline) == 5

    offline.locator("[data-set=cutoff]").select_option("100")
    assert frames(offline) == 4
    offline.locator("[data-set=style]").select_option("sunburst")
    assert root.locator("svg path").count() == 4
    offline.locator("[data-set=style]").select_option("icicle")
    offline.locator("[data-set=depth]").select_option("3")
    assert frames(offline) == 4
    assert offline.errors == []


def test_without_a_script_picture_and_table_stand(browser: Any, tmp_path: Path) -> None:
    file = tmp_path / "icicle.html"
    file.write_text(f"<!doctype html><meta charset=utf-8>{icicle(TREE).html}", encoding="utf-8")
    context = browser.new_context(java_script_enabled=False)
    try:
        page = context.new_page()
        page.goto(file.as_uri())
        assert page.locator(".hpml-icicle svg rect").count() == 5
        assert not page.locator(".hpml-icicle-controls").is_visible()
        page.locator("summary", has_text="Heaviest functions").click()
        assert page.locator("td", has_text="left (a.py:5)").is_visible()
    finally:
        context.close()


def test_a_difference_says_times_before_and_after_and_is_accessible(
    offline: Any, tmp_path: Path
) -> None:
    before = Samples(TREE, 100, 1e-3, TREE.total)
    faster = CallTree("main", "a.py:1", 1.0, (CallTree("left", "a.py:7", 20.0),))
    page = profile_difference(before, Samples(faster, 21, 1e-3, 21.0)).icicle()
    file = tmp_path / "difference.html"
    file.write_text(f"<!doctype html><meta charset=utf-8>{page.html}", encoding="utf-8")
    offline.goto(file.as_uri())
    root = offline.locator(".hpml-icicle")
    assert frames(offline) == 5
    fills = root.locator("svg g rect").evaluate_all(
        "boxes => boxes.map(b => b.attributes.fill?.value)"
    )
    root.focus()
    offline.keyboard.press("ArrowDown")
    assert about(offline).startswith(
        "left (a.py:7): 80.0 s → 20.0 s (−60.0 s), own 50.0 s → 20.0 s"
    )
    labels = root.locator("svg text").all_text_contents()
    assert {"main", "− left", "− deep", "− right"} <= set(labels)
    offline.locator("[data-set=style]").select_option("sunburst")
    assert root.locator("svg path").count() == 5
    assert len(set(fills)) > 1
    assert violations(offline, ".hpml-icicle") == []
    assert offline.errors == []
