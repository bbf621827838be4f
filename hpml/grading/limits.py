"""What a submission may use; going over costs it the exercise that ran, and nothing more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a submission may use.

    Attributes:
        memory: bytes of resident memory, over all of its processes together.
        processes: how many processes at one time, the worker among them.
        file_size: bytes of the largest file it may write.
        home: bytes of the folder that it may write to.
        printed: characters of its output that are kept, half from the start, half from the end.
        answer: bytes of one answer, and ten times as many of all answers to one exercise: judging
            them takes the grader's time.
        notebook: bytes of the notebook file, outputs included.
        cells: how many cells a notebook may have.
        start: seconds in which the worker must be there, and have read the notebook.
        load: seconds for the imports and definitions that an exercise needs.
        submission: seconds for all exercises together.
        poll: seconds between two looks at its processes.
    """

    memory: int = 2 * 2**30
    processes: int = 64
    file_size: int = 2**26
    home: int = 2**26
    printed: int = 4000
    answer: int = 8 * 2**20
    notebook: int = 200 * 2**20
    cells: int = 5000
    start: float = 30.0
    load: float = 30.0
    submission: float = 300.0
    poll: float = 0.1
