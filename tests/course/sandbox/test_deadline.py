from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from hpml.course.sandbox.deadline import deadline


class TooLate(KeyboardInterrupt):
    """As long as a `KeyboardInterrupt` is caught, it comes again."""


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


def test_an_import_is_never_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rings = "import signal\nsignal.raise_signal(signal.SIGALRM)\nwhole = True"
    (tmp_path / "rings_while_imported.py").write_text(rings)
    monkeypatch.syspath_prepend(tmp_path)
    with deadline(60, TooLate()):
        import rings_while_imported  # type: ignore[import-not-found]
    assert rings_while_imported.whole


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_waits_any_more_whatever_ends_it(error: type[BaseException] | None) -> None:
    before = signal.getsignal(signal.SIGALRM)
    if error is None:
        with deadline(60, TooLate()):
            pass
    else:
        with pytest.raises(error), deadline(60, TooLate()):
            raise error
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_in_another_thread_there_is_no_limit_and_no_error() -> None:
    ran = []

    def run() -> None:
        with deadline(60, TooLate()):
            ran.append(signal.getitimer(signal.ITIMER_REAL))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert ran == [(0.0, 0.0)]
