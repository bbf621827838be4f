"""What the exercises of one submission share, and its workers."""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.course.exercises.exercise import Choice, Exercise
from hpml.course.exercises.wrong_answers import WrongAnswerProcess
from hpml.grading import sandbox
from hpml.grading.sandbox import Limits
from hpml.grading.worker_client import Printed, WorkerClient


@dataclass(eq=False)
class Submitted:
    """What the exercises of one submission share."""

    cells: Mapping[int, str]
    seed: int
    limits: Limits
    deadline: float
    isolation: sandbox.Isolation
    choice: Choice
    wrong_answers: WrongAnswerProcess
    workers: set[WorkerClient] = field(default_factory=set)
    chosen: list[Any] | None = None  # the explanation's value, once a worker has read it

    def left(self, seconds: float) -> float:
        """Return `seconds`, or what is left of the submission's time if that is less."""
        return min(seconds, self.deadline - time.monotonic())

    @contextlib.contextmanager
    def worker(self, printed: Printed, exercise: Exercise | None = None) -> Iterator[WorkerClient]:
        """Start a worker for the time of a block; with it ends all that it started."""
        limits = self.limits
        # The worker can read it, and must not learn the seed of the cases from it.
        seed = int.from_bytes(hashlib.sha256(f"hashes {self.seed}".encode()).digest()[:4])
        with contextlib.ExitStack() as exits:
            packages = () if exercise is None else exercise.packages
            forbidden = () if exercise is None else exercise.forbids.modules
            if self.isolation == "bubblewrap":
                command = sandbox.sandboxed_command(limits, packages=packages, forbidden=forbidden)
                home, folder = sandbox.HOME, None
            else:
                home = exits.enter_context(
                    tempfile.TemporaryDirectory(prefix="hpml-", ignore_cleanup_errors=True)
                )
                folder = Path(home)
                another = self.isolation == "user"
                command = sandbox.plain_command(limits, folder, packages, forbidden, another)
            environment = sandbox.environment(home, hash_seed=seed)
            worker = WorkerClient(command, environment, limits, printed, folder)
            self.workers.add(worker)
            try:
                yield worker
            finally:
                self.workers.discard(worker)
                worker.close()
