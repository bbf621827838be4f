"""The book is whole, or it is refused by the name of the lab and the cell; small labs stand in."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from hpml import cli
from hpml.base.charts import Bar, bars, show
from hpml.course.files import data_file
from hpml.course.lesson.execute import labs
from hpml.course.release import figures
from hpml.course.release.book import book_files, executed_labs, write_book
from hpml.course.release.folder import ReleaseError
from tests.parts import raises

Output = pytest.CaptureFixture[str]


def lab(number: str, *cells: nbformat.NotebookNode) -> nbformat.NotebookNode:
    head = new_markdown_cell(
        f"# Lab {number} · Small\n\n**Time**: about 5 minutes.", id=f"{number}-head"
    )
    return new_notebook(cells=[head, *cells])


def markdown(source: str) -> nbformat.NotebookNode:
    return new_markdown_cell(source, id="words")


def ran(source: str, *outputs: nbformat.NotebookNode, **more: object) -> nbformat.NotebookNode:
    given = {"id": "code", "execution_count": 1, "outputs": list(outputs), **more}
    return new_code_cell(source, **given)


def test_labs_link_to_each_other_by_number_by_file_and_by_their_neighbours() -> None:
    said = markdown("See lab 06, [there](06_b.ipynb#words), `lab 06`; lab 05 is this, lab 99 none.")
    files = book_files({"05_a": lab("05", said), "06_b": lab("06", markdown("## End"))})
    page = files["05_a.html"]
    assert 'See <a href="06_b.html">lab 06</a>, <a href="06_b.html#words">there</a>' in page
    assert "<code>lab 06</code>; lab 05 is this, lab 99 none." in page
    assert '<a href="06_b.html">→ Lab 06 · Small</a>' in page
    assert '<a href="05_a.html">← Lab 05 · Small</a>' in files["06_b.html"]
    assert '<a href="06_b.html">Lab 06 · Small</a><br><small>about 5 minutes' in files["index.html"]


def test_a_page_loads_nothing_and_leaves_out_what_needs_a_kernel() -> None:
    control = {
        "application/vnd.jupyter.widget-view+json": {"model_id": "m"},
        "text/plain": "(here)",
    }
    shown = new_output("display_data", {"text/html": "<b>first state</b>"})
    page = book_files(
        {
            "05_a": lab(
                "05",
                ran("explore(x)", new_output("display_data", control), shown),
                ran("predict(1)", id="hidden", metadata={"jupyter": {"source_hidden": True}}),
            )
        }
    )["05_a.html"]
    assert not re.search(r"""(?:src|href)=["'](?!data:|book.css|index.html|#)""", page)
    assert "model_id" not in page
    assert "(here)" in page
    assert "<b>first state</b>" in page
    assert '<span class="n">explore</span>' in page
    assert '<span class="n">predict</span>' not in page


def test_the_search_knows_headings_and_text_with_their_cells() -> None:
    words = markdown("Above.\n\n## How `deep`?\n\nA *chain* of calls")
    files = book_files({"05_a": lab("05", words, ran("print(1)"))})
    sections = json.loads(files["search.js"].partition("= ")[2].partition(";\n")[0])
    assert [section[3:] for section in sections[1:]] == [
        ["Lab 05 · Small", "Above."],
        ["How deep?", "A chain of calls"],
        ["How deep?", "print(1)"],
    ]
    assert [section[2] for section in sections[1:]] == [
        "cell-id=words",
        "How-deep?",
        "cell-id=code",
    ]
    assert all(f'id="{place}"' in files[page] for page, _, place, *_ in sections)


def picture(text: str) -> nbformat.NotebookNode:
    shown = f'<img class="hpml-figure" src="data:," alt="{text}" width="760">'
    return new_output("display_data", {"text/html": shown, "text/plain": text})


def test_pictures_and_widgets_are_numbered_and_their_captions_say_what_they_show() -> None:
    widget = '<div class="hpml-animation plain" role="group" aria-label="Counting">1 2 3</div>'
    shown = [
        picture("Memory. list: 32 MB; array: 8 MB."),
        new_output("display_data", {"text/html": widget}),
    ]
    page = book_files({"05_a": lab("05", ran("draw()", *shown, picture("Graph of 2 values")))})[
        "05_a.html"
    ]
    captions = re.findall(
        r'<figure [^>]*id="(figure-[^"]+)".*?<figcaption>(.*?)</figcaption>', page, re.S
    )
    links = [
        f'<a href="#{place}">Figure {place.removeprefix("figure-")}</a>' for place, _ in captions
    ]
    more = "<details><summary>In words</summary><p>list: 32 MB; array: 8 MB.</p></details>"
    assert [place for place, _ in captions] == ["figure-05.1", "figure-05.2", "figure-05.3"]
    assert [text for _, text in captions] == [
        f"{links[0]}. Memory.{more}",
        links[1],
        f"{links[2]}. Graph of 2 values.",
    ]


def test_a_caption_is_the_title_of_the_picture_where_it_has_one() -> None:
    threads = bars([Bar("thread A", 1.0)], title="Switches: 7")
    words = "A bar: the thread was executing. Both at once: never."
    drawn = new_output("display_data", {"text/html": show(threads, text=words).html})
    icicle = (
        '<div class="hpml-icicle"><div class="hpml-icicle-picture">'
        '<svg viewBox="0 0 1 1" role="img" aria-label="Calls by time"></svg></div></div>'
    )
    cell = ran("draw()", drawn, new_output("display_data", {"text/html": icicle}))
    page = book_files({"05_a": lab("05", cell)})["05_a.html"]
    titles = re.findall(r"<figcaption><a [^>]*>Figure [\d.]+</a>\. (.*?)\.<", page)
    assert titles == ["Switches: 7", "Calls by time"]
    assert f"<summary>In words</summary><p>{words}</p>" in page


def test_the_set_up_is_folded_but_not_its_pictures() -> None:
    table = new_output("execute_result", {"text/html": "<b>versions</b>"}, execution_count=1)
    cell = ran('import torch\n\nlab_head(5, "Small")', picture("Layers."), table)
    page = book_files({"05_a": lab("05", cell, ran("x = 1", id="next"))})["05_a.html"]
    folded = re.search(r"<details class=.hpml-folded.>(.*?)</details>", page, re.S)
    assert folded is not None
    assert "lab_head" in folded[1]
    assert "versions" in folded[1]
    assert "figure-05.1" not in folded[1]
    assert page.index("versions") < page.index("figure-05.1") < page.index('"n">x<')


def test_the_picture_at_the_top_is_the_one_that_its_link_leads_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(figures, "HEROES", {"05": "code"})
    small = lab("05", ran("draw()", picture("Two boxes."), picture("Three boxes.")))
    small.cells[0].source = "# Lab 05 · Small\n\nWhat it is about.\n\nAfter it you can\n\n- read."
    page = book_files({"05_a": small})["05_a.html"]
    top = re.search(r'<figure class="hpml-hero">(.*?)</figure>', page, re.S)
    assert top is not None
    assert 'alt="Two boxes."' in top[1]
    assert '<a href="#figure-05.1">Figure 05.1</a>' in top[1]
    assert page.index("What it is about.") < top.start() < page.index("After it you can")
    monkeypatch.setattr(figures, "HEROES", {"05": "another"})
    assert "hpml-hero" not in book_files({"05_a": small})["05_a.html"]


@pytest.mark.parametrize(("number", "cell"), figures.HEROES.items())
def test_a_lab_has_the_cell_of_its_picture_and_a_place_for_it(number: str, cell: str) -> None:
    (path,) = (path for path in labs() if path.name.startswith(number))
    notebook = nbformat.read(path, as_version=4)
    assert [each.cell_type for each in notebook.cells if each.id == cell] == ["code"]
    assert "\n\nAfter it you can\n" in notebook.cells[0].source


@pytest.mark.parametrize(
    ("cell", "received"),
    [
        (ran("1 / 0", new_output("error", ename="ValueError", evalue="by zero", traceback=[])),
         "ValueError: by zero"),
        (new_code_cell("x = 1", id="code"), "not"),
    ],
)  # fmt: skip
def test_what_is_broken_is_named_and_nothing_is_written(
    cell: nbformat.NotebookNode, received: str, tmp_path: Path
) -> None:
    name = "lab 05_a, cell code under “Lab 05 · Small”"
    with raises(ReleaseError, object=name, received=received, remedy="hpml run 05"):
        write_book(tmp_path / "book", {"05_a": lab("05", cell)})
    assert list(tmp_path.iterdir()) == []


def test_the_command_executes_the_labs_or_takes_copies_of_them_as_they_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    home, copies, out = tmp_path / "course", tmp_path / "copies", tmp_path / "out"
    (home / "data").mkdir(parents=True)
    shutil.copy(data_file("published_results.json"), home / "data")
    path = home / "notebooks" / "05_a.ipynb"
    path.parent.mkdir()
    monkeypatch.setenv("HPML_HOME", str(home))
    nbformat.write(lab("05", new_code_cell("print(6 * 7)", id="code")), path)
    run_it = f"hpml run 05 --out {copies}"
    with raises(ReleaseError, object=str(copies), expected="05_a", remedy=run_it) as caught:
        executed_labs(copies, [path])
    assert cli.main(["book", str(out), "--executed", str(copies)]) == 1
    assert capsys.readouterr().err == f"hpml book: {caught.value}\n"
    assert cli.main(["run", "05", "--out", str(copies)]) == 0
    assert cli.main(["book", str(out), "--executed", str(copies)]) == 0
    assert "42" in (out / "05_a.html").read_text(encoding="utf-8")
    nbformat.write(lab("06"), path.with_name("06_b.ipynb"))
    assert cli.main(["book", str(out), "--executed", str(copies)]) == 0
    assert "Not in the book, because there is no executed copy: 06_b" in capsys.readouterr().out
    path.with_name("06_b.ipynb").unlink()

    nbformat.write(lab("05", new_code_cell("1 / 0", id="code")), path)
    with raises(ReleaseError, object=f"the copy of lab 05_a in {copies}", remedy=run_it):
        executed_labs(copies, [path])
    with raises(ReleaseError, object="05_a", received="ZeroDivisionError", remedy="hpml run 05"):
        executed_labs(None, [path])
    assert cli.main(["book", str(out)]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert "42" in (out / "05_a.html").read_text(encoding="utf-8")
