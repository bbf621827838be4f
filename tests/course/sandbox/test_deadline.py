"""Each test runs with the system's timer and with the thread that replaces it on Windows."""

from __future__ import annotations

import _thread
import signal
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from hpml.course.sandbox import deadline as under_test
from hpml.course.sandbox.deadline import deadline

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SIGNALS = ("SIGALRM", "SIGINT")


class TooLate(KeyboardInterrupt):
    """As long as a `KeyboardInterrupt` is caught, it comes again."""


@pytest.fixture(params=["timer", "thread"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "timer" and not hasattr(under_test.signal, "setitimer"):
        pytest.skip("needs POSIX signals (Linux, macOS)")
    if request.param == "thread" and hasattr(under_test.signal, "setitimer"):
        monkeypatch.delattr(under_test.signal, "setitimer")
    return str(request.param)


def handlers() -> list[Any]:
    return [signal.getsignal(getattr(signal, name)) for name in SIGNALS if hasattr(signal, name)]


def loop() -> None:
    while True:
        pass


def stubborn() -> None:
    try:
        loop()
    except KeyboardInterrupt:
        loop()


@pytest.mark.parametrize("endless", [loop, stubborn])
def test_an_endless_loop_is_ended_also_where_it_catches_the_first_alarm(
    endless: Callable[[], None],
) -> None:
    with pytest.raises(TooLate), deadline(0.05, TooLate()):
        endless()


def test_the_error_that_was_given_is_raised() -> None:
    error = TooLate("after 0.05 s")
    with pytest.raises(TooLate) as raised, deadline(0.05, error):
        loop()
    assert raised.value is error


def test_an_import_is_never_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It takes three times as long as the deadline.
    source = "import time\nend = time.monotonic() + 0.3\nwhile time.monotonic() < end: pass"
    (tmp_path / "imported_slowly.py").write_text(f"{source}\nwhole = True", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with deadline(0.1, TooLate()):
        import imported_slowly  # type: ignore[import-not-found]
    assert imported_slowly.whole


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_waits_any_more_whatever_ends_it(error: type[BaseException] | None) -> None:
    before = handlers()
    if error is None:
        with deadline(60, TooLate()):
            pass
    else:
        with pytest.raises(error), deadline(60, TooLate()):
            raise error
    assert handlers() == before
    assert "deadline" not in [thread.name for thread in threading.enumerate()]
    if hasattr(signal, "getitimer"):
        assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_ctrl_c_within_the_time_is_still_ctrl_c() -> None:
    def interrupted() -> None:
        _thread.interrupt_main()
        loop()

    with pytest.raises(KeyboardInterrupt) as raised, deadline(60, TooLate()):
        interrupted()
    assert type(raised.value) is KeyboardInterrupt


def test_a_block_that_ends_at_the_deadline_leaves_nothing_behind() -> None:
    for _ in range(100):
        try:
            with deadline(0.002, TooLate()):
                end = time.monotonic() + 0.002
                while time.monotonic() < end:
                    pass
        except TooLate:
            pass
    assert "deadline" not in [thread.name for thread in threading.enumerate()]


def test_in_another_thread_there_is_no_limit_and_no_error() -> None:
    found = []

    def run() -> None:
        with deadline(60, TooLate()):
            found.append([thread.name for thread in threading.enumerate()])

    before = handlers()
    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert len(found) == 1
    assert "deadline" not in found[0]
    assert handlers() == before
