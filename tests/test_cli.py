from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

import hpml
from hpml import cli
from hpml.base import HpmlError
from hpml.base.errors import UsageError
from hpml.course import doctor, server
from hpml.course.doctor import Finding, Report
from hpml.course.files import data_file
from tests.parts import raises, run_command

if TYPE_CHECKING:
    from pathlib import Path

Output = pytest.CaptureFixture[str]


@pytest.fixture
def course(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "course"
    (home / "notebooks").mkdir(parents=True)
    (home / "data").mkdir()
    shutil.copy(data_file("published_results.json"), home / "data")
    good = [
        new_markdown_cell("# Good"),
        new_code_cell("print('the table')", metadata={"tags": ["result"]}),
    ]
    bad = [new_markdown_cell("# Bad"), new_code_cell("print('kept')"), new_code_cell("1 / 0")]
    nbformat.write(new_notebook(cells=good), home / "notebooks" / "06_good.ipynb")
    nbformat.write(new_notebook(cells=bad), home / "notebooks" / "07_bad.ipynb")
    monkeypatch.setenv("HPML_HOME", str(home))
    monkeypatch.delenv("HPML_RESULTS")
    return home


@pytest.mark.parametrize(
    "command",
    [
        *([], ["lab"], ["doctor"], ["run"], ["train"]),
        *(["release"], ["book"], ["progress"], ["bench"]),
    ],
)
def test_help_shows_an_example_that_parses(command: list[str], capsys: Output) -> None:
    assert cli.main([*command, "--help"]) == 0
    text = capsys.readouterr().out
    example = text.rstrip().splitlines()[-1].split()
    assert example[: 1 + len(command)] == ["hpml", *command]
    assert cli._parser().parse_args(example[1:])


def test_without_a_command_the_help_is_shown(capsys: Output) -> None:
    assert cli.main([]) == 0
    assert capsys.readouterr().out.startswith("usage: hpml")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["walk"], "invalid choice: 'walk' (choose from"),
        (["run"], "required: LAB"),
        (["run", "6", "7"], "unrecognized arguments: 7"),
        (["run", "6", "--timeout", "-1"], "expected a whole number from 1"),
        (["run", "6", "--timeout", "inf"], "received 'inf'"),
        (["lab", "--port", "http"], "expected a whole number from 1 to 65,535, received 'http'"),
        (["lab", "--port", "0"], "received '0'"),
        (["lab", "--port", "65536"], "received '65536'"),
        (["bench", "deep-linear", "--layer", "5"], "hpml bench deep-linear --help"),
        (["bench", "deep-linear", "--layers", "many"], "hpml bench deep-linear: argument --layers"),
        (["bench", "shallow"], "invalid choice: 'shallow' (choose from"),
        (["doctor", "now"], "unrecognized arguments: now"),
    ],
)
def test_bad_arguments_say_what_was_expected_and_end_with_2(
    arguments: list[str], message: str, capsys: Output
) -> None:
    assert cli.main(arguments) == 2
    shown = capsys.readouterr()
    assert message in shown.err
    assert shown.out == ""


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (HpmlError("The port is taken."), 1, "hpml lab: The port is taken.\n"),
        (OSError(28, "No space left"), 1, "hpml lab: [Errno 28] No space left\n"),
        (KeyboardInterrupt(), 130, "hpml: interrupted\n"),
    ],
)
def test_an_error_of_the_course_and_ctrl_c_are_one_line(
    error: BaseException, code: int, message: str, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    def fail(**_: object) -> int:
        raise error

    monkeypatch.setattr(server, "serve", fail)
    assert cli.main(["lab"]) == code
    assert capsys.readouterr().err == message


def test_lab_hands_its_options_to_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[dict[str, object]] = []
    monkeypatch.setattr(server, "serve", lambda **options: seen.append(options) or 0)
    assert cli.main(["lab"]) == 0
    assert cli.main(["lab", "--no-browser", "--port", "9000"]) == 0
    assert seen == [{"browser": True, "port": None}, {"browser": False, "port": 9000}]


@pytest.mark.parametrize(
    ("state", "code"), [("ok", 0), ("absent", 0), ("warning", 0), ("missing", 1)]
)
def test_doctor_ends_with_1_only_if_something_required_is_missing(
    state: doctor.State, code: int, monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    monkeypatch.setattr(doctor, "report", lambda: Report((Finding("torch", state, "", "much"),)))
    assert cli.main(["doctor"]) == code
    assert "torch" in capsys.readouterr().out


def test_run_prints_the_results_and_leaves_the_executed_copy(course: Path, capsys: Output) -> None:
    assert cli.main(["run", "6"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("the table\n")
    assert "06_good.ipynb" in shown.out
    assert "06_good" in shown.err  # the progress bar
    copy = nbformat.read(course / "results" / "06_good.ipynb", as_version=4)
    assert copy.cells[1].outputs[0].text == "the table\n"


def test_repeated_runs_say_which_conclusions_differ(course: Path, capsys: Output) -> None:
    count = (
        "import pathlib; seen = pathlib.Path('seen')\n"
        "seen.write_text(seen.read_text() + '.' if seen.exists() else '')\n"
        "print('It took', len(seen.read_text()), 'ms.')\n"
        "print('even' if len(seen.read_text()) % 2 == 0 else 'odd')"
    )
    told = {"metadata": {"tags": ["verdict"]}}
    cells = [
        new_markdown_cell("# Claims"),
        new_code_cell(count, **told),
        new_code_cell("7", **told),
    ]
    nbformat.write(new_notebook(cells=cells), course / "notebooks" / "08_claims.ipynb")

    assert cli.main(["run", "8", "--repeat", "3", "--verdicts"]) == 0

    shown = capsys.readouterr().out
    assert re.search(r"1 +Claims +2 of 3 +It took …\. even", shown)
    assert re.search(r"1 +Claims +1 of 3 +It took …\. odd", shown)
    assert re.search(r"2 +Claims +3 of 3 +…", shown)
    assert "2 verdicts, 1 of which differs between runs: 1." in shown


def test_run_shows_the_failing_cell_and_still_leaves_the_copy(
    course: Path, tmp_path: Path, capsys: Output
) -> None:
    assert cli.main(["run", "07_bad", "--out", str(tmp_path / "new" / "folder")]) == 1
    error = capsys.readouterr().err
    assert "Code cell 2 under “Bad” failed: ZeroDivisionError: division by zero" in error
    assert "    1 / 0" in error
    assert "Traceback" in error
    copy = nbformat.read(tmp_path / "new" / "folder" / "07_bad.ipynb", as_version=4)
    assert copy.cells[1].outputs[0].text == "kept\n"


@pytest.mark.parametrize("words", [["run", "99"], ["slides", "99", "out"]])
def test_an_unknown_lab_lists_those_there_are(
    words: list[str], course: Path, capsys: Output
) -> None:
    assert cli.main(words) == 2
    error = capsys.readouterr().err
    assert "'99'" in error
    assert "06_good" in error
    assert "07_bad" in error


def test_run_refuses_a_file_as_its_folder_before_it_runs(
    course: Path, tmp_path: Path, capsys: Output
) -> None:
    (tmp_path / "taken").write_text("")
    taken = str(tmp_path / "taken")
    with raises(HpmlError, object="--out", expected="a folder", received=taken):
        run_command("run", "6", "--out", taken)
    assert cli.main(["run", "6", "--out", taken]) == 2
    assert taken in capsys.readouterr().err


def test_small_sizes_are_not_recorded(course: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HPML_QUICK", "1")
    with raises(UsageError, object="--record", received="HPML_QUICK", remedy="Unset"):
        run_command("run", "6", "--record")


def test_the_progress_of_a_class_needs_its_folder() -> None:
    name = "no such folder"
    with raises(UsageError, object="--class", expected="a folder", received=repr(name)):
        run_command("progress", "--class", name)


def test_bench_without_a_suite_lists_them(capsys: Output) -> None:
    assert cli.main(["bench"]) == 0
    assert "hpml bench deep-linear " in capsys.readouterr().out


def test_the_real_suites_can_all_be_asked_for_help(capsys: Output) -> None:
    from hpml.course.suites import SUITES

    for name in SUITES:
        assert cli.main(["bench", name, "--help"]) == 0
        assert f"usage: hpml bench {name}" in capsys.readouterr().out


def test_python_dash_m_is_the_same_command() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hpml", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == f"hpml {hpml.__version__}\n"
