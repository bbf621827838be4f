"""What is printed while a function is tried: its beginning arrives, at once, and no more."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from hpml.course.execute import execute
from hpml.course.exercises.printing import bounded_printing

if TYPE_CHECKING:
    from pathlib import Path

LEFT_OUT = "… the first {} characters are shown; the rest of what is printed here is left out.\n"


def test_what_is_short_passes_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    with bounded_printing(5):
        print("four")
        print("five", file=sys.stderr)
    assert capsys.readouterr() == ("four\n", "five\n")


@pytest.mark.parametrize(
    ("parts", "shown"),
    [
        (["abcde", "f"], "abcde\n"),
        (["abcd\n", "f"], "abcd\n"),
        (["ab", "cdefgh"], "abcde\n"),
        (["abcdefgh", "i"], "abcde\n"),
        (["ab\ncdef"], "ab\ncd\n"),
    ],
)
def test_the_rest_is_left_out_and_said_so_once_on_a_line_of_its_own(
    capsys: pytest.CaptureFixture[str], parts: list[str], shown: str
) -> None:
    with bounded_printing(5):
        for part in [*parts, "more", "and more\n"]:
            sys.stdout.write(part)
        sys.stderr.writelines(part for part in parts)
    said = shown + LEFT_OUT.format(5)
    assert capsys.readouterr() == (said, said)


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_what_came_before_an_exception_is_there_and_the_streams_are_as_before(
    capsys: pytest.CaptureFixture[str], error: type[BaseException]
) -> None:
    def printing(text: str) -> None:
        with bounded_printing(5):
            sys.stdout.write(text)
            raise error

    streams = sys.stdout, sys.stderr
    for text in ("ab", "abcdefgh"):
        with pytest.raises(error):
            printing(text)
        assert (sys.stdout, sys.stderr) == streams
    assert capsys.readouterr().out == "ababcde\n" + LEFT_OUT.format(5)


def test_without_a_console_there_is_nothing_to_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    with bounded_printing():
        print("to nobody")
        assert sys.stdout is None


def test_so_it_is_in_a_notebook(tmp_path: Path) -> None:
    source = (
        "import sys\n"
        "from hpml.labs import check\n"
        "def dead_nodes(edges, outputs):\n"
        "    print('looking\\n' * 1000, end='')\n"
        "    sys.stderr.write('careful\\n' * 1000)\n"
        "    raise KeyboardInterrupt"
    )
    lab = tmp_path / "05_a.ipynb"
    cells = [new_code_cell(source), new_code_cell("check(dead_nodes);\nprint('after' * 500)")]
    nbformat.write(new_notebook(cells=cells), lab)
    execution = execute(lab)
    assert execution.failure is None
    streams: dict[str, str] = {}
    for output in execution.notebook.cells[1].outputs:
        if output.output_type == "stream":
            streams[output.name] = streams.get(output.name, "") + output.text
    assert streams == {
        "stdout": "looking\n" * 250 + LEFT_OUT.format("2,000") + "after" * 500 + "\n",
        "stderr": "careful\n" * 250 + LEFT_OUT.format("2,000"),
    }
