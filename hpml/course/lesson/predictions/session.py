"""Open a lab with `lab_head`, and delete its answers with `forget`."""

from __future__ import annotations

import platform
from pathlib import Path

from hpml.base.environment import environment_record
from hpml.base.page import PAPER, Page, notebook_shell
from hpml.base.tables import Table
from hpml.benchmark.advice import begin_report
from hpml.course.files import course_folder, results_folder
from hpml.course.lesson.predictions import store
from hpml.course.lesson.predictions.prediction import current_lab, open_lab
from hpml.course.lesson.progress import KEPT, keep_step
from hpml.course.this_run import quick


def lab_head(number: int | str, title: str) -> Page:
    """Open a lab and return its head; it ends the notebook's import cell.

    Args:
        number: the lab's number, or a word for a notebook of your own.
        title: the lab's title.

    Returns:
        A table with the versions, the processor, and the number of answers locked earlier.

    >>> lab_head("a-note-of-mine", "Trying things out")
    Lab a-note-of-mine: Trying things out
    ...
    """
    _ready_for_figures()
    name = f"{number:02d}" if isinstance(number, int) else number
    open_lab(name)
    keep_step(name, "opened")
    begin_report()
    table = _versions(name)
    return Page(f"Lab {name}: {title}\n{table}", PAPER + table._repr_html_())


def forget() -> int:
    """Delete the locked answers of the open lab; run the questions' cells again to answer again.

    Returns:
        The number of deleted answers.

    >>> _ = lab_head("try-forget", "Trying things out")
    >>> forget()
    0
    """
    lab = current_lab()
    for question in lab.questions.values():
        question.reopen()
    locked = store.answers(lab.name)
    store.forget(lab.name, *locked)
    return len(locked)


def _versions(lab: str) -> Table:
    record = environment_record()
    cores = f"{record['logical_cores']} logical, {record['physical_cores'] or 'unknown'} physical"
    if fast := record["performance_cores"]:
        cores += f" ({fast} performance, {record['efficiency_cores']} efficiency)"
    rows: list[list[object]] = [
        ["hpml", record["hpml"]],
        ["Python", f"{record['python']} ({record['implementation']})"],
        ["PyTorch", record["torch"] or "not installed"],
        ["NumPy", record["numpy"] or "not installed"],
        ["processor", record["cpu"]],
        ["cores", cores],
        ["GPU", record["gpu"] or "none"],
        ["system", f"{platform.system()} {platform.machine()}"],
        ["sizes", "small (HPML_QUICK is set)" if quick() else "full"],
        ["kept on this machine, in", _where()],
        ["kept there", "; ".join(f"{file}: {what}" for file, what in KEPT.items())],
        ["answers locked earlier", len(store.answers(lab))],
    ]
    return Table(["this lab runs on", ""], rows, align=["left", "left"])


def _ready_for_figures() -> None:
    """Set matplotlib's backend now, because inside a style context it would be reset at its end."""
    if notebook_shell() is not None:
        import matplotlib as mpl
        import matplotlib.pyplot as plt

        plt.switch_backend(mpl.get_backend())


def _where() -> str:
    """Return the path of the results folder, relative to the course or the home folder."""
    path, home = results_folder(), Path.home()
    if path.is_relative_to(course_folder()):
        return str(path.relative_to(course_folder()))
    return str("~" / path.relative_to(home)) if path.is_relative_to(home) else path.name
