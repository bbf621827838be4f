"""The other end of `hpml.benchmark.process`: takes samples when told to, over a pipe.

Started as ``python -m hpml.benchmark.worker ORDER``, where ORDER is a JSON object: ``target``
("module:function"), ``arguments``, ``settings`` and ``import_path``. Every message is one line of
JSON. After the start, and for each request, one line comes back::

    (start)                            {"timer": ..., "environment": {...}}
    {"do": "call"}                     {"result": plain data}
    {"do": "sample", "number": 20}     {"elapsed": seconds}
    (anything that raises)             {"error": "ValueError: ...", "traceback": "..."}

When the parent goes away the pipe ends, and so does this process.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from hpml.base.environment import environment_record
from hpml.base.errors import describe
from hpml.benchmark.contender import Contender
from hpml.benchmark.errors import WorkerError
from hpml.benchmark.timing import Sampler, Settings

__all__ = ["load", "main", "plain"]


def main(arguments: list[str]) -> int:
    """Serve requests until the pipe ends; return the exit code."""
    # Answers keep the pipe for themselves: whatever the contender prints goes to standard error.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def answer(make: Callable[[], Mapping[str, object]]) -> bool:
        try:
            message, good = make(), True
        except Exception as error:  # noqa: BLE001 - the parent raises it, whatever it is
            message = {
                "error": f"{type(error).__name__}: {error}",
                "traceback": traceback.format_exc(),
            }
            good = False
        answers.write(json.dumps(message) + "\n")
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
    sampler = opened[0]
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "sample":
            number = int(request["number"])
            answer(lambda number=number: {"elapsed": sampler.elapsed(number)})  # type: ignore[misc]
        else:
            answer(lambda: {"result": plain(sampler.call())})
    return 0


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


def plain(value: object) -> object:
    """Return `value` as plain data: an array or tensor as nested lists, the rest unchanged.

    >>> import array
    >>> plain(array.array("d", [1.0, 2.0]))
    [1.0, 2.0]
    """
    to_list = getattr(value, "tolist", None)
    return to_list() if callable(to_list) else value


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
