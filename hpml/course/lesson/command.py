"""The command ``hpml run``: execute a lab without opening it, once or several times."""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from hpml.base.errors import UsageError, describe
from hpml.base.files import shown_path, write_atomically
from hpml.base.tables import format_seconds
from hpml.course.arguments import whole
from hpml.course.files import results_folder
from hpml.course.lesson.execute import Execution, execute, find_lab, result_texts
from hpml.course.lesson.reference import REVEALED, count_verdicts, verdicts_of, write_record
from hpml.course.this_run import quick


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    add = parser.add_argument
    add("lab", metavar="LAB", help="number or name of the lab: 7, 07, 07_code_generation")
    add("--out", type=Path, metavar="DIR", help="folder for the executed copy (default: results/)")
    limit = "time limit of each run in seconds (default: 900)"
    add("--timeout", type=whole(1, 10**6), default=900, metavar="S", help=limit)
    repeat = "number of runs (default: 1)"
    add("--repeat", type=whole(1, 10**6), default=1, metavar="N", help=repeat)
    verdicts = "count the conclusions, without numbers, of its cells tagged verdict"
    add("--verdicts", action="store_true", help=verdicts)
    record = "save the most typical run as the reference, and count the runs for each conclusion"
    add("--record", action="store_true", help=record)


def run(options: argparse.Namespace) -> int:
    """Run the lab with the given options, print its results, and return the exit code."""
    path = find_lab(options.lab)
    folder: Path = options.out or results_folder()
    if folder.exists() and not folder.is_dir():
        raise UsageError(
            object="--out",
            expected="a folder",
            received=f"the file {describe(str(folder), limit=300)}",
            remedy="Name a folder; it is created if it does not exist.",
        )
    if options.record and quick():
        raise UsageError(
            object="--record",
            expected="full sizes",
            received="the small ones of HPML_QUICK",
            remedy="Unset HPML_QUICK.",
        )
    runs, revealed = [], []
    with tempfile.TemporaryDirectory() as place:
        for number in range(options.repeat):
            revealed.append(Path(place, f"{number}.jsonl"))
            environment = {REVEALED: str(revealed[-1])} if options.record else None
            runs.append(execute_with_bar(path, options.timeout, environment))
            if code := _report(runs[-1], folder / path.name, tables=not options.verdicts):
                return code
        if options.verdicts:
            print(count_verdicts([verdicts_of(each.notebook) for each in runs]))
        if options.record:
            notebooks = [each.notebook for each in runs]
            print(f"Recorded: {shown_path(write_record(path.stem, notebooks, revealed))}")
    return 0


def execute_with_bar(
    path: Path, timeout: float = 900.0, environment: dict[str, str] | None = None
) -> Execution:
    """Execute a lab under a progress bar."""
    from tqdm import tqdm

    with tqdm(desc=path.stem, unit="cell", file=sys.stderr, dynamic_ncols=True) as bar:

        def show(done: int, total: int, heading: str) -> None:
            bar.total = total
            bar.set_postfix_str(heading[:40], refresh=False)
            bar.update(done - bar.n)
            bar.refresh()

        return execute(path, timeout=timeout, progress=show, environment=environment)


def _report(execution: Execution, target: Path, *, tables: bool) -> int:
    import nbformat

    write_atomically(target, nbformat.writes(execution.notebook) + "\n")  # type: ignore[no-untyped-call]
    for text in result_texts(execution.notebook) if tables else ():
        print(text, end="\n\n")
    print(f"{format_seconds(execution.seconds)}; the executed copy is {shown_path(target)}")
    if execution.failure is not None:
        print(f"\n{execution.failure}", file=sys.stderr)
        return 1
    return 0
