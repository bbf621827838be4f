"""What a submission may use; going over costs it the exercise that ran, and nothing more."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """What a submission may use."""

    memory: int = 2 * 2**30  # resident bytes of all its processes together
    processes: int = 64  # at one time
    file_size: int = 2**26  # bytes of the largest file it may write
    files: int = 256  # open at one time in a process
    home: int = 2**26  # bytes of the folder that it may write to
    printed: int = 4000  # characters of its output that are kept, half from each end
    answer: int = 8 * 2**20  # bytes of all answers to one exercise: judging takes time
    notebook: int = 200 * 2**20  # bytes of its file, outputs included
    cells: int = 5000
    start: float = 30.0  # seconds until the worker has read the notebook
    load: float = 30.0  # seconds for the imports and definitions of an exercise
    submission: float = 300.0  # seconds for all exercises together
    poll: float = 0.1  # seconds between two looks at its processes
