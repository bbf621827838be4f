"""The errors of `hpml.benchmark`: one family, so that a caller can catch all of it at once."""

from __future__ import annotations

from hpml.base.errors import HpmlError


class BenchmarkError(HpmlError):
    """Something about a measurement is not as it should be; the message says what to do."""


class ContenderError(BenchmarkError):
    """A contender failed; `comparison` holds the complete rounds before, None if there are none."""

    comparison: object = None


def said(error: BaseException) -> str:
    """Return what an exception says, with its kind unless it is ours; never fails itself.

    >>> said(ValueError("no such model"))
    'ValueError: no such model'
    """
    try:
        words = str(error)
    except Exception as other:  # noqa: BLE001 - whatever a foreign text raises
        words = f"(its text raises {type(other).__name__})"
    words = words if isinstance(error, BenchmarkError) else f"{type(error).__name__}: {words}"
    return " ".join([words, *getattr(error, "__notes__", ())])


class WorkerError(ContenderError):
    """A contender in a process of its own failed, died, or did not answer in time."""


class RecordError(BenchmarkError):
    """A file of recorded cases is not what it should be."""


class StoppedError(BenchmarkError):
    """The benchmark was asked to stop before one round was complete, so there is no result."""
