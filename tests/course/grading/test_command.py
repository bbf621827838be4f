from __future__ import annotations

import codecs
import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hpml.base.system import process_tree
from hpml.cli import main
from hpml.course.files import course_folder
from hpml.course.grading import BadRequest, GradingError, sandbox
from tests.course.grading.handed_in import DOUBLE, hand_in
from tests.parts import raises, run_command


@pytest.fixture
def ada(tmp_path: Path) -> Path:
    return hand_in(tmp_path / "ada", "def count_calls(parents, output, remember):\n    return 0")


def test_a_lab_of_the_course_by_its_number(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "6", "--seed", "5"]) == 0
    shown = capsys.readouterr().out
    assert "notebooks: 0 of" in shown
    assert "06.1 count_calls" in shown
    assert "not done" in shown
    assert "seed 5" in shown


@pytest.mark.needs("bubblewrap")
def test_a_class_with_its_table_and_csv(
    ada: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hand_in(tmp_path / "class" / "bob", DOUBLE)
    (tmp_path / "class" / "cy").mkdir()
    ada.rename(tmp_path / "class" / "ada")
    (tmp_path / "class" / "di.zip").touch()
    words = ["grade", "--class", str(tmp_path / "class"), "--jobs", "2"]
    words += ["--reports", str(tmp_path / "reports"), "--csv", str(tmp_path / "points.csv")]
    # Canvas's columns and none of Moodle's: what is not asked for is not missing.
    (tmp_path / "roster.csv").write_text("submission,Student,ID\nada,Ada,7\neve,Eve,8\n")
    words += ["--roster", str(tmp_path / "roster.csv"), "--canvas", str(tmp_path / "canvas.csv")]
    assert main(words) == 0
    shown = capsys.readouterr()
    assert "3 graded" in shown.out
    assert "3/3" in shown.err
    assert "cy: 06 missing: The notebook 06_forward_order.ipynb is missing." in shown.out
    assert "Left out, because there is no notebook of the lab:\n  di.zip" in shown.out
    assert "In the roster, without a submission:\n  eve, Eve, 8" in shown.out
    assert (tmp_path / "canvas.csv").read_text().splitlines()[2] == "Ada,7,,,,0"
    assert (tmp_path / "points.csv").read_bytes().startswith(codecs.BOM_UTF8)
    row = (tmp_path / "points.csv").read_text().splitlines()[1]
    assert row.startswith("ada,0,wrong,right 0 of 1; large 0 of 1,0,missing,")
    assert main(words) == 0
    assert "0 graded; 3 taken from an earlier run" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "name", "received", "remedy"),
    [
        (["--csv", "x.csv"], "--csv", "one submission", "--class"),
        (["06", "--class", "x"], "submission", "both", "one"),
        (["--class", "x", "--report", "r.json"], "--report", "--class", "--reports DIR"),
        (["--class", "x", "--canvas", "c.csv"], "--canvas and --moodle", "none", "--roster"),
        (["no such folder"], "'no such folder'", "nothing", "working directory"),
        (["--lab", "99"], "lab", "'99'", "one of them"),
        (["06", "--lab", "05"], "lab", "both", "one"),
        (["--class", "no such folder"], "--class", "'no such folder'", "submissions"),
        (["--class", "notebooks", "--roster", "no such file"], "'no such file'",
         os.strerror(errno.ENOENT), "CSV"),
        (["--class", "notebooks", "--reports", "notebooks/of"], "--reports",
         "'notebooks/of'", "another"),
        (["--gradescope", "lab.zip"], "--gradescope", "none", "--lab"),
        (["--gradescope", "lab.zip", "--lab", "99"], "lab", "'99'", "one of them"),
    ],
)  # fmt: skip
def test_what_cannot_be_graded_is_refused(
    words: list[str], name: str, received: str, remedy: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with raises(BadRequest, object=name, received=received, remedy=remedy) as caught:
        run_command("grade", *words)
    assert main(["grade", *words]) == 2
    assert capsys.readouterr().err.endswith(f"hpml grade: {caught.value}\n")


@pytest.mark.parametrize(
    ("words", "expected"),
    [(["--seed", "-1"], "from 0"), (["--jobs", "0", "--class", "x"], "from 1 to 256")],
)
def test_a_number_out_of_range_is_refused(
    words: list[str], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["grade", *words]) == 2
    assert expected in capsys.readouterr().err


def test_a_report_that_cannot_be_written_is_named(ada: Path, tmp_path: Path) -> None:
    report = tmp_path / "report"
    report.mkdir()
    with raises(GradingError, object=str(report), received=os.strerror(errno.EISDIR)):
        run_command("grade", str(ada), "--lab", "06", "--report", str(report))


def test_a_full_disk_is_named_with_the_file(
    ada: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    report = tmp_path / "report.json"
    with raises(GradingError, object=str(report), received=os.strerror(errno.ENOSPC)):
        run_command("grade", str(ada), "--lab", "06", "--report", str(report))
    assert not report.exists()


def test_a_class_on_a_system_that_cannot_isolate_is_refused_and_ones_own_is_not(
    ada: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "_trouble", lambda: "bwrap does not work here")
    assert main(["grade", "--class", str(ada.parent), "--lab", "06"]) == 1
    assert main(["grade", str(ada), "--lab", "06", "--sandbox"]) == 1
    assert capsys.readouterr().err.count("bwrap does not work here") == 2
    assert main(["grade", str(ada), "--lab", "06"]) == 0
    assert "isolation: none" in capsys.readouterr().out


# Lets an orphan loop for ever, and itself.
WAITS = """
def count_calls(parents, output, remember):
    import os, time
    if os.fork() == 0:
        os.setsid()
    while True:
        time.sleep(0.01)
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
@pytest.mark.needs("bubblewrap")
def test_an_end_from_outside_leaves_nothing_behind(number: int, tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "ada", WAITS)
    with subprocess.Popen(
        [sys.executable, "-m", "hpml", "grade", str(folder), "--sandbox"],
        cwd=course_folder(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    ) as grading:
        started: set[int] = set()
        # The grader, bubblewrap twice, the worker, its child.
        while len(started) < 5:
            assert grading.poll() is None
            started = {pid for pid, _ in process_tree(grading.pid)}
            os.sched_yield()
        grading.send_signal(number)
        assert grading.wait() == (-number if number == signal.SIGKILL else 130)
        # The kernel needs a moment; a test that waits for ever is the failure.
        while any(Path(f"/proc/{pid}").exists() for pid in started - {grading.pid}):
            os.sched_yield()
    assert list(Path(os.environ["TMPDIR"]).iterdir()) == []


def test_a_file_beside_the_notebook_stands_in_for_no_module(tmp_path: Path) -> None:
    folder = hand_in(tmp_path / "ada", DOUBLE)
    mark = tmp_path / "ran"
    for name in ("argparse", "json", "tqdm", "numpy"):
        (folder / f"{name}.py").write_text(f"open({str(mark)!r}, 'w')\nraise SystemExit(0)")
    environment = {**os.environ, "PYTHONPATH": str(course_folder())}
    ran = subprocess.run(
        [sys.executable, "-m", "hpml", "grade", ".", "--lab", "06"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "06.1 count_calls" in ran.stdout, ran.stderr
    assert not mark.exists()


@pytest.mark.needs("bubblewrap")
def test_another_ones_notebook_is_sandboxed(ada: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", str(ada), "--lab", "06", "--sandbox"]) == 0
    assert "isolation: bubblewrap" in capsys.readouterr().out
