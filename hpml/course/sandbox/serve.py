"""The worker process: it serves one function of one notebook.

Questions arrive as lines of JSON on standard input, and answers leave on the original standard
output; output of the submission goes to standard error. No line of the submission runs before
`prepare` has answered, so that answer is trustworthy. From `load` on, the submission may forge
answers.

=========  ========================================  =============================================
question   content                                   answer
=========  ========================================  =============================================
prepare    ``cells``: source by number, ``name``,    ``found``, ``stub``, ``broken``,
           ``forbids``, ``choice``                   ``versions``: their ``uses``; ``chosen``
load       ``version``, ``only`` what it needs       ``cell`` before each cell that it needs; then
           (or ``reference``: source)                ``failed``: statements that raised, ``found``,
                                                     ``held``: what it reaches that is forbidden
call       ``data``, ``harness``: its source         ``outcome`` of one call
time       ``case`` as JSON, ``harness``             ``ready``; after ``go``: ``timed``, an outcome
=========  ========================================  =============================================
"""

from __future__ import annotations

import ast
import contextlib
import gc
import inspect
import io
import json
import linecache
import os
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Any

from hpml.course.sandbox import forbidden
from hpml.course.sandbox.calling import as_named, call, raised
from hpml.course.sandbox.deadline import deadline
from hpml.course.sandbox.harness import load_function, load_harness
from hpml.course.sandbox.held import held
from hpml.course.sandbox.notebook import NOT_LITERAL, Program, Statement, Version, compiled, parse
from hpml.course.sandbox.plain import decode, encode

_HIGH = 200  # above the descriptors that programs close or write to in bulk
_NEEDED_CELL = 20.0  # seconds for each cell that the function needs
_OTHER_CELL = 2.0  # seconds for each other cell
_OTHERS = 6.0  # seconds for all other cells together


def main(limits: str = "{}") -> None:
    """Serve until standard input ends."""
    channel = _Channel(_moved(0), _moved(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    if nothing:
        os.dup2(nothing, 0)
        os.close(nothing)
    os.dup2(2, 1)  # output of the submission goes to standard error
    allowed: dict[str, int] = json.loads(limits)
    _limit(allowed)
    Worker(channel).serve()


class _Channel:
    """Send and receive lines of JSON over two descriptors."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = os.fdopen(incoming, "rb")
        self._outgoing = outgoing
        self._owner = os.getpid()

    def receive(self) -> dict[str, Any] | None:
        """Return the next question; None at the end."""
        line = self._incoming.readline()
        question: dict[str, Any] | None = json.loads(line) if line else None
        return question

    def send(self, answer: dict[str, Any]) -> None:
        """Send an answer."""
        if os.getpid() != self._owner:
            os._exit(0)  # a forked child returned from the call; only its parent answers
        _flush()
        line = json.dumps(answer).encode() + b"\n"
        while line:
            line = line[os.write(self._outgoing, line) :]


class Worker:
    """The state of a worker: the parsed notebook and the loaded function."""

    def __init__(self, channel: Any) -> None:
        self._channel = channel
        self._program = Program((), (), {})
        self._versions: list[Version] = []
        self._name = ""
        self._forbids: dict[str, tuple[str, ...]] = {}
        self._asked = ""
        self._namespace: dict[str, Any] = {}
        self._left = _OTHERS
        self._function: Callable[..., Any] | None = None
        self._missing: dict[str, Any] = {}

    def serve(self) -> None:
        """Answer all questions."""
        answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "prepare": self.prepare,
            "load": self.load,
            "call": self.call,
            "time": self.time,
        }
        while (question := self._channel.receive()) is not None:
            self._asked = question["id"]
            answer = answers[question["do"]](question)
            self._channel.send({"id": question["id"], **answer})

    def prepare(self, question: dict[str, Any]) -> dict[str, Any]:
        """Parse the notebook and describe the definitions of the function; run nothing."""
        name = self._name = question["name"]
        try:
            program = parse({int(number): text for number, text in question["cells"].items()})
            banned = {key: tuple(names) for key, names in question["forbids"].items()}
            self._forbids = banned
            versions = program.versions(name)
            # If no statement binds the name (`exec`), any statement may define the function.
            read = [each.statements for each in versions]
            if not program.defines(name):
                read = [program.statements]
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
        """Execute the cells in order, then look up the function."""
        if "reference" in question:
            self._function = load_function(question["reference"])
            return {"failed": [], "found": True}
        version = self._versions[question.get("version", 0)]
        # Pickle and dataclasses look up a class's module by name.
        module = sys.modules["__main__"] = ModuleType("__main__")
        self._namespace = module.__dict__
        self._namespace.update(get_ipython=partial(_Shell, self._namespace), display=_nothing)
        chosen = version.statements if question.get("only") else self._program.statements
        failed = self._run(version, chosen)
        if self._function is None:
            value = self._namespace.get(self._name)
            kind = TypeError(f"{self._name} is not a function: {type(value).__name__}")
            self._missing = failed[-1]["outcome"] if failed else raised(kind)
        modules = self._forbids.get("modules", ())
        names = {
            name for key in ("names", "calls", "inside") for name in self._forbids.get(key, ())
        }
        reached = held(self._function, self._namespace, modules, names)
        return {"failed": failed, "found": self._function is not None, "held": reached}

    def call(self, question: dict[str, Any]) -> dict[str, Any]:
        """Call the function once."""
        return {"outcome": self._outcome(question, question["data"])}

    def _outcome(self, question: dict[str, Any], data: object) -> dict[str, Any]:
        if self._function is None:
            return self._missing
        arguments, observe = load_harness(question["harness"])
        return call(self._function, arguments, observe, decode(data))

    def time(self, question: dict[str, Any]) -> dict[str, Any]:
        """Build the input, wait for the start signal, call, and return the outcome."""
        # Collector pauses would slow the side that has more objects.
        gc.disable()
        arguments, observe = load_harness(question["harness"])
        given = arguments(decode(json.loads(question["case"])))
        function = self._function
        assert function is not None  # only what answered all cases is timed
        named = as_named(function, given)
        self._channel.send({"id": question["id"], "ready": True})
        if self._channel.receive() is None:
            return {}
        try:
            value = encode(observe(function(**named), given))
            outcome = {"outcome": "returned", "value": value, "changed": {}}
        except BaseException as error:  # noqa: BLE001 - is an outcome too
            outcome = raised(error, function)
        gc.enable()
        return {"timed": outcome}

    def _run(self, version: Version, chosen: Sequence[Statement]) -> list[dict[str, Any]]:
        """Execute statements cell by cell; return those that the function needs and that raised."""
        needed = {each.cell for each in version.statements}
        failed: list[tuple[Statement, BaseException]] = []
        cells: dict[int, list[Statement]] = {}
        for statement in chosen:
            if statement.cell <= version.until:
                cells.setdefault(statement.cell, []).append(statement)
        for cell, statements in cells.items():
            if cell in needed:  # named if nothing follows
                self._channel.send({"id": self._asked, "cell": cell})
            failed += self._cell(cell, statements, needed=cell in needed)
        # The student may have run cells in another order: retry those that lacked a name.
        for entry in failed[:]:
            if isinstance(entry[1], NameError):
                failed.remove(entry)
                again = entry[0]
                failed += self._cell(again.cell, [again], needed=again.cell in needed)
        return [
            {"cell": each.cell, "line": each.line, "outcome": raised(error)}
            for each, error in failed
            # Others, such as imports of the course, fail in the sandbox.
            if each in version.statements or (isinstance(error, LateError) and each.cell in needed)
        ]

    def _cell(
        self, cell: int, statements: Sequence[Statement], *, needed: bool
    ) -> list[tuple[Statement, BaseException]]:
        seconds = _NEEDED_CELL if needed else min(_OTHER_CELL, self._left)
        if seconds <= 0:
            return []
        began, before = time.monotonic(), self._namespace.get(self._name)
        failed: list[tuple[Statement, BaseException]] = []
        late = LateError(f"Cell {cell} ran for more than {seconds:.0f} seconds.")
        # The student is shown what the function prints, not the rest of the notebook.
        shown = sys.stdout if any(self._name in each.binds for each in statements) else _Nowhere()
        with (
            contextlib.redirect_stdout(shown),
            contextlib.redirect_stderr(shown),
            contextlib.suppress(LateError),
            deadline(seconds, late),
        ):
            for statement in statements:
                try:
                    self._execute(statement)
                except LateError as error:
                    failed.append((statement, error))
                    break
                except BaseException as error:  # noqa: BLE001 - even SystemExit
                    failed.append((statement, error))
        self._left -= 0.0 if needed else min(seconds, time.monotonic() - began)
        value = self._namespace.get(self._name)
        # A copy of the stub below the solution does not replace it.
        if value is not before and callable(value) and not self._is_stub(cell):
            self._function = value
        return failed

    def _is_stub(self, cell: int) -> bool:
        """Return whether a cell defines the function only by a stub."""
        read = self._program.statements
        found = any(each.cell == cell and self._name in each.binds for each in read)
        return found and all(each.cell != cell for each in self._program.definitions(self._name))

    def _execute(self, statement: Statement) -> None:
        file = f"<cell {statement.cell}>"
        source = self._program.sources[statement.cell]
        # Lets linecache find the source lines for error messages.
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
        tree = ast.Module([statement.node], [])
        code = compiled(tree, self._program.flags, file)
        waiting = eval(code, self._namespace)
        if code.co_flags & inspect.CO_COROUTINE:
            import asyncio  # slow to import and rarely needed

            asyncio.run(waiting)


class LateError(BaseException):
    """A cell exceeded its deadline."""


class _Nowhere(io.StringIO):
    """Discards what is written to it."""

    def write(self, text: str) -> int:
        return len(text)


class _Shell:
    """Replaces IPython's shell; every method does nothing, but for ``%run`` of a written file."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self._namespace = namespace

    def run_line_magic(self, magic: str, line: str, *_: object) -> None:
        """Execute the file that ``%run`` names, if the notebook has written it."""
        name = line.split()[-1].strip("\"'") if line.strip() else ""
        if magic == "run" and os.path.isfile(name):
            with open(name, encoding="utf-8") as stream:
                exec(compile(stream.read(), name, "exec", dont_inherit=True), self._namespace)

    def __getattr__(self, name: str) -> Callable[..., None]:
        return _nothing


def _nothing(*_: object, **__: object) -> None:
    pass


def _limit(allowed: dict[str, int]) -> None:
    """Set the resource limits that this system knows, for this process and its children."""
    try:
        import resource
    except ImportError:  # Windows
        return
    limits = {"RLIMIT_CORE": 0, "RLIMIT_NPROC": allowed.get("processes")}
    limits |= {"RLIMIT_FSIZE": allowed.get("file_size"), "RLIMIT_NOFILE": allowed.get("files")}
    for name, most in limits.items():
        if most is not None and hasattr(resource, name):
            # The system counts processes per user, who has others outside the sandbox.
            if name == "RLIMIT_NPROC" and os.environ.get("HOME") != "/home/student":
                continue
            with contextlib.suppress(ValueError, OSError):
                resource.setrlimit(getattr(resource, name), (most, most))
    # Out of memory, the system should end this process and not the grader.
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as stream:
        stream.write("1000")


def _flush() -> None:
    """Flush the output of the submission, because the grader kills this process."""
    for stream in (sys.stdout, sys.stderr):
        # The submission may have replaced or broken the streams.
        with contextlib.suppress(BaseException):
            stream.flush()


def _moved(descriptor: int) -> int:
    """Duplicate a descriptor to a high number that children do not inherit."""
    try:
        import fcntl
    except ImportError:  # Windows
        return os.dup(descriptor)
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH)


if __name__ == "__main__":
    main()
