"""The other end of `hpml.benchmark.process`: takes samples when told to, over a pipe.

Started as ``python -m hpml.benchmark.worker ORDER``, where ORDER is a JSON object: ``target``
("module:function"), ``arguments``, ``settings`` and ``import_path``. Every message is one line of
JSON. After the start, and for each request, one line comes back::

    (start)                            {"timer": ..., "environment": {...}}
    {"do": "call"}                     {}
    {"do": "result"}                   {"result": plain data}
    {"do": "sample", "number": 20}     {"elapsed": seconds}
    (anything that raises)             {"error": "ValueError: ...", "traceback": "..."}

When the parent goes away the pipe ends, and so does this process.
"""

from __future__ import annotations

import functools
import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from hpml.base.environment import environment_record
from hpml.base.errors import describe
from hpml.benchmark.agreement import plain
from hpml.benchmark.contender import Contender
from hpml.benchmark.errors import WorkerError
from hpml.benchmark.timing import Sampler, Settings

__all__ = ["load", "main"]


def main(arguments: list[str]) -> int:
    """Serve requests until the pipe ends; return the exit code."""
    # Answers keep the pipe for themselves: whatever the contender prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(make: Callable[[], Mapping[str, object]]) -> bool:
        try:
            text, good = json.dumps(make()), True
        except Exception as error:  # noqa: BLE001 - the parent raises it, whatever it is
            error_text = f"{type(error).__name__}: {error}"
            text = json.dumps({"error": error_text, "traceback": traceback.format_exc()})
            good = False
        answers.write(text + "\n")
        answers.flush()
        return good

    order = json.loads(arguments[0])
    sys.path.extend(entry for entry in order["import_path"] if entry not in sys.path)
    settings = Settings(**order["settings"])
    opened: list[Sampler] = []

    def start() -> dict[str, object]:
        sampler = load(order["target"], order["arguments"]).open(settings)
        opened.append(sampler)
        record = environment_record(threads=settings.threads, device=settings.device)
        return {"timer": sampler.timer, "environment": record}

    if not answer(start):
        return 1
    for line in sys.stdin:
        answer(functools.partial(respond, opened[0], json.loads(line)))
    return 0


def respond(sampler: Sampler, request: Mapping[str, Any]) -> dict[str, object]:
    """Do what a request asks and return the answer to it.

    >>> from hpml.benchmark.timing import LocalSampler
    >>> respond(LocalSampler(lambda: 42, Settings()), {"do": "result"})
    {'result': 42}
    """
    if request["do"] == "sample":
        return {"elapsed": sampler.elapsed(int(request["number"]))}
    if request["do"] == "result":
        return {"result": plain(sampler.result())}
    sampler.call()
    return {}


def load(target: str, arguments: Mapping[str, Any]) -> Contender:
    """Return the contender that ``module:function`` makes of the arguments.

    Raises:
        WorkerError: if there is no such function, or it returns something that cannot be timed.

    >>> load("functools:partial", {}) # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ...
    TypeError: ...
    """
    module_name, _, function_name = target.partition(":")
    module = importlib.import_module(module_name)
    make = getattr(module, function_name, None)
    if not callable(make):
        raise WorkerError(
            f"Target {target!r}: expected a function {function_name!r} in module "
            f"{module_name!r}, got {describe(make)}."
        )
    made = make(**arguments)
    if isinstance(made, Contender):
        return made
    if not callable(made):
        raise WorkerError(
            f"Target {target!r}: expected it to return a function without arguments or a "
            f"Contender, got {describe(made)}."
        )
    return Contender(function_name, made)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
