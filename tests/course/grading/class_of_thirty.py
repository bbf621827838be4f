"""The files of thirty students, as two platforms and many editors name and save them."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.course.labs.catalogue import choice
from hpml.course.lesson.cells import code_cells
from hpml.course.lesson.execute import find_lab
from tests.course.grading.handed_in import notebook

LAB = find_lab("06").name
STEM = LAB.removesuffix(".ipynb")
SOLUTIONS = Path(__file__).resolve().parents[2] / "solutions" / "lab_06"
WRONG = find_lab("06").parents[1] / "hpml/course/labs/lab_06_forward_order/wrong_answers"
NAMES = ("count_calls", "lazy_forward", "ordered_forward")
GIVEN = list(code_cells(find_lab("06").read_text(encoding="utf-8")).values())


@dataclass(frozen=True)
class Work:
    """What one student hands in: files by path, and the cells that count."""

    files: dict[str, bytes]
    cells: Sequence[str] = ()  # none: there is nothing to grade
    row: dict[str, str] = field(default_factory=dict)  # of the roster
    notes: str = ""  # what the instructor reads about it


def solved(name: str) -> str:
    return (SOLUTIONS / name / "right.py").read_text(encoding="utf-8")


def wrong(name: str, key: str) -> str:
    return f"{(WRONG / f'{name}.py').read_text(encoding='utf-8')}\n\n{name} = {key}\n"


def with_checks(*cells: str) -> list[str]:
    return [*cells, *(f"check({name})" for name in NAMES)]


def chosen(number: int) -> str:
    return f"explanation = {number}\nexplain(explanation)"


BEST = choice("06").best
HEAD = "import hpml\nfrom hpml.course import check, explain, lab_head\nlab_head(6, 'The order')"
RIGHT = [HEAD, *with_checks(*map(solved, NAMES)), chosen(BEST)]
PARTLY = [
    HEAD,
    *with_checks(
        solved("count_calls"),
        wrong("lazy_forward", "recursion"),
        "def ordered_forward(order, parents, operations, inputs, output):\n    return 1",
    ),
    chosen(BEST % 3 + 1),
]
LATER = [
    HEAD, solved("count_calls"), "check(count_calls)", solved("lazy_forward"),
    "check(lazy_forward)",
    "def step(*given):\n    return forward(*given)",
    solved("ordered_forward").replace("def ordered_forward(", "def forward("),
    "def ordered_forward(order, parents, operations, inputs, output):\n"
    "    return step(order, parents, operations, inputs, output)",
    "check(ordered_forward)", "def step(n):\n    return n + 1", chosen(BEST),
]  # fmt: skip
BROKEN = [HEAD, "def f(:", "while True:\n    pass", *RIGHT[1:], "1 / 0"]


def written(cells: Sequence[str], **more: Any) -> bytes:
    """Return a notebook's file with other entries at its top."""
    return json.dumps({**json.loads(notebook(*cells)), **more}, ensure_ascii=False).encode()


def of_colab(cells: Sequence[str]) -> bytes:
    """Return a notebook as Colab saves it, with state of widgets that nbconvert refuses."""
    setup = (
        '#@title Set-up { display-mode: "form" }\n!pip -q install hpml-labs\n'
        "from google.colab import drive\ndrive.mount('/content/drive')"
    )
    saved = json.loads(notebook(setup, *cells))
    for number, cell in enumerate(saved["cells"]):
        cell["metadata"] = {"id": f"c{number}", "colab": {"base_uri": "https://localhost:8080/"}}
        cell["source"] = cell["source"].splitlines(keepends=True)
    saved["metadata"] = {
        "colab": {"provenance": [], "gpuType": "T4"},
        "accelerator": "GPU",
        "widgets": {"application/vnd.jupyter.widget-state+json": {"a" * 32: {"model": {}}}},
    }
    return json.dumps(saved, indent=2).encode()


def of_vs_code(cells: Sequence[str]) -> bytes:
    """Return a notebook as VS Code saves it: a text cell with outputs, cells of other languages."""
    saved = json.loads(notebook(*cells))
    for cell in saved["cells"]:
        cell |= {"metadata": {"vscode": {"languageId": "python"}}, "execution_count": None}
    text = {"cell_type": "markdown", "source": "# Mine", "outputs": [], "metadata": {}}
    shell = {"cell_type": "code", "source": "ls -la | wc", "outputs": [],
             "metadata": {"vscode": {"languageId": "shellscript"}}}  # fmt: skip
    saved["cells"] = [text, shell, *saved["cells"]]
    saved |= {"nbformat_minor": 2}
    return json.dumps(saved, indent=1).replace("\n", "\r\n").encode()


def of_jupytext(cells: Sequence[str], mark: str) -> bytes:
    """Return a notebook as Jupytext writes it, in its percent or its light format."""
    head = "# ---\n# jupyter:\n#   jupytext:\n#     text_representation:\n#       extension: .py\n"
    end = "\n# -\n" if mark == "# +" else "\n"
    middle = "".join(f"{mark}\n# %%time\n{cell}{end}\n" for cell in cells)
    return f"{head}# ---\n\n# # A title\n\n# %matplotlib inline\n\n{middle}".encode()


def with_outputs(cells: Sequence[str]) -> bytes:
    saved = json.loads(notebook(*cells))
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 10**7}}
    saved["cells"][1]["outputs"] = [picture, picture]
    return json.dumps(saved).encode()


def of_an_older_release(cells: Sequence[str]) -> bytes:
    """Return a notebook of a release whose packages had other names, in an older format."""
    older = "import hpml\nfrom hpml.lesson import check, explain, lab_head\nfrom hpml.labs import *"
    saved = {
        "nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""},
        "worksheets": [{"cells": [
            {"cell_type": "code", "input": cell, "language": "python", "outputs": []}
            for cell in (older, *cells)
        ]}],
    }  # fmt: skip
    return json.dumps(saved).encode()


def zipped(**files: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return stream.getvalue()


def moodle(name: str, number: int, **works: Any) -> Work:
    """Return the work of a student on Moodle, in a folder of its own."""
    folder = f"{name}_{number}_assignsubmission_file"
    files = {f"{folder}/{path}": data for path, data in works.pop("files").items()}
    row = {"Identifier": f"Participant {number}", "Full name": name}
    return Work(files, row=row, **works)


def canvas(name: str, number: int, files: dict[str, bytes], **works: Any) -> Work:
    """Return the work of a student on Canvas: files that begin with the name and numbers."""
    return Work(
        {f"{name}_{path}": data for path, data in files.items()},
        row={"ID": str(number), "Student": name},
        **works,
    )


BY_MOODLE = {
    "right": moodle("Ada Lovelace", 10021, files={LAB: written(RIGHT)}, cells=RIGHT),
    "partly right": moodle("Bob Stone", 10022, files={LAB: written(PARTLY)}, cells=PARTLY),
    "a helper defined again": moodle("Cy Twombly", 10023, files={LAB: written(LATER)}, cells=LATER),
    "broken cells": moodle("Di Prima", 10024, files={LAB: written(BROKEN)}, cells=BROKEN),
    "untouched": moodle("Eve Arden", 10025, files={LAB: written(GIVEN)}, cells=[HEAD]),
    "empty": moodle("Fay Wray", 10026, files={LAB: b""}, notes="is empty"),
    "no notebook": moodle("Gus Grissom", 10027, files={LAB: b"my homework"}, notes="as JSON"),
    "cut short": moodle("Hal Holbrook", 10028, files={LAB: written(RIGHT)[:-40]}, notes="as JSON"),
    "missing": moodle("Ida Lupino", 10029, files={"notes.txt": b""}, notes="found notes.txt"),
    "a PDF": moodle("Jo March", 10030, files={f"{STEM}.pdf": b"%PDF"}, notes=f"found {STEM}.pdf"),
    "another lab": moodle(
        "Kay Boyle", 10031, files={"07_code_generation.ipynb": written(RIGHT)},
        notes="found 07_code_generation.ipynb",
    ),
    "Colab": moodle("Lee Krasner", 10032, files={f"Copy of {LAB}": of_colab(RIGHT)}, cells=RIGHT),
    "VS Code": moodle("Mae West", 10033, files={LAB: of_vs_code(PARTLY)}, cells=PARTLY),
    "Jupytext, percent": moodle(
        "Nan Shin", 10034, files={f"{STEM}.py": of_jupytext(RIGHT, "# %%")}, cells=RIGHT
    ),
    "Jupytext, light": moodle(
        "Ola Rapace", 10035, files={f"{STEM}.py": of_jupytext(BROKEN, "# +")}, cells=BROKEN
    ),
    "a zipped folder": moodle(
        "Pia Zadora", 10036,
        files={"work.zip": zipped(**{f"my work/{LAB}": written(RIGHT), "my work/a.pdf": b"%PDF"})},
        cells=RIGHT,
    ),
    "a copy of the course": moodle(
        "Ray Charles", 10037, files={f"course/notebooks/{LAB}": written(RIGHT),
                                     "course/results/predictions.json": b"{}",
                                     "course/data/x.json": b"{}"}, cells=RIGHT,
    ),
    "20 MB of outputs": moodle("Sal Mineo", 10038, files={LAB: with_outputs(RIGHT)}, cells=RIGHT),
    "an older release": moodle(
        "Tom Waits", 10039, files={LAB: of_an_older_release(RIGHT[1:])}, cells=RIGHT
    ),
    "the better of two": moodle(
        "Uma Thurman", 10040,
        files={LAB: written(GIVEN), f"{STEM}-Copy1.ipynb": written(RIGHT)}, cells=RIGHT,
    ),
    "a namesake": moodle("Wei Wang", 10041, files={LAB: written(RIGHT)}, cells=RIGHT),
    "the other namesake": moodle("Wei Wang", 10042, files={LAB: written(PARTLY)}, cells=PARTLY),
    "accents": moodle("Zoë Ångström", 10043, files={LAB: written(RIGHT)}, cells=RIGHT),
    "Chinese": moodle("王伟", 10044, files={LAB: written(PARTLY)}, cells=PARTLY),
    "an underscore": moodle("Ana_Maria Lopez", 10045, files={LAB: written(RIGHT)}, cells=RIGHT),
}  # fmt: skip
BY_CANVAS = {
    "late": canvas("xaviercugat", 4711, {f"LATE_4711_998_{LAB}": written(RIGHT)}, cells=RIGHT),
    "two uploads": canvas(
        "yokoono",
        4712,
        {f"4712_999_{LAB}": written(GIVEN), f"4712_1000_{STEM}-1.ipynb": written(RIGHT)},
        cells=RIGHT,
    ),
    "the extension of a browser": canvas(
        "zeppo", 4713, {f"4713_1001_{LAB}.txt": "\ufeff".encode() + written(PARTLY)}, cells=PARTLY
    ),
    "an archive": canvas(
        "harpo", 4714, {"4714_1002_lab.zip": zipped(**{LAB: written(RIGHT)})}, cells=RIGHT
    ),
    "a printed page": canvas("groucho", 4715, {f"4715_1003_{STEM}.html": b"<p>"}, notes="missing"),
}
CLASS = {**BY_MOODLE, **BY_CANVAS}
