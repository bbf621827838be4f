"""The command ``hpml``, a thin layer over functions that notebooks can call too.

All its commands are the course's. It is beside `hpml.course`, not in it, because the command is
named after the whole package, as in ``python -m hpml``.

Each subcommand imports what it needs when it runs, so ``hpml --help`` is fast. Exit codes: 0 done,
1 something failed (a cell, a missing requirement), 2 wrong arguments, 130 interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import hpml
from hpml.base.errors import HpmlError, UsageError
from hpml.base.files import shown_path
from hpml.base.system import print_words_for_signs
from hpml.course.arguments import whole

if TYPE_CHECKING:
    from hpml.course.suites.suite import Suite


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: the words after ``hpml``; by default those of this process.

    >>> main(["--version"])
    hpml 1.0.0
    0
    """
    parser = _parser()
    print_words_for_signs()
    try:
        options = parser.parse_args(arguments)
        if not hasattr(options, "run"):
            parser.print_help()
            return 0
        return int(options.run(options))
    except (HpmlError, OSError) as error:
        print(f"hpml {options.command}: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 1
    except KeyboardInterrupt:
        print("hpml: interrupted", file=sys.stderr)
        return 130
    except SystemExit as leaving:  # argparse exits this way, also after --help
        return leaving.code if isinstance(leaving.code, int) else 2


class _Parser(argparse.ArgumentParser):
    """A parser whose help ends with an example; `declare` adds its options at first use."""

    def __init__(
        self,
        *,
        example: str = "",
        declare: Callable[[Any], None] | None = None,
        **keywords: Any,
    ) -> None:
        super().__init__(
            epilog=f"example:\n  {example}" if example else None,
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **keywords,
        )
        self._declare = declare

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        declare, self._declare = self._declare, None
        if declare is not None:
            declare(self)
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:  # argparse would report it for `hpml`, whose help does not list the options
            self.error(f"unrecognized arguments: {' '.join(unknown)}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\nTry `{self.prog} --help`.\n")


def _parser() -> _Parser:
    parser = _Parser(
        prog="hpml",
        description="Measure, understand and improve the performance of Python and PyTorch.",
        example="hpml lab",
    )
    parser.add_argument("--version", action="version", version=f"hpml {hpml.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", dest="command")
    for name, (brief, description, example, declare) in _COMMANDS.items():
        commands.add_parser(
            name, help=brief, description=description, example=example, declare=declare
        )
    return parser


def _declare_lab(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-browser", action="store_true", help="only print the address")
    parser.add_argument(
        "--port",
        type=whole(1, 65535),
        metavar="N",
        help="the port to listen on (default: a free one)",
    )
    parser.set_defaults(run=_lab)


def _declare_command(module_name: str, parser: argparse.ArgumentParser) -> None:
    """Declare a command whose module has ``add_arguments(parser)`` and ``run(options)``."""
    module = importlib.import_module(module_name)
    module.add_arguments(parser)
    parser.set_defaults(run=module.run)


def _declare_bench(parser: argparse.ArgumentParser) -> None:
    from hpml.course.suites import SUITES

    parser.set_defaults(run=_list_suites)
    suites = parser.add_subparsers(title="suites", metavar="SUITE")
    for name, (module, summary) in SUITES.items():
        command = f"hpml bench {name}"
        declare = partial(_declare_suite, module)
        suites.add_parser(name, help=summary, description=summary, example=command, declare=declare)


def _declare_suite(module_name: str, parser: argparse.ArgumentParser) -> None:
    suite: Suite = importlib.import_module(module_name).SUITE
    suite.add_arguments(parser)
    parser.set_defaults(run=suite.main)


def _declare_progress(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    whose = "show and write what a class did instead, from the records in this folder or its zips"
    add("--class", dest="folder", type=Path, metavar="FOLDER", help=whose)
    where = "with --class, the folder for observed.csv and observed.md (default: results/class)"
    add("--out", type=Path, metavar="FOLDER", help=where)
    parser.set_defaults(run=_progress)


def _declare_release(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", type=Path, metavar="OUT", help="new, empty, or an earlier release")
    where = "address from which students install this copy with git, for README and notebooks"
    parser.add_argument("--address", default="", metavar="URL", help=where)
    parser.set_defaults(run=_release)


def _declare_book(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("out", type=Path, metavar="OUT", help="new, empty, or an earlier book")
    source = parser.add_mutually_exclusive_group()
    source.add_argument("--executed", type=Path, metavar="DIR", help=_COPIES)
    instructor = "write plans, solutions, answers and exam questions instead"
    source.add_argument("--instructor", action="store_true", help=instructor)
    parser.set_defaults(run=_book)


def _declare_slides(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("lab", metavar="LAB", help="number or name, as for `hpml run`")
    parser.add_argument("out", type=Path, metavar="OUT", help="folder for the page")
    parser.add_argument("--executed", type=Path, metavar="DIR", help=_COPIES)
    parser.set_defaults(run=_slides)


def _declare_doctor(parser: Any) -> None:
    tried = "try the GPU: models, timing, recipes, resuming; with or without its name, as cuda:1"
    parser.add_argument("--accelerator", nargs="?", const="", metavar="DEVICE", help=tried)
    kept = "with --accelerator, the file for the report"
    parser.add_argument("--out", type=Path, metavar="FILE", help=kept)
    parser.set_defaults(run=_doctor)


_COPIES = "use the copies that `hpml run --out` left in this folder"

_COMMANDS: dict[str, tuple[str, str, str, Callable[[Any], None]]] = {
    "lab": (
        "open the course in JupyterLab",
        "Open the course in JupyterLab, on this machine only. Ctrl-C stops it.",
        "hpml lab --no-browser",
        _declare_lab,
    ),
    "doctor": (
        "show what this machine has for the course",
        "Show what this machine has, and what each missing part costs.\n"
        "The exit code is 1 if something that the course requires is missing.",
        "hpml doctor\n  hpml doctor --accelerator --out accelerator.json",
        _declare_doctor,
    ),
    "run": (
        "execute a lab without opening it",
        "Execute a copy of a lab from top to bottom and print its result tables.\n"
        "With --verdicts, print instead which of its conclusions differ between runs.",
        "hpml run 07 --repeat 10 --verdicts",
        partial(_declare_command, "hpml.course.lesson.command"),
    ),
    "grade": (
        "points for a submission, or for a class",
        "Grade a submission, or with --class a folder of them. Each exercise runs in its own\n"
        "process. The exit code is 0 if grading worked, whatever the points.",
        "hpml grade 06\n  hpml grade --class submissions --lab 06 --csv points.csv",
        partial(_declare_command, "hpml.course.grading.command"),
    ),
    "bench": (
        "run a benchmark suite",
        "Run a benchmark suite; without one, list them.",
        "hpml bench deep-linear --layers 250 500",
        _declare_bench,
    ),
    "train": (
        "train a network by a recipe",
        "Train a ConvNeXt or a transformer by a recipe: vanilla, compile, amp, compile+amp, ...\n"
        "Ctrl-C leaves a checkpoint; --resume continues from it. On several processes:\n"
        "  torchrun --nproc-per-node 2 -m hpml train vanilla",
        "hpml train compile+amp --data digits --epochs 4\nhpml train bf16 --model transformer",
        partial(_declare_command, "hpml.course.suites.train"),
    ),
    "progress": (
        "which labs were run, which exercises passed",
        "Show which labs were run, which exercises passed, and the points so far.\n"
        "With --class, collect minutes, checks, wrong answers and predictions of students.",
        "hpml progress\n  hpml progress --class ../submissions",
        _declare_progress,
    ),
    "release": (
        "make the students' copy of the course",
        "Write the course without the right solutions, as a folder and a zip. A wheel of it lies\n"
        "beside the notebooks, so that a notebook can be handed out with the wheel alone.",
        "hpml release ../students --address https://github.com/OWNER/REPOSITORY",
        _declare_release,
    ),
    "book": (
        "make static pages of all labs",
        "Execute the labs and write them as pages that need no server and no network.",
        "hpml book ../pages",
        _declare_book,
    ),
    "slides": (
        "make a lecture deck of a lab",
        "Write a lab's questions, pictures, widgets and results as slides: one page that needs no\n"
        "network. Arrow keys go from slide to slide; S opens the speaker's notes.",
        "hpml slides 07 ../slides",
        _declare_slides,
    ),
}


def _lab(options: argparse.Namespace) -> int:
    from hpml.course.server import serve

    return serve(browser=not options.no_browser, port=options.port)


def _doctor(options: argparse.Namespace) -> int:
    if options.accelerator is not None:
        return _accelerator(options.accelerator, options.out)
    if options.out is not None:
        raise _out_alone("--accelerator")
    from hpml.course.doctor import report

    found = report()
    print(found)
    return 0 if found.ok else 1


def _accelerator(name: str, out: Path | None) -> int:
    from hpml.base import accelerator
    from hpml.course.accelerator_check import verify

    if not name and accelerator.kind() is None:
        print("There is no GPU that PyTorch can use: nothing was tried.")
        return 1
    found = verify(str(accelerator.chosen(name or None)))
    print(found)
    if out is not None:
        found.save(out)
        print(f"The report is in {shown_path(out)}.")
    return 0 if found.ok else 1


def _progress(options: argparse.Namespace) -> int:
    from hpml.course.labs.overview import course_table, progress

    if options.folder is not None:
        return _class_progress(options.folder, options.out)
    if options.out is not None:
        raise _out_alone("--class")
    print(progress())
    table = course_table()
    if table.rows:
        print(f"\n{table}")
    return 0


def _out_alone(needed: str) -> UsageError:
    """Return the error for ``--out`` without the option whose result it is for."""
    return UsageError(
        object="--out",
        expected=f"{needed} beside it",
        received="none",
        remedy=f"Add {needed}, or leave --out out.",
    )


def _class_progress(folder: Path, out: Path | None) -> int:
    from hpml.course.files import results_folder
    from hpml.course.observed.page import class_tables, write_observed
    from hpml.course.observed.records import read_class

    records = read_class(folder)
    written = write_observed(records, out or results_folder() / "class")
    print(*class_tables(records), sep="\n\n")
    print("", *records.notes, sep="\n")
    count = len(records.students)
    print(
        f"Records of {count} student{'s' * (count != 1)}. Minutes, checks and wrong answers: "
        f"{' and '.join(map(shown_path, written))}"
    )
    return 0


def _release(options: argparse.Namespace) -> int:
    from hpml.course.files import course_folder
    from hpml.course.release.student_copy import not_handed_out, release

    archive = release(options.out, options.address)
    for name in not_handed_out(course_folder()):
        print(f"Left out, because git does not know it: {name}")
    print(f"The students' copy is {shown_path(options.out)} and {shown_path(archive)}")
    return 0


def _book(options: argparse.Namespace) -> int:
    if options.instructor:
        from hpml.course.release.teaching import make_teaching

        make_teaching(options.out)
    else:
        from hpml.course.release.book import make_book

        make_book(options.out, options.executed)
    return 0


def _slides(options: argparse.Namespace) -> int:
    from hpml.course.release.slides.deck import make_slides

    make_slides(options.lab, options.out, options.executed)
    return 0


def _list_suites(options: argparse.Namespace) -> int:
    from hpml.course.suites import SUITES

    width = max(map(len, SUITES))
    print("Benchmark suites, each with its own --help:")
    for name, (_, summary) in SUITES.items():
        print(f"  hpml bench {name:<{width}}  {summary}")
    return 0
