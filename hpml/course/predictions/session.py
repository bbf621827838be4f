"""Open a lab with `lab_head`, and delete its answers with `forget`."""

from __future__ import annotations

import platform
from dataclasses import dataclass
from pathlib import Path

from hpml.base.environment import environment_record, quick
from hpml.base.errors import describe, is_text
from hpml.base.files import course_folder, user_folder
from hpml.base.page import PAPER, Page, notebook_shell
from hpml.base.tables import Table
from hpml.course.errors import LabError
from hpml.course.predictions.prediction import Lab, current_lab, open_lab
from hpml.course.progress import keep_step


@dataclass(frozen=True)
class LabHead:
    """The head of a lab: what it runs on, and where answers are saved."""

    name: str
    title: str
    table: Table

    def __repr__(self) -> str:
        return f"Lab {self.name}: {self.title}\n{self.table}"

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        return Page(repr(self), PAPER + self.table._repr_html_()).bundle()


def lab_head(number: int | str, title: str) -> LabHead:
    """Open a lab and return its head; it ends the notebook's import cell.

    Args:
        number: the lab's number, or a word for a notebook of your own.
        title: the lab's title.

    Returns:
        A table with the versions, the processor, and the number of answers locked earlier.

    Raises:
        LabError: if `number` or `title` is not valid.

    >>> lab_head("a-note-of-mine", "Trying things out").name
    'a-note-of-mine'
    """
    if not is_text(title):
        raise LabError(f"A lab's title is a text, got {describe(title)}.")
    _ready_for_figures()
    lab = open_lab(lab_name(number), title)
    keep_step(lab.name, "opened")
    return LabHead(lab.name, title, _versions(lab))


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
    return lab.store.forget(lab.name)


def lab_name(number: int | str) -> str:
    """Return the name under which a lab's answers are saved.

    >>> lab_name(7), lab_name("07")
    ('07', '07')
    """
    if isinstance(number, int) and not isinstance(number, bool) and 0 <= number <= 99:
        return f"{number:02d}"
    if isinstance(number, str) and number.strip():
        word = number.strip()
        return f"{int(word):02d}" if word.isascii() and word.isdigit() else word
    raise LabError(f"A lab's number is 0 to 99, or a word; got {describe(number)}.")


def _versions(lab: Lab) -> Table:
    record = environment_record()
    cores = f"{record['logical_cores']} logical, {record['physical_cores'] or 'unknown'} physical"
    rows: list[list[object]] = [
        ["hpml", record["hpml"]],
        ["Python", f"{record['python']} ({record['implementation']})"],
        ["PyTorch", record["torch"] or "not installed"],
        ["NumPy", record["numpy"] or "not installed"],
        ["processor", record["cpu"]],
        ["cores", cores],
        ["GPU", record["gpu"] or "none"],
        ["system", f"{platform.system()} {platform.machine()}"],
    ]
    rows.append(["sizes", "small (HPML_QUICK is set)" if quick() else "full"])
    rows.append(["your answers are kept in", _where(lab)])
    locked = len(lab.store.answers(lab.name))
    rows.append(["answers locked earlier", locked])
    return Table(["this lab runs on", ""], rows, align=["left", "left"])


def _ready_for_figures() -> None:
    """Set matplotlib's backend now, because inside a style context it would be reset at its end."""
    if notebook_shell() is not None:
        import matplotlib as mpl
        import matplotlib.pyplot as plt

        plt.switch_backend(mpl.get_backend())


def _where(lab: Lab) -> str:
    """Return the path of the answers' file, relative to the course or the home folder."""
    path = lab.store.path
    root, home = course_folder(), Path.home()
    if path.is_relative_to(root):
        return str(path.relative_to(root))
    if path.parent == user_folder():
        shown = "~" / path.relative_to(home) if path.is_relative_to(home) else path.name
        return f"{shown}, as the course's folder cannot be written"
    return path.name
