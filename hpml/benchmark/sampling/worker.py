"""The other end of `hpml.benchmark.sampling.process`: takes samples when told to, over a pipe.

Every message is one line of JSON, and for each request one comes back. The first starts it, with
``target`` ("module:function"), ``arguments``, ``settings`` and ``import_path``::

    {"do": "start", "target": ...}     {"environment": {...}}
    {"do": "call"}                     {}
    {"do": "result"}                   {"result": plain data}
    {"do": "sample", "number": 20}     {"elapsed": seconds}
    {"do": "loop"}                     {"elapsed": seconds}
    (anything that raises)             {"error": "ValueError: ...", "traceback": "..."}

When the parent goes away the pipe ends, and so does this process.
"""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from collections.abc import Mapping
from typing import Any

from hpml.base.child_process import take_input, take_output, write_message
from hpml.base.environment import environment_record
from hpml.base.errors import describe
from hpml.benchmark.agreement import plain
from hpml.benchmark.errors import WorkerError, error_text
from hpml.benchmark.sampling.contender import Contender
from hpml.benchmark.sampling.timing import Sampler, Settings


def main() -> int:
    """Serve requests until the pipe ends; return the exit code."""
    answers, requests = take_output(), take_input()
    sampler: Sampler | None = None
    for line in requests:
        request = json.loads(line)
        try:
            if sampler is None:
                sampler = start(request)
            write_message(answers, respond(sampler, request))
        except BaseException as error:  # noqa: BLE001 - the parent raises it, whatever it is
            write_message(
                answers, {"error": error_text(error), "traceback": traceback.format_exc()}
            )
            if sampler is None:
                return 1
    return 0


def start(order: Mapping[str, Any]) -> Sampler:
    """Return the sampler of what the order names."""
    sys.path.extend(entry for entry in order["import_path"] if entry not in sys.path)
    return load(order["target"], order["arguments"]).open(Settings(**order["settings"]))


def respond(sampler: Sampler, request: Mapping[str, Any]) -> dict[str, object]:
    """Do what a request asks and return the answer to it."""
    if request["do"] == "start":
        settings: dict[str, Any] = request["settings"]
        record = environment_record(threads=settings["threads"], device=settings["device"])
        return {"environment": record}
    if request["do"] == "sample":
        return {"elapsed": sampler.elapsed(int(request["number"]))}
    if request["do"] == "result":
        return {"result": plain(sampler.result())}
    sampler.call()
    return {}


def load(target: str, arguments: Mapping[str, Any]) -> Contender:
    """Return the contender that ``module:function`` makes of the arguments."""
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
    sys.exit(main())
