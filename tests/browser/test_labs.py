"""A student at a lab in JupyterLab: runs it, answers a question, fails a check and passes it."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import nbformat
import pytest

from hpml.course.labs.catalogue import choice, exercises, find
from hpml.course.lesson.execute import result_texts
from hpml.course.lesson.exercises.wrong_answers import wrong_answers
from hpml.course.release.slides.deck import deck
from tests.browser.accessibility import violations
from tests.browser.decks import move_all, opened, problems
from tests.notebooks.test_notebooks import UNTOUCHED, UNTOUCHED_OUTPUT

ROOT = Path(__file__).resolve().parents[2]
LABS = sorted((ROOT / "notebooks").glob("*.ipynb"))
# A lab runs once for all of its tests; they stay in one process when tests are shared out.
each_lab = pytest.mark.parametrize("lab", LABS, indirect=True, ids=lambda path: path.stem)
first_lab = pytest.mark.parametrize("lab", LABS[:1], indirect=True, ids=lambda path: path.stem)

WIDGET = "application/vnd.jupyter.widget-view+json"

HEAD = "from hpml.course import calibration, lab_head, predict; from hpml.widgets import explore"
ASK = "guess = predict('How long does one call take?', unit='us', key='call')"


@each_lab
def test_a_lab_runs_from_the_menu_without_an_error(lab: Any) -> None:
    notebook = lab.notebook()
    shown = result_texts(notebook)
    assert shown != ()
    assert not any(text.startswith("Table(") for text in shown), "a result is shown as a table"
    for index, cell in enumerate(notebook.cells):
        for output in cell.get("outputs", ()):
            assert output.output_type != "error", f"cell {index}: {output.evalue}"
            assert output.get("name") != "stderr", f"cell {index}: {output.text}"
            if WIDGET in output.get("data", ()):
                # What has not been in sight may not have been drawn.
                lab.cell(index).locator(".jupyter-widgets").first.wait_for()
    assert lab.page.get_by_text("Error displaying widget").count() == 0
    for name, (_, checked) in checks(lab).items():
        assert f"{name}: not done yet" in lab.cell(checked).inner_text()


@each_lab
def test_no_picture_of_a_lab_lacks_words_for_who_does_not_see_it(lab: Any) -> None:
    for index, cell in enumerate(lab.notebook().cells):
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if any(kind.startswith("image/") for kind in data):
                assert "<img" in data.get("text/html", ""), f"cell {index}: a bare picture"
            assert wordless(data.get("text/html", "")) == [], f"cell {index}"
        assert "![](" not in cell.source, f"cell {index}: ![words](picture)"


# What the decks of these labs let a lecturer move.
MOVES = {
    "02": "hpml-animation stepper",
    "05": "hpml-animation browser",
    "06": "hpml-animation execution",
    "07": "hpml-animation hpml-code-view",
    "09": "hpml-icicle",
    "11": "hpml-animation launches",
}


@each_lab
def test_the_slides_of_a_lab_fit_the_screen_and_move_offline(
    lab: Any, browser: Any, tmp_path: Path
) -> None:
    path = tmp_path / "deck.html"
    path.write_text(deck(lab.notebook()), encoding="utf-8")
    page = opened(browser, path)
    kind = MOVES.get(Path(lab.name).stem[:2], "")
    assert f'class="{kind}' in page.content()
    assert problems(page, least=16) == []
    assert move_all(page) == []
    assert problems(page, least=16) == []
    page.context.close()


@first_lab
def test_what_the_first_lab_shows_is_accessible(lab: Any) -> None:
    found = []
    for index, cell in enumerate(lab.notebook().cells):
        if cell.get("outputs"):
            lab.cell(index).locator(".jp-OutputArea-output").first.wait_for()
            shown = f'.jp-Cell[data-windowed-list-index="{index}"] .jp-OutputArea-output'
            found += [f"cell {index}: {line}" for line in violations(lab.page, shown)]
    assert found == []


def test_a_picture_without_words_is_found() -> None:
    assert wordless('<img alt="A" src="a"><svg role="img" aria-label="A"><g/></svg>') == []
    assert len(wordless('<img src="a"><img alt="" src="a"><svg><g/></svg>')) == 3


@each_lab
def test_a_check_is_failed_and_then_passed(lab: Any) -> None:
    name, (written, checked) = next(iter(checks(lab).items()))
    folder = ROOT / "tests" / "solutions" / f"lab_{number(lab)}" / name
    wrong = wrong_answers(find(name))[0]
    colours = [colour(lab, checked)]

    lab.write(written, wrong.program(name).strip())
    lab.run_cell(checked)
    failed = lab.cell(checked)
    failed.get_by_text(f"✗ {name}: not right yet").wait_for()
    rows = dict(row.split("\t") for row in failed.locator("tr").all_inner_texts())
    assert rows["call"].startswith(f"{name}(")
    assert rows["expected"] != rows["received"]
    assert wrong.diagnosis.replace("`", "") in failed.inner_text()
    colours.append(colour(lab, checked))

    lab.run_cell(checked)  # the same wrong answer once more
    lab.cell(checked).get_by_text(f"hint({name})").wait_for()

    lab.write(written, (folder / "right.py").read_text(encoding="utf-8").strip())
    lab.run_cell(checked)
    lab.cell(checked).get_by_text(f"✓ {name}: right").wait_for()
    assert lab.cell(checked).locator("tr").count() == 0
    colours.append(colour(lab, checked))
    assert len(set(colours)) == 3


@each_lab
def test_an_explanation_asks_and_once_chosen_shows_the_reasons(lab: Any) -> None:
    cells = lab.notebook().cells
    index = next(i for i, cell in enumerate(cells) if "explain(explanation)" in cell.source)
    asked = lab.cell(index)
    asked.get_by_text("Write its number into explanation").wait_for()
    assert asked.locator("tr").count() == 0
    best = choice(number(lab)).best
    lab.write(index, cells[index].source.replace("= None", f"= {best}"))
    asked.get_by_text(f"You chose {best}. Yes, it tells them apart.").wait_for()
    assert asked.locator("tbody tr").count() == choice(number(lab)).experiments


@pytest.mark.parametrize(
    "lab", LABS if os.environ.get("HPML_LONG") else LABS[:1], indirect=True, ids=lambda p: p.stem
)
def test_a_lab_is_walked_to_its_last_point(lab: Any, server: Any, record_property: Any) -> None:
    """With the right solutions; cells that use what was written run again, and no others."""
    start = time.perf_counter()
    cells = nbformat.read(ROOT / "notebooks" / lab.name, as_version=4).cells
    items = exercises(number(lab))
    answers = {item.name: f"def {item.name}(" for item in items} | {"explanation": "explanation = "}
    for name, begins in answers.items():
        code = [index for index, cell in enumerate(cells) if cell.cell_type == "code"]
        written = next(index for index in code if begins in cells[index].source)
        path = ROOT / "tests" / "solutions" / f"lab_{number(lab)}" / name / "right.py"
        right = cells[written].source.replace("= None", f"= {choice(number(lab)).best}")
        lab.write(written, path.read_text(encoding="utf-8").strip() if path.exists() else right)
        uses = [i for i in code if i > written and re.search(rf"\b{name}\b", cells[i].source)]
        for index in uses:
            lab.run_cell(index)
    outputs = [output for cell in lab.notebook().cells for output in cell.get("outputs", ())]
    assert [output.evalue for output in outputs if output.output_type == "error"] == []

    environment = {**os.environ, "HPML_RESULTS": str(server.folder.parent / "results")}
    command = [sys.executable, "-m", "hpml", "progress"]
    shown = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    (row,) = (line for line in shown.stdout.splitlines() if line.startswith(number(lab)))
    # A lab that is on no path has nothing in its second column.
    run, passed, points = re.split(r"\s{2,}", row.strip())[-3:]
    assert (run, passed) == ("to its end", f"{len(answers)} of {len(answers)}")
    # Points for time are the grader's to give.
    full = 1 + sum(sum(item.parts.values()) for item in items if item.core)
    assert re.match(rf"{full:g}( \+ | of )", points), points
    solved = time.perf_counter() - start
    record_property(
        "walk", f"lab {number(lab)}: run in {lab.seconds:.0f} s, solved in {solved:.0f} s"
    )


@each_lab
def test_a_lab_leaves_the_process_and_the_folder_as_they_were(lab: Any, server: Any) -> None:
    """The last test of a lab: it forgets all that the notebook named."""
    lab.add(UNTOUCHED)
    printed = "".join(output.text for output in lab.notebook().cells[-1].outputs)
    assert printed.splitlines() == UNTOUCHED_OUTPUT
    written = [path for path in server.folder.rglob("*") if path.is_file()]
    assert {path.name for path in written if path.suffix != ".ipynb"} == {"LICENSE.md"}


def number(lab: Any) -> str:
    """Return the number of an open lab, as in its file's name."""
    return str(lab.name[:2])


def wordless(html: str) -> list[str]:
    """Return the tags of pictures that say nothing to who does not see them."""
    tags = re.findall(r"<(?:img|svg)\b[^>]*>", html)
    return [t for t in tags if not re.search(r'(?:alt|aria-label)="[^"]|aria-hidden="true"', t)]


def checks(lab: Any) -> dict[str, tuple[int, int]]:
    """Return for each exercise the places of the cell to write in and of the cell that checks."""
    places: dict[str, list[int]] = {}
    for index, cell in enumerate(lab.notebook().cells):
        if "exercise" in cell.metadata.get("tags", ()) and cell.source.startswith("def "):
            (function,) = ast.parse(cell.source).body
            places[function.name] = [index]  # type: ignore[attr-defined]
        for name, place in places.items():
            if cell.source == f"check({name})":
                place.append(index)
    return {name: (written, checked) for name, (written, checked) in places.items()}


def keep_busy(lab: Any) -> None:
    """Let the kernel of `lab` sleep for a second, from now on."""
    lab.page.evaluate(
        "() => { const panel = window.jupyterapp.shell.currentWidget;"
        "panel.sessionContext.session.kernel.requestExecute("
        "{code: 'import time; time.sleep(1)', silent: true, store_history: false}); }"
    )


def colour(lab: Any, index: int) -> str:
    """Return the colour of the bar beside what the cell at `index` shows."""
    bar = lab.cell(index).locator(".jp-OutputArea-output div[style*=border-left]")
    found: str = bar.evaluate("bar => getComputedStyle(bar).borderLeftColor")
    return found


def test_a_prediction_stays_locked_and_outlives_kernel_and_page(scratch: Any, server: Any) -> None:
    lab = scratch
    lab.show(f"{HEAD}\nlab_head('steps', 'Steps')", ASK)
    field = lab.page.get_by_role("textbox", name="in µs:")
    field.fill("three")
    field.press("Enter")
    lab.page.get_by_role("alert").filter(has_text="received 'three'").wait_for()
    field.fill("0.003 ms")
    lab.page.get_by_role("button", name="Lock in").press("Enter")
    lab.saw("Locked: 3 µs.")
    field.wait_for(state="detached")
    lab.add("guess.reveal(0.9)")
    lab.saw("You said 3 µs, the result is 0.9 µs: 3.3 times too high.")

    lab.restart()
    lab.run_all()
    lab.saw("Locked: 3 µs.")
    assert lab.page.get_by_role("textbox", name="in µs:").count() == 0
    assert "Locked after" not in lab.outputs()

    lab.save()
    saved = nbformat.read(server.folder / lab.name, as_version=4)
    shown = [output.data for cell in saved.cells for output in cell.outputs if "data" in output]
    assert not any(WIDGET in data for data in shown)
    assert any("3.3 times too high" in data.get("text/html", "") for data in shown)


def test_what_is_typed_while_the_kernel_works_is_locked_whole(scratch: Any) -> None:
    lab = scratch
    lab.show(f"{HEAD}\nlab_head('busy', 'Busy')", ASK)
    field = lab.page.get_by_role("textbox", name="in µs:")
    field.wait_for()
    keep_busy(lab)
    field.press_sequentially("250", delay=50)
    field.press("Enter")
    lab.saw("Locked: 250 µs.")


def test_a_choice_that_is_changed_while_the_kernel_works_is_locked_as_changed(scratch: Any) -> None:
    lab = scratch
    lab.show(
        f"{HEAD}\nlab_head('changed', 'Changed')",
        "side = predict('B is ...', choices=['faster', 'slower'], key='side')",
    )
    keep_busy(lab)
    for name in ("faster", "slower"):
        lab.page.get_by_role("radio", name=name).check()
    lab.page.get_by_role("button", name="Lock in").click()
    lab.saw("Locked: slower.")


def test_after_an_answer_is_locked_the_keyboard_is_at_its_cell(scratch: Any) -> None:
    lab = scratch
    lab.show(f"{HEAD}\nlab_head('keys', 'Keys')", ASK, "'after', guess.answer")
    field = lab.page.get_by_role("textbox", name="in µs:")
    field.click()
    field.press_sequentially("3")
    field.press("Enter")
    lab.saw("Locked: 3 µs.")
    field.wait_for(state="detached")
    lab.page.wait_for_function("() => document.activeElement.matches('.jp-Cell')")
    lab.page.keyboard.press("Shift+Enter")  # the question's cell
    lab.page.keyboard.press("Shift+Enter")
    lab.saw("('after', 3.0)")
    shown = [output.data.get("text/html", "") for output in lab.notebook().cells[1].outputs]
    assert not any("<script" in text for text in shown)


def test_a_choice_is_made_from_the_keyboard(scratch: Any) -> None:
    lab = scratch
    lab.show(
        f"{HEAD}\nlab_head('choice', 'Choice')",
        "side = predict('B is ...', choices=['faster', 'slower'], key='side')",
    )
    lab.page.get_by_role("button", name="Lock in").press("Enter")
    lab.page.get_by_role("alert").filter(has_text="Choose one of the options first").wait_for()
    lab.page.get_by_role("radio", name="faster").focus()
    lab.page.keyboard.press("ArrowDown")
    lab.page.keyboard.press("Enter")
    lab.saw("Locked: slower.")
    lab.add("side.reveal('slower')")
    lab.saw("So: right.")


def test_a_tall_picture_fits_a_screen(scratch: Any) -> None:
    lab = scratch
    lab.show(
        "from hpml.base.charts import Bar, bars, show\n"
        "show(bars([Bar(f'{n}', n) for n in range(40)], title='Tall'))"
    )
    shown = lab.page.locator("img.hpml-figure").bounding_box()
    drawn = lab.page.locator("img.hpml-figure").evaluate("image => image.naturalHeight")
    assert shown["height"] < 0.86 * lab.page.viewport_size["height"] < drawn
