"""What takes too long is interrupted, and whatever waits for it ends with it."""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING

import pytest

from hpml.course.exercises.waiting import TooSlowError, time_limit

if TYPE_CHECKING:
    from collections.abc import Callable


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
    with pytest.raises(TooSlowError), time_limit(0.05):
        endless()


@pytest.mark.parametrize("error", [None, ValueError, KeyboardInterrupt, SystemExit])
def test_nothing_waits_any_more_whatever_ends_it(error: type[BaseException] | None) -> None:
    before = signal.getsignal(signal.SIGALRM)
    if error is None:
        with time_limit(60):
            pass
    else:
        with pytest.raises(error), time_limit(60):
            raise error
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_in_another_thread_there_is_no_limit_and_no_error() -> None:
    ran = []

    def run() -> None:
        with time_limit(60):
            ran.append(signal.getitimer(signal.ITIMER_REAL))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert ran == [(0.0, 0.0)]
