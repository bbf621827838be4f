"""A slow case is named while it runs, and whatever waits for it ends with it."""

from __future__ import annotations

import contextlib
import io
import threading
from typing import TYPE_CHECKING

import pytest

from hpml.course.exercises import waiting
from hpml.course.exercises.waiting import AFTER, said_if_slow
from hpml.labs import check
from tests.course.exercises.test_check import written

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeTimer:
    """Rings when it is told to, and notes what is done to it."""

    def __init__(self, seconds: float, ring: Callable[[], None]) -> None:
        self.seconds, self.ring, self.done, self.daemon = seconds, ring, list[str](), False

    def start(self) -> None:
        self.done.append(f"start, daemon {self.daemon}")

    def cancel(self) -> None:
        self.done.append("cancel")

    def join(self) -> None:
        self.done.append("join")


@pytest.fixture
def made() -> list[FakeTimer]:
    return []


@pytest.fixture
def timer(made: list[FakeTimer]) -> Callable[[float, Callable[[], None]], FakeTimer]:
    def make(seconds: float, ring: Callable[[], None]) -> FakeTimer:
        made.append(FakeTimer(seconds, ring))
        return made[-1]

    return make


def test_the_line_comes_when_the_timer_rings_and_not_before(
    made: list[FakeTimer],
    timer: Callable[[float, Callable[[], None]], FakeTimer],
    capsys: pytest.CaptureFixture[str],
) -> None:
    with said_if_slow("still here", timer=timer):
        assert made[0].seconds == AFTER
        assert capsys.readouterr().out == ""
        made[0].ring()
        assert capsys.readouterr().out == "still here\n"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_the_timer_is_stopped_whatever_ends_the_case(
    error: type[BaseException],
    made: list[FakeTimer],
    timer: Callable[[float, Callable[[], None]], FakeTimer],
) -> None:
    with pytest.raises(error), said_if_slow("still here", timer=timer):
        raise error
    assert made[0].done == ["start, daemon True", "cancel", "join"]


class Stream(io.StringIO):
    """Says when something has been flushed."""

    def __init__(self) -> None:
        super().__init__()
        self.flushed = threading.Event()

    def flush(self) -> None:
        self.flushed.set()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "AFTER", 0.0)


@pytest.mark.usefixtures("impatient")
def test_a_real_timer_speaks_from_its_thread_and_leaves_none() -> None:
    stream, before = Stream(), set(threading.enumerate())
    with contextlib.redirect_stdout(stream), said_if_slow("still here"):
        assert stream.flushed.wait(60)
    assert stream.getvalue() == "still here\n"
    assert set(threading.enumerate()) == before


@pytest.mark.usefixtures("impatient")
def test_a_check_names_the_case_that_is_slow_however_much_the_function_prints() -> None:
    source = (
        "def dead_nodes(edges, outputs):\n"
        "    print('x' * 5000)\n"
        "    assert flushed.wait(60)\n"
        "    raise KeyboardInterrupt"
    )
    stream, before = Stream(), set(threading.enumerate())
    with contextlib.redirect_stdout(stream):
        checked = check(written(source, flushed=stream.flushed))
    shown = stream.getvalue()
    line = "dead_nodes: still in case “a branch that leads nowhere”; interrupt with ■\n"
    assert shown.count(line) == 1
    assert shown.index("still in case") < shown.index("stopped by you")
    assert checked.verdict is None
    assert set(threading.enumerate()) == before
