"""The command ``hpml grade``, for one submission or a class.

The exit code says whether grading worked: a report full of zeros exits with 0.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path

from hpml.base.files import write_atomically
from hpml.course.arguments import whole
from hpml.course.files import course_folder
from hpml.course.grading import BadRequest, GradingError
from hpml.course.grading.judge import harmless, points
from hpml.course.grading.report import as_table, write_feedback_zip, write_gradescope

_FOR_A_CLASS = (
    "jobs",
    "reports",
    "csv",
    "only",
    "override",
    "roster",
    "canvas",
    "moodle",
    "feedback",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options of the command."""
    add = parser.add_argument
    paths = "a notebook, a folder of notebooks, or a lab's number (default: notebooks/)"
    add("path", nargs="?", metavar="PATH", help=paths)
    add("--lab", metavar="N", help="only this lab")
    add("--seed", type=whole(0, 10**18), metavar="S", help="seed of the cases (default: random)")
    add("--report", type=Path, metavar="FILE", help="write Gradescope's results.json")
    another = "run PATH in bubblewrap, or as another user (root only)"
    kinds = ("bubblewrap", "user")
    add("--sandbox", nargs="?", const=kinds[0], default="none", choices=kinds, help=another)
    each = "grade every folder and notebook in it, in bubblewrap"
    add("--class", dest="folder", type=Path, metavar="FOLDER", help=each)
    add("--jobs", type=whole(1, 256), metavar="J", help="graded side by side (default: all cores)")
    add("--reports", type=Path, metavar="DIR", help="folder of the reports, and to continue from")
    add("--only", nargs="+", metavar="NAME", help="grade these submissions again")
    overrides = "CSV of score overrides: student,exercise,points,comment"
    add("--override", type=Path, metavar="CSV", help=overrides)
    add("--csv", type=Path, metavar="FILE", help="write the class's points as CSV")
    add("--roster", type=Path, metavar="CSV", help="the platform's list of students")
    add("--canvas", type=Path, metavar="FILE", help="write the CSV that Canvas imports")
    add("--moodle", type=Path, metavar="FILE", help="write the CSV that Moodle imports")
    feedback = "write a zip of feedback pages for Canvas and Moodle"
    add("--feedback", type=Path, metavar="ZIP", help=feedback)
    add("--gradescope", type=Path, metavar="ZIP", help="write Gradescope's autograder for --lab")


def run(options: argparse.Namespace) -> int:
    """Run the command and print its result."""
    _refuse_contradictions(options)
    # SIGTERM works as Ctrl-C: all child processes end.
    signal.signal(signal.SIGTERM, _interrupted)
    try:
        if options.gradescope is not None:
            from hpml.course.grading.platforms.gradescope import write_autograder

            write_autograder(options.gradescope, options.lab)
        elif options.folder is not None:
            _grade_class(options)
        else:
            _grade_one(options)
    except OSError as error:  # most likely a file that cannot be written
        raise GradingError(
            f"{error}.",
            object=str(error.filename2 or error.filename or "a file"),
            expected="a file that can be read or written",
            received=str(error.strerror or error),
            remedy="Name another file, or change its permissions.",
        ) from None
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return 0


def _interrupted(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def _refuse_contradictions(options: argparse.Namespace) -> None:
    given = [name for name in _FOR_A_CLASS if getattr(options, name) is not None]
    if options.folder is None:
        if given:
            raise BadRequest(
                object=f"--{given[0]}",
                expected="--class FOLDER",
                received="one submission",
                remedy="Add --class FOLDER.",
            )
    elif options.path is not None:
        raise BadRequest(
            object="submission",
            expected="PATH or --class FOLDER",
            received="both",
            remedy="Leave one out.",
        )
    elif options.report is not None:
        raise BadRequest(
            object="--report",
            expected="one submission",
            received="--class FOLDER",
            remedy="Use --reports DIR for a class.",
        )
    elif {"canvas", "moodle"}.intersection(given) and options.roster is None:
        raise BadRequest(
            object="--canvas and --moodle",
            expected="the list of students",
            received="none",
            remedy="Add --roster CSV.",
        )


def _grade_one(options: argparse.Namespace) -> None:
    from hpml.course.grading.find import find, lab_number
    from hpml.course.grading.grader import Grader
    from hpml.course.grading.unpack import place_for_zips

    path, lab = options.path, options.lab
    # A bare number is a lab of the course, unless a file of that name exists.
    if path is not None and path.isdecimal() and not Path(path).exists():
        if lab is not None:
            raise BadRequest(
                object="lab",
                expected="the lab once, as PATH or with --lab",
                received="both",
                remedy="Leave one out.",
            )
        path, lab = None, path
    folder = course_folder() / "notebooks" if path is None else Path(path)
    number = None if lab is None else lab_number(lab)
    with place_for_zips() as place:
        submission = find(folder, lab=number, unpacked=place)
        with Grader(isolation=options.sandbox) as grader:
            report = grader.grade(submission, options.seed)
    print(as_table(report))
    for item in report.items:
        if "\n" in item.text:
            print(f"\n{item.title}\n  " + item.text.replace("\n", "\n  "))
    if options.seed is not None:
        print(f"seed {options.seed}")
    if options.report is not None:
        write_gradescope(report, options.report)


def _grade_class(options: argparse.Namespace) -> None:
    from tqdm import tqdm

    from hpml.course.grading import tables
    from hpml.course.grading.classes import grade_class, reports_of
    from hpml.course.grading.find import lab_number
    from hpml.course.grading.platforms import roster as lists

    folder: Path = options.folder
    reports: Path = options.reports or reports_of(folder)
    roster = None if options.roster is None else lists.read_roster(options.roster)
    began = time.monotonic()
    with tqdm(desc=folder.name, unit="submission", file=sys.stderr, dynamic_ncols=True) as bar:

        def show(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)
            bar.refresh()

        found = grade_class(
            folder,
            reports,
            lab=None if options.lab is None else lab_number(options.lab),
            seed=options.seed,
            jobs=options.jobs,
            only=options.only or (),
            overrides=options.override,
            progress=show,
        )
    minutes = (time.monotonic() - began) / 60
    graded = [each.report for each in found.graded]
    print(tables.class_table(graded))
    print(tables.statistics(graded))
    again = sum(each.again for each in found.graded)
    rate = f", {points(again / minutes)} a minute" if again else ""
    print(f"{again} graded{rate}; {len(graded) - again} taken from an earlier run.")
    for name in [each.report.shown for each in found.graded if each.forged]:
        print(f"The record of {name} was not written by this grader, so it was graded again.")
    _print_list("Look at these:", tables.look_at(graded))
    left_out = "Left out, because there is no notebook of the lab:"
    _print_list(left_out, [*map(harmless, found.left_out)])
    _print_list("Byte-identical notebooks:", [", ".join(map(harmless, a)) for a in found.alike])
    older = [each.report.shown for each in found.graded if each.older]
    _print_list("Older than the submission or the grader, and not graded again:", older)
    _print_list("Handed in late, by the platform's mark:", tables.late(graded))
    if found.overrides:
        print(f"Overrides in force: {tables.by_lab(found.overrides)}")
    print(f"Feedback pages, records and seeds are in {reports}")
    if options.csv is not None:
        # With the mark by which spreadsheets recognise UTF-8.
        write_atomically(options.csv, "\ufeff" + tables.as_csv(graded))
    if options.feedback is not None:
        write_feedback_zip(graded, options.feedback)
    if roster is not None:
        students = lists.matched(graded, roster)
        print(f"Matched with the roster: {lists.in_words(students) or 'none'}.")
        _print_list("Not in the roster:", lists.not_in_roster(graded, students))
        without = lists.without_submission(students)
        _print_list("In the roster, without a submission:", without)
        _print_list("Names that several rows have:", lists.namesakes(students))
        damaged = "Numbers that a spreadsheet rewrote; export the roster again, as text:"
        _print_list(damaged, lists.damaged(students))
        if options.canvas is not None:
            write_atomically(options.canvas, tables.for_canvas(graded, students))
        if options.moodle is not None:
            write_atomically(options.moodle, tables.for_moodle(students))


def _print_list(title: str, lines: list[str]) -> None:
    if lines:
        print("\n  ".join([title, *lines]))
