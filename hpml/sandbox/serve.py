"""The worker process: one notebook, one function of it, one question at a time.

Questions come as lines of JSON on standard input, answers go as lines to what was standard output;
what the submission prints goes to standard error. Until `prepare` has answered, no line of the
submission has run, so that answer can be believed. From `load` on, the submission controls them.

=========  ========================================  =============================================
question   what it gives                             answer
=========  ========================================  =============================================
prepare    ``cells``: source by number, ``name``,    ``found``, ``stub``, ``broken``,
           ``forbids``, ``choice``                   ``versions``: their ``uses``; ``chosen``
load       ``version``, ``only`` what it needs       ``failed``: statements that raised, ``found``
           (or ``reference``: source)
call       ``data``, ``harness``: its source         ``outcome`` of one call
time       ``cases`` as JSON, ``harness``            ``ready``; after ``go``: ``outcomes``
=========  ========================================  =============================================
"""

from __future__ import annotations

import ast
import contextlib
import gc
import inspect
import json
import linecache
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from hpml.sandbox import forbidden
from hpml.sandbox.calling import as_named, call, raised
from hpml.sandbox.deadline import deadline
from hpml.sandbox.harness import load_function, load_harness
from hpml.sandbox.notebook import NOT_LITERAL, Program, Statement, Version, compiled, parse
from hpml.sandbox.plain import decode, encode

_HIGH = 200  # above the descriptors that a program closes or writes to by the dozen
_NEEDED_CELL = 20.0  # seconds for a cell that the function needs
_OTHER_CELL = 2.0  # seconds for any other cell
_OTHERS = 6.0  # and for all of these together


def main(limits: str = "{}") -> None:
    """Serve until the questions end."""
    channel = _Channel(_moved(0), _moved(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    if nothing:
        os.dup2(nothing, 0)
        os.close(nothing)
    os.dup2(2, 1)  # what the submission prints goes where its errors go
    allowed: dict[str, int] = json.loads(limits)
    _limit(allowed)
    Worker(channel).serve()


class _Channel:
    """Lines of JSON over two descriptors."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._buffer = b""
        self._owner = os.getpid()

    def receive(self) -> dict[str, Any] | None:
        """Return the next question; None where there are no more."""
        pieces = [self._buffer]
        while b"\n" not in pieces[-1]:
            piece = os.read(self._incoming, 1 << 20)
            if not piece:
                return None
            pieces.append(piece)
        line, _, self._buffer = b"".join(pieces).partition(b"\n")
        question: dict[str, Any] = json.loads(line)
        return question

    def send(self, answer: dict[str, Any]) -> None:
        """Write one answer."""
        if os.getpid() != self._owner:
            os._exit(0)  # a fork of the submission came back from its call; the first one answers
        _flush()
        line = json.dumps(answer).encode() + b"\n"
        while line:
            line = line[os.write(self._outgoing, line) :]


class Worker:
    """The state of one worker: the notebook read, the function loaded."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel
        self._program = Program((), (), {})
        self._versions: list[Version] = []
        self._name = ""
        self._function: Callable[..., Any] | None = None
        self._missing: dict[str, Any] = {}

    def serve(self) -> None:
        """Answer questions until there are no more."""
        answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "prepare": self.prepare,
            "load": self.load,
            "call": self.call,
            "time": self.time,
        }
        while (question := self._channel.receive()) is not None:
            answer = answers[question["do"]](question)
            self._channel.send({"id": question["id"], **answer})

    def prepare(self, question: dict[str, Any]) -> dict[str, Any]:
        """Read the notebook and say what it holds of the function, without running any of it."""
        name = self._name = question["name"]
        try:
            program = parse({int(number): text for number, text in question["cells"].items()})
            banned = {key: tuple(names) for key, names in question["forbids"].items()}
            versions = program.versions(name)
            # Where nothing binds the name, as under `exec`, any statement may make the function.
            read = [each.statements or program.statements for each in versions]
            uses = [forbidden.uses(statements, **banned) for statements in read]
            chosen = program.literals(question["choice"])
            found = program.defines(name)
            stub = program.is_stub(name)
        except (RecursionError, MemoryError, ValueError) as error:
            return {"unreadable": f"The notebook's source could not be read: {error}"}
        self._program, self._versions = program, versions
        return {
            "found": found,
            "stub": stub,
            "broken": [{"cell": each.cell, "message": each.message} for each in program.broken],
            "chosen": [encode(each) for each in chosen if each is not NOT_LITERAL],
            "versions": [[f"cell {use.cell}, {use}" for use in each] for each in uses],
        }

    def load(self, question: dict[str, Any]) -> dict[str, Any]:
        """Execute the cells in order, and look the function up afterwards."""
        if "reference" in question:
            self._function = load_function(question["reference"])
            return {"failed": [], "found": True}
        version = self._versions[question.get("version", 0)]
        module = ModuleType("__main__")
        # Pickling and dataclasses look up a class's module by name, as in a notebook.
        sys.modules["__main__"] = module
        module.__dict__.update(get_ipython=_Shell, display=_nothing)
        chosen = version.statements if question.get("only") else self._program.statements
        cells = _Cells(self._program, version, chosen, self._name, module.__dict__)
        failed = cells.run()
        self._function = cells.function
        if self._function is None:
            value = module.__dict__.get(self._name)
            kind = TypeError(f"{self._name} is not a function: {type(value).__name__}")
            self._missing = failed[-1]["outcome"] if failed else raised(kind)
        return {"failed": failed, "found": self._function is not None}

    def call(self, question: dict[str, Any]) -> dict[str, Any]:
        """Call the function once."""
        return {"outcome": self._outcome(question, question["data"])}

    def _outcome(self, question: dict[str, Any], data: object) -> dict[str, Any]:
        if self._function is None:
            return self._missing
        arguments, observe = load_harness(question["harness"])
        return call(self._function, arguments, observe, decode(data))

    def time(self, question: dict[str, Any]) -> dict[str, Any]:
        """Make the inputs, wait for the sign, call, and return all outcomes as plain data."""
        # A pause of the collector would hit at any time the side that has more objects.
        gc.disable()
        arguments, observe = load_harness(question["harness"])
        given = [arguments(decode(json.loads(data))) for data in question["cases"]]
        function = self._function or _missing
        named = [as_named(function, keywords) for keywords in given]
        self._channel.send({"id": question["id"], "ready": True})
        if self._channel.receive() is None:
            return {}
        outcomes: list[dict[str, Any]] = []
        try:
            results = [function(**keywords) for keywords in named]
            for result, keywords in zip(results, given, strict=True):
                value = encode(observe(result, keywords))
                outcomes.append({"outcome": "returned", "value": value, "changed": {}})
        except BaseException as error:  # noqa: BLE001 - an outcome like any other
            outcomes.append(raised(error, function))
        gc.enable()
        return {"outcomes": outcomes}


@dataclass
class _Cells:
    """The cells of a notebook while they run: each has a deadline, and spoils only itself."""

    program: Program
    version: Version
    statements: Sequence[Statement]
    name: str
    namespace: dict[str, Any]
    left: float = _OTHERS  # seconds for the cells that the function does not need
    function: Callable[..., Any] | None = None

    def run(self) -> list[dict[str, Any]]:
        """Execute the cells in order; return the statements that are needed and raised."""
        needed = {each.cell for each in self.version.statements}
        failed: list[tuple[Statement, BaseException]] = []
        cells: dict[int, list[Statement]] = {}
        for statement in self.statements:
            if statement.cell <= self.version.until:
                cells.setdefault(statement.cell, []).append(statement)
        for cell, statements in cells.items():
            failed += self._cell(cell, statements, needed=cell in needed)
        # Cells may have been run in another order: what lacked a name is tried again at the end.
        for entry in failed[:]:
            if isinstance(entry[1], NameError):
                failed.remove(entry)
                again = entry[0]
                failed += self._cell(again.cell, [again], needed=again.cell in needed)
        return [
            {"cell": each.cell, "line": each.line, "outcome": raised(error)}
            for each, error in failed
            # Beside them there are imports of the course, which fail here.
            if each in self.version.statements
        ]

    def _cell(
        self, cell: int, statements: Sequence[Statement], *, needed: bool
    ) -> list[tuple[Statement, BaseException]]:
        seconds = _NEEDED_CELL if needed else min(_OTHER_CELL, self.left)
        if seconds <= 0:
            return []
        began, before = time.monotonic(), self.namespace.get(self.name)
        failed: list[tuple[Statement, BaseException]] = []
        late = _LateError(f"The cell ran for more than {seconds:.0f} seconds.")
        with contextlib.suppress(_LateError), deadline(seconds, late):
            for statement in statements:
                try:
                    self._execute(statement)
                except _LateError as error:
                    failed.append((statement, error))
                    break
                except BaseException as error:  # noqa: BLE001 - SystemExit at import, and worse
                    failed.append((statement, error))
        self.left -= 0.0 if needed else time.monotonic() - began
        value = self.namespace.get(self.name)
        # A copy of the stub below the solution does not replace it.
        if value is not before and callable(value) and not self._is_stub(cell):
            self.function = value
        return failed

    def _is_stub(self, cell: int) -> bool:
        """Return whether a cell binds the function by nothing but a stub."""
        read = self.program.statements
        found = any(each.cell == cell and self.name in each.binds for each in read)
        return found and all(each.cell != cell for each in self.program.definitions(self.name))

    def _execute(self, statement: Statement) -> None:
        file = f"<cell {statement.cell}>"
        source = self.program.sources[statement.cell]
        # So that an error can show its line: linecache finds the text by the file's name.
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        tree = ast.Module([statement.node], [])
        code = compiled(tree, self.program.flags, file)
        waiting = eval(code, self.namespace)
        if code.co_flags & inspect.CO_COROUTINE:
            import asyncio  # takes long to import, and few need it

            asyncio.run(waiting)


class _LateError(BaseException):
    """A cell took too long."""


class _Shell:
    """Stands for IPython's shell in a function that speaks to it: whatever it does, nothing."""

    def __getattr__(self, name: str) -> Callable[..., None]:
        return _nothing


def _nothing(*_: object, **__: object) -> None:
    pass


def _limit(allowed: dict[str, int]) -> None:
    """Limit what this process and its children may do; what the system does not know is left."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {"RLIMIT_CORE": 0, "RLIMIT_NPROC": allowed.get("processes")}
    limits |= {"RLIMIT_FSIZE": allowed.get("file_size"), "RLIMIT_NOFILE": allowed.get("files")}
    for name, most in limits.items():
        if most is not None and hasattr(resource, name):
            # Processes are counted by user, and outside of a sandbox the user has others.
            if name == "RLIMIT_NPROC" and os.environ.get("HOME") != "/home/student":
                continue
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(getattr(resource, name), (most, most))
    # A system without memory ends this one, and not the grader.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as stream:
        stream.write("1000")


def _flush() -> None:
    """Let out what the submission printed: this process is killed when it has answered."""
    for stream in (sys.stdout, sys.stderr):
        # Whatever a submission put in their place, or did to them.
        with contextlib.suppress(BaseException):
            stream.flush()


def _moved(descriptor: int) -> int:
    """Return a high descriptor for the same file, not inherited; the low one may be taken over."""
    try:
        import fcntl
    except ImportError:  # Windows
        return os.dup(descriptor)
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)


def _missing(**keywords: object) -> None:
    raise TypeError("there is no function to call")


if __name__ == "__main__":
    main()
