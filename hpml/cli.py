"""The command ``hpml``: thin, so that whatever it does can also be done from a notebook.

Each subcommand imports what it needs when it runs; ``hpml --help`` is there at once. Exit codes:
0 done, 1 something failed (a cell, a missing requirement), 2 the arguments make no sense, 130
interrupted.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import hpml
from hpml.base.errors import HpmlError, describe
from hpml.base.files import results_folder, shown_path, write_atomically
from hpml.suites.train import add_train_command

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hpml.course.execute import Execution


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    Args:
        arguments: the words after ``hpml``; those of this process without it.

    >>> main(["--version"])
    hpml 0.1.0
    0
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    try:
        # A parser of its own, which is imported with what it is about.
        if words[:1] == ["grade"]:
            return _grade(words[1:])
        # A suite has a parser of its own, so that its options show in its own help.
        if words[:1] == ["bench"] and len(words) > 1 and not words[1].startswith("-"):
            return _bench(words[1], words[2:])
        options = _parser().parse_args(words)
        code: int = options.run(options)
    except HpmlError as error:
        print(f"hpml: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("hpml: interrupted", file=sys.stderr)
        return 130
    except SystemExit as leaving:  # argparse leaves by it, also after --help
        return leaving.code if isinstance(leaving.code, int) else 2
    return code


class _Parser(argparse.ArgumentParser):
    """A parser whose help keeps its example on a line of its own, and whose errors point to it."""

    def __init__(self, *, example: str = "", **keywords: Any) -> None:
        super().__init__(
            epilog=f"example:\n  {example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
            allow_abbrev=False,
            **keywords,
        )

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog}: {message}\nTry `{self.prog} --help`.\n")


def _parser() -> _Parser:
    parser = _Parser(
        prog="hpml",
        description="Measure, understand and improve the performance of Python and PyTorch.",
        example="hpml lab",
    )
    parser.add_argument("--version", action="version", version=f"hpml {hpml.__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)

    lab = commands.add_parser(
        "lab",
        help="open the course in JupyterLab",
        description="Open the course in JupyterLab, on this machine only. Ctrl-C stops it.",
        example="hpml lab --no-browser",
    )
    lab.add_argument("--no-browser", action="store_true", help="only print the address")
    lab.add_argument(
        "--port", type=_port, metavar="N", help="the port to listen on (default: a free one)"
    )
    lab.set_defaults(run=_lab)

    doctor = commands.add_parser(
        "doctor",
        help="what this machine can do for the course",
        description="Show what this machine has, and what each missing thing costs.\n"
        "Exit code 1 if something the course requires is missing.",
        example="hpml doctor --json",
    )
    doctor.add_argument("--json", action="store_true", help="print it as JSON")
    doctor.set_defaults(run=_doctor)

    run = commands.add_parser(
        "run",
        help="execute a lab without opening it",
        description="Execute a copy of a lab from top to bottom and print its result tables.\n"
        "With --verdicts, say instead which of its conclusions differ between runs.",
        example="hpml run 07 --repeat 10 --verdicts",
    )
    run.add_argument("lab", metavar="LAB", help="its number or name: 7, 07, 07_code_generation")
    run.add_argument(
        "--out", type=Path, metavar="DIR", help="where the copy goes (default: results/)"
    )
    run.add_argument(
        "--timeout",
        type=_seconds,
        default=900.0,
        metavar="S",
        help="seconds for each run of the lab (default: 900)",
    )
    run.add_argument(
        "--repeat", type=_count, default=1, metavar="N", help="run it N times (default: 1)"
    )
    run.add_argument(
        "--verdicts",
        action="store_true",
        help="count the conclusions that its cells tagged verdict draw, numbers taken out",
    )
    run.set_defaults(run=_run)

    grade = commands.add_parser(
        "grade",
        help="points for a submission, or for a class",
        description="Grade a submission, or with --class a folder of them.",
        example="hpml grade 06",
    )
    grade.set_defaults(run=lambda options: _grade([]))

    bench = commands.add_parser(
        "bench",
        usage="hpml bench [-h] [SUITE ...] [--compare A B]",
        help="run a benchmark suite",
        description="Run a benchmark suite; without one, list them.\n"
        "`hpml bench SUITE --help` shows what a suite can be asked.",
        example="hpml bench deep-linear --layers 250 500",
    )
    bench.add_argument(
        "--compare", nargs=2, metavar=("A", "B"), help="show two result files side by side"
    )
    bench.set_defaults(run=_compare_or_list)

    add_train_command(commands)

    progress = commands.add_parser(
        "progress",
        help="which labs were run, which exercises passed",
        description="Show which labs were run, which exercises passed, and the points so far.",
        example="hpml progress",
    )
    progress.set_defaults(run=_progress)

    release = commands.add_parser(
        "release",
        help="make the students' copy of the course",
        description="Write the course without the right solutions, as a folder and a zip.",
        example="hpml release ../students",
    )
    release.add_argument("out", type=Path, metavar="OUT", help="new, empty, or an earlier release")
    release.set_defaults(run=_release)

    book = commands.add_parser(
        "book",
        help="make static pages of all labs",
        description="Execute the labs and write them as pages that need no server and no network.",
        example="hpml book ../pages",
    )
    book.add_argument("out", type=Path, metavar="OUT", help="new, empty, or an earlier book")
    book.add_argument(
        "--executed",
        type=Path,
        metavar="DIR",
        help="take the copies that `hpml run --out` left here",
    )
    book.set_defaults(run=_book)

    profile = commands.add_parser(
        "profile",
        help="open a saved profile in SnakeViz",
        description="Open a saved profile in SnakeViz, which this machine alone can reach.",
        example="hpml profile nn.prof",
    )
    profile.add_argument("file", metavar="FILE", help="as python -m cProfile -o FILE wrote it")
    profile.add_argument("--no-browser", action="store_true", help="only print the address")
    profile.add_argument("--port", type=_port, default=8080, help="where to listen (%(default)s)")
    profile.set_defaults(run=_profile)
    return parser


def _lab(options: argparse.Namespace) -> int:
    from hpml.server import serve

    return serve(browser=not options.no_browser, port=options.port)


def _doctor(options: argparse.Namespace) -> int:
    from hpml.doctor import report

    found = report()
    print(found.as_json() if options.json else found)
    return 0 if found.ok else 1


def _run(options: argparse.Namespace) -> int:
    from hpml.course.execute import LabNotFoundError, find_lab

    try:
        path = find_lab(options.lab)
    except LabNotFoundError as error:
        print(f"hpml run: {error}", file=sys.stderr)
        return 2
    folder: Path = options.out or results_folder()
    if folder.exists() and not folder.is_dir():
        received = describe(str(folder))
        print(f"hpml run: --out: expected a folder, received the file {received}", file=sys.stderr)
        return 2
    runs = []
    for _ in range(options.repeat):
        runs.append(_execute_with_bar(path, options.timeout))
        if code := _report_run(runs[-1], folder / path.name, tables=not options.verdicts):
            return code
    if options.verdicts:
        from hpml.course.verdicts import count_verdicts, verdicts_of

        print(count_verdicts(verdicts_of(run.notebook) for run in runs))
    return 0


def _execute_with_bar(path: Path, timeout: float) -> Execution:
    from tqdm import tqdm

    from hpml.course.execute import execute

    with tqdm(desc=path.stem, unit="cell", file=sys.stderr, dynamic_ncols=True) as bar:

        def show(done: int, total: int, heading: str) -> None:
            bar.total = total
            bar.set_postfix_str(heading[:40], refresh=False)
            bar.update(done - bar.n)
            bar.refresh()

        return execute(path, timeout=timeout, progress=show)


def _report_run(execution: Execution, target: Path, *, tables: bool) -> int:
    import nbformat

    from hpml.base.tables import format_seconds
    from hpml.course.execute import result_texts

    write_atomically(target, nbformat.writes(execution.notebook) + "\n")  # type: ignore[no-untyped-call]
    for text in result_texts(execution.notebook) if tables else ():
        print(text, end="\n\n")
    print(f"{format_seconds(execution.seconds)}; the executed copy is {shown_path(target)}")
    if execution.failure is not None:
        print(f"\n{execution.failure}", file=sys.stderr)
        return 1
    return 0


def _progress(options: argparse.Namespace) -> int:
    from hpml.labs.overview import progress

    print(progress())
    return 0


def _release(options: argparse.Namespace) -> int:
    from hpml.base.files import course_folder
    from hpml.release.student_copy import not_handed_out, release

    archive = release(options.out)
    for name in not_handed_out(course_folder()):
        print(f"Not handed out, since git does not know it: {name}")
    print(f"The students' copy is {shown_path(options.out)} and {shown_path(archive)}")
    return 0


def _book(options: argparse.Namespace) -> int:
    from hpml.course.execute import labs
    from hpml.release.book import executed_labs, write_book

    if options.executed is not None:
        notebooks = executed_labs(options.executed)
        if missing := [path.stem for path in labs() if path.stem not in notebooks]:
            print(f"Not in the book, for no copy is there: {', '.join(missing)}")
    else:
        notebooks = {}
        for path in labs():
            run = _execute_with_bar(path, 900.0)
            if run.failure is not None:
                print(f"hpml book: {path.stem}: {run.failure}", file=sys.stderr)
                return 1
            notebooks[path.stem] = run.notebook
    write_book(options.out, notebooks)
    print(f"The book is {shown_path(options.out / 'index.html')}")
    return 0


def _grade(arguments: Sequence[str]) -> int:
    from hpml.grading import command

    parser = _Parser(
        prog="hpml grade",
        description="Grade a submission, or with --class a folder of them: each exercise in a\n"
        "process of its own. Exit code 0 when grading worked, whatever the grades.",
        example="hpml grade 06\n  hpml grade --class submissions --lab 06 --csv points.csv",
    )
    command.add_arguments(parser)
    return command.run(parser.parse_args(arguments))


def _profile(options: argparse.Namespace) -> int:
    from hpml.base.environment import installed_version
    from hpml.profiling import read_profile

    read_profile(options.file)
    if installed_version("snakeviz") is None:
        print("hpml profile: install SnakeViz with pip install snakeviz", file=sys.stderr)
        return 1
    # Said and not left to its default: the files of this machine can be listed through it.
    command = [sys.executable, "-m", "snakeviz", options.file, "-H", "127.0.0.1"]
    command += ["-p", str(options.port), *(["-s"] if options.no_browser else [])]
    return subprocess.run(command).returncode


def _compare_or_list(options: argparse.Namespace) -> int:
    from hpml.suites import SUITES

    if options.compare:
        from hpml.benchmark.record_comparison import compare_records

        print(compare_records(*options.compare))
        return 0
    width = max((len(name) for name in SUITES), default=0)
    print("Benchmark suites, each with its own --help:")
    for name, (_, summary) in SUITES.items():
        print(f"  hpml bench {name:<{width}}  {summary}")
    return 0


def _bench(name: str, arguments: Sequence[str]) -> int:
    from hpml.suites import SUITES

    if name not in SUITES:
        print(
            f"hpml bench: expected one of {', '.join(SUITES)}; received {describe(name)}",
            file=sys.stderr,
        )
        return 2
    module_name, summary = SUITES[name]
    module = importlib.import_module(module_name)
    command = f"hpml bench {name}"
    parser = _Parser(prog=command, description=summary, example=command)
    module.add_arguments(parser)
    options = parser.parse_args(arguments)
    code: int = options.main(options)
    return code


def _port(text: str) -> int:
    if text.isdecimal() and 1 <= int(text) <= 65535:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"expected a whole number from 1 to 65535, received {describe(text)}"
    )


def _count(text: str) -> int:
    if text.isdecimal() and int(text) >= 1:
        return int(text)
    raise argparse.ArgumentTypeError(
        f"expected a whole number from 1 on, received {describe(text)}"
    )


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if 0 < value < float("inf"):
        return value
    raise argparse.ArgumentTypeError(
        f"expected a number of seconds above 0, received {describe(text)}"
    )
