"""Grading submissions side by side, in processes.

A process of its own for each job: what a judge or a reference changes globally, such as the seed of
PyTorch, is never shared. No line of a submission runs in these processes.
"""

from __future__ import annotations

import contextlib
import importlib
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Generator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from types import ModuleType

from hpml.grading import GradingError
from hpml.grading.find import Catalogue, Submission
from hpml.grading.grader import Grader
from hpml.grading.record import Report
from hpml.grading.sandbox import Limits, require_isolation

_TICK = 0.5


def grade_all(
    submissions: Sequence[Submission],
    *,
    seed: int | None,
    jobs: int,
    limits: Limits,
    catalogue: Catalogue,
) -> Generator[tuple[Submission, Report]]:
    """Grade submissions in bubblewrap; yield each with its report, as soon as it is graded."""
    if not submissions:
        return
    if jobs == 1 or len(submissions) == 1:
        with Grader(limits=limits, catalogue=catalogue) as grader:
            for submission in submissions:
                yield submission, grader.grade(submission, seed)
        return
    require_isolation("bubblewrap")
    assert isinstance(catalogue, ModuleType)
    others = set(multiprocessing.active_children())
    executor = ProcessPoolExecutor(
        min(jobs, len(submissions)),
        mp_context=multiprocessing.get_context("spawn"),
        initializer=_begin,
        initargs=(limits, catalogue.__name__, list(sys.path)),
    )
    try:
        waiting: dict[Future[Report], Submission] = {
            executor.submit(_grade, each, seed): each for each in submissions
        }
        while waiting:
            # A moment at a time, so that Ctrl-C is heard on every system.
            done, _ = wait(waiting, timeout=_TICK, return_when=FIRST_COMPLETED)
            for future in done:
                yield waiting.pop(future), future.result()
    except BrokenProcessPool:
        raise GradingError(
            "A grading process ended unexpectedly, perhaps because memory ran out. The same "
            "command continues with what is left; try fewer --jobs."
        ) from None
    finally:
        executor.shutdown(wait=False, cancel_futures=True)
        started = set(multiprocessing.active_children()) - others
        for process in started:
            process.terminate()
        for process in started:
            process.join(timeout=10)
            process.kill()  # one that is still there would be waited for at exit


_grader: Grader | None = None  # of a job's process


def _begin(limits: Limits, catalogue: str, path: list[str]) -> None:
    """Prepare a job's process."""
    global _grader
    sys.path[:] = path
    with contextlib.suppress(ValueError):
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the first process
        signal.signal(signal.SIGTERM, _end)
    known: Catalogue = importlib.import_module(catalogue)
    _grader = Grader(limits=limits, catalogue=known)
    parent = multiprocessing.parent_process()
    if parent is not None:
        threading.Thread(target=_follow, args=(parent,), daemon=True).start()


def _follow(parent: multiprocessing.process.BaseProcess) -> None:
    parent.join()
    _close()


def _end(*_: object) -> None:
    # In a thread: closing waits for locks that the interrupted main thread may hold.
    threading.Thread(target=_close).start()


def _close() -> None:
    if _grader is not None:
        _grader.close()
    os._exit(1)


def _grade(submission: Submission, seed: int | None) -> Report:
    assert _grader is not None
    return _grader.grade(submission, seed)
