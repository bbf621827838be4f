"""The program of a fresh process that takes samples of one contender when it is told to.

It reads a message per line, as JSON, and answers each: ``python -m hpml.benchmark.sampling.child``.
"""

from __future__ import annotations

import ast
import base64
import gc
import json
import os
import pickle
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any, cast

from hpml.benchmark.sampling.timing import Sampler, Settings, choose_number


class Worker:
    """A contender in its own process; each method handles one kind of message."""

    _sampler: Sampler
    _settings: Settings

    def prepare(self, message: Mapping[str, Any]) -> None:
        """Make the contender and warm it up."""
        sys.path[:] = message["path"]
        if "source" in message:
            run = function_of(message["source"], message["setup"])
        else:
            run = pickle.loads(base64.b64decode(message["pickled"]))
        self._settings = Settings(**message["settings"])
        self._sampler = Sampler(run, self._settings)

    def result(self, message: Mapping[str, Any]) -> str:
        """Return one result, for `check`."""
        return base64.b64encode(pickle.dumps(self._sampler.result())).decode("ascii")

    def warm_up(self, message: Mapping[str, Any]) -> None:
        for _ in range(self._settings.warm_up):
            self._sampler.call()
        if not self._settings.collector:
            gc.collect()
            gc.freeze()

    def choose(self, message: Mapping[str, Any]) -> tuple[int, float, int]:
        """Return the calls per sample, the seconds per call and the number of calls made."""
        return choose_number(self._sampler.elapsed, self._settings.min_sample_time)

    def sample(self, message: Mapping[str, Any]) -> float:
        """Return the seconds per call of one sample."""
        gc.collect()
        return self._sampler.elapsed(message["number"]) / int(message["number"])

    def finish(self, message: Mapping[str, Any]) -> dict[str, Any]:
        collecting = 0.0
        if not self._settings.collector:
            collecting = self._sampler.collecting(message["number"])
        sampler = self._sampler
        return {"first": sampler.first, "changed": sampler.changed, "collecting": collecting}


def function_of(source: str, setup: str) -> Callable[[], object]:
    """Return a function that runs `source` and returns its last value, as timeit runs a statement.

    Names that `setup` defines are global variables of the function.

    >>> function_of("double(n)", "n = 21\\ndef double(n): return 2 * n")()
    42
    """
    body = ast.parse(source, "<contender>").body
    if body and isinstance(last := body[-1], ast.Expr):
        body[-1] = ast.copy_location(ast.Return(last.value), last)
    module = ast.parse("def contender(): pass", "<contender>")
    cast("ast.FunctionDef", module.body[0]).body = body or [ast.Pass()]
    names: dict[str, Any] = {"__name__": "hpml_contender"}
    exec(compile(setup, "<setup>", "exec"), names)
    exec(compile(ast.fix_missing_locations(module), "<contender>", "exec"), names)
    return cast("Callable[[], object]", names["contender"])


def main() -> None:
    """Answer messages until the parent closes the pipe."""
    # What a contender prints is no answer, and what it reads is no message.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    messages = os.fdopen(os.dup(0), encoding="utf-8")
    os.dup2(2, 1)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    worker = Worker()
    for line in messages:
        message = json.loads(line)
        answer: dict[str, Any]
        try:
            answer = {"value": getattr(worker, message["do"])(message)}
        except BaseException as error:  # noqa: BLE001 - the parent names the contender
            traceback.print_exc()
            answer = {"error": str(error), "kind": type(error).__name__}
        print(json.dumps(answer), file=answers, flush=True)


if __name__ == "__main__":
    main()
