"""The command ``hpml grade``: one submission, or a class of them.

The exit code tells whether grading worked, not what was earned: 0 also for a report full of zeros.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

from hpml.base.errors import describe
from hpml.base.files import course_folder, results_folder, write_atomically
from hpml.grading.errors import GradingError
from hpml.grading.report import Report, harmless, points, table, write

__all__ = ["add_arguments", "run"]

# What may be nobody's fault: a file with another name, a machine that was too busy.
_ODD = ("no answer", "not graded", "unreadable")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what the command can be asked."""
    parser.add_argument(
        "path",
        nargs="?",
        metavar="PATH",
        help="a notebook, a folder of notebooks named as the labs, or the number of a lab in "
        "notebooks/ (default: notebooks/)",
    )
    parser.add_argument("--lab", metavar="N", help="only this lab")
    parser.add_argument(
        "--seed", type=_seed, metavar="S", help="seed of the cases (default: random)"
    )
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="write Gradescope's results.json"
    )
    parser.add_argument(
        "--class",
        dest="folder",
        type=Path,
        metavar="FOLDER",
        help="grade every folder and notebook in it",
    )
    parser.add_argument(
        "--jobs", type=_jobs, metavar="J", help="how many at the same time (default: the cores)"
    )
    parser.add_argument(
        "--reports",
        type=Path,
        metavar="DIR",
        help="a report for each of the class; a later run continues (default: in results/)",
    )
    parser.add_argument("--csv", type=Path, metavar="FILE", help="write the class's points as CSV")


def run(options: argparse.Namespace) -> int:
    """Grade what the command line asks for, and print it.

    Returns:
        0 when grading worked, 2 when the arguments do not fit together.
    """
    try:
        wrong = _contradiction(options)
        if wrong:
            print(f"hpml grade: {wrong}", file=sys.stderr)
            return 2
        _grade_class(options) if options.folder is not None else _grade_one(options)
    except GradingError as error:
        print(f"hpml grade: {error}", file=sys.stderr)
        return 1
    return 0


def _contradiction(options: argparse.Namespace) -> str:
    if options.folder is not None:
        if options.path is not None:
            return "expected PATH or --class FOLDER, received both."
        if options.report is not None:
            return "--report is for one submission; a class has --reports DIR."
        return ""
    given = [name for name in ("jobs", "reports", "csv") if getattr(options, name) is not None]
    return f"--{given[0]} is for a class; add --class FOLDER." if given else ""


def _grade_one(options: argparse.Namespace) -> None:
    from hpml.grading.submission import grade

    lab = options.lab
    path = course_folder() / "notebooks" if options.path is None else Path(options.path)
    # A bare number is a lab of the course, unless something of that name lies here.
    if options.path is not None and options.path.isdecimal() and not path.exists():
        if lab is not None:
            raise GradingError("expected the lab once, as PATH or with --lab; received both.")
        lab, path = options.path, course_folder() / "notebooks"
    report = grade(path, lab=lab, seed=options.seed)
    _show(report)
    if options.report is not None:
        _saving(lambda: write(report, options.report), options.report)


def _show(report: Report) -> None:
    print(table(report))
    for item in report.items:
        if "\n" in item.text:
            print(f"\n{item.title}\n  " + item.text.replace("\n", "\n  "))


def _grade_class(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from hpml.grading.classes import as_csv, class_table, grade_class
    from hpml.grading.submission import lab_number

    folder: Path = options.folder
    reports: Path = options.reports or results_folder() / "grading" / folder.resolve().name
    labs = None if options.lab is None else [lab_number(options.lab)]
    began = time.monotonic()
    with tqdm(desc=folder.name, unit="submission", file=sys.stderr, dynamic_ncols=True) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)
            bar.refresh()

        graded = grade_class(
            folder, reports, labs=labs, seed=options.seed, jobs=options.jobs, progress=show
        )
    seconds = time.monotonic() - began
    found = [each.report for each in graded]
    print(class_table(found))
    again = sum(each.again for each in graded)
    rate = f", {points(60 * again / seconds)} a minute" if again else ""
    print(f"{again} graded{rate}; {len(graded) - again} taken from an earlier run.")
    for name in [harmless(each.report.name) for each in graded if each.restored]:
        print(f"The report of {name} was changed by a submission, and has been written again.")
    for name in [harmless(each.report.name) for each in graded if each.changed]:
        print(f"What {name} handed in was changed meanwhile: grade it again from a copy.")
    odd = [harmless(each.name) for each in found if any(i.status in _ODD for i in each.items)]
    if odd:
        print(f"Unreadable, missing or without an answer, look at these: {', '.join(odd)}.")
    print(f"seed {found[0].seed}; a report for each in {reports}")
    if options.csv is not None:
        _saving(lambda: write_atomically(options.csv, as_csv(found)), options.csv)


def _saving(save: Callable[[], None], path: Path) -> None:
    try:
        save()
    except OSError as error:
        raise GradingError(f"{describe(str(path))} cannot be written: {error.strerror}.") from None


def _seed(text: str) -> int:
    if text.isascii() and text.isdecimal() and len(text) <= 18:
        return int(text)
    raise argparse.ArgumentTypeError(f"expected a whole number from 0, received {describe(text)}")


def _jobs(text: str) -> int:
    if text.isascii() and text.isdecimal() and 1 <= int(text) <= 256:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"expected a whole number from 1 to 256, received {describe(text)}"
    )
