"""The worker process: one notebook, one function of it, one question at a time.

Questions come as lines of JSON on standard input, answers go as lines to what was standard output;
what the submission prints goes to standard error. Up to `prepare` not a line of the submission has
run, so its answer can be believed. From `load` on, the submission may say what it likes.

=========  =======================================  ==============================================
question   what it gives                            answer
=========  =======================================  ==============================================
prepare    ``notebook``, ``name``, ``forbids``,     ``found``, ``stub``, ``broken``, ``shape``,
           ``choice``: name of the explanation      ``uses`` of each version, ``chosen``
load       ``version`` (or ``reference``: source)   ``failed``: statements that raised
call       ``data``, ``harness``: its source        ``outcome`` of one call
time       ``cases`` as JSON, ``harness``           ``ready``; after ``go``: ``done``, ``outcomes``
=========  =======================================  ==============================================
"""

from __future__ import annotations

import ast
import contextlib
import gc
import json
import linecache
import os
import sys
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from hpml.sandbox import forbidden
from hpml.sandbox.calling import call, raised
from hpml.sandbox.cells import NotebookError
from hpml.sandbox.harness import load_function, load_harness
from hpml.sandbox.notebook import NOT_LITERAL, Program, Statement, read
from hpml.sandbox.plain import decode, encode
from hpml.sandbox.shape import shape

_HIGH = 200  # above the descriptors that a program closes or writes to by the dozen
_CELLS = 100_000


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
    Worker(channel, allowed.get("cells", _CELLS)).serve()


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

    def __init__(self, channel: Any, cells: int = _CELLS) -> None:
        self._channel = channel
        self._cells = cells
        self._program = Program((), (), {})
        self._versions: list[tuple[Statement, ...]] = []
        self._name = ""
        self._function: Callable[..., Any] | None = None
        self._missing: dict[str, Any] = {}

    def serve(self) -> None:
        """Answer questions until there are no more."""
        answers: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
            "prepare": self.prepare,
            "load": self.load,
            "call": self.call,
        }
        while (question := self._channel.receive()) is not None:
            if question["do"] == "time":
                self._time(question)
                continue
            answer = answers[question["do"]](question)
            self._channel.send({"id": question["id"], **answer})

    def prepare(self, question: dict[str, Any]) -> dict[str, Any]:
        """Read the notebook and say what it holds of the function, without running any of it."""
        self._name = question["name"]
        try:
            program = self._program = read(question["notebook"], self._cells)
            found = program.defines(self._name)
            stub = found and program.is_stub(self._name)
            banned = {key: tuple(names) for key, names in question["forbids"].items()}
            versions = program.versions(self._name, banned.get("names", ())) if found else []
            uses = [forbidden.uses(version, **banned) for version in versions]
            chosen = program.literal(question["choice"])
        except NotebookError as error:
            return {"unreadable": str(error)}
        except (RecursionError, MemoryError, ValueError) as error:
            return {"unreadable": f"The notebook's source could not be read: {error}"}
        self._versions = versions
        return {
            "found": found,
            "stub": stub,
            "broken": [{"cell": each.cell, "message": each.message} for each in program.broken],
            "shape": shape(versions[0]) if versions else "",
            "chosen": [] if chosen is NOT_LITERAL else [encode(chosen)],
            "uses": [[f"cell {use.cell}, {use}" for use in each] for each in uses],
        }

    def load(self, question: dict[str, Any]) -> dict[str, Any]:
        """Execute what the function needs; a statement that fails spoils only itself."""
        if "reference" in question:
            self._function = load_function(question["reference"])
            return {"failed": []}
        program, version = self._program, self._versions[question.get("version", 0)]
        module = ModuleType("__main__")
        # Pickling and dataclasses look a class's module up by name, as in a notebook.
        sys.modules["__main__"] = module
        module.__dict__.update(get_ipython=_Shell, display=_nothing)
        for name, text in program.files.items():
            with contextlib.suppress(OSError), open(name, "w", encoding="utf-8") as stream:
                stream.write(text)
        failed = execute(program, version, module.__dict__)
        function = module.__dict__.get(self._name)
        if callable(function):
            self._function = function
        else:
            first = failed[-1]["outcome"] if failed else {}
            self._missing = first or raised(
                TypeError(f"{self._name} is no function: {type(function).__name__}")
            )
        return {"failed": failed}

    def call(self, question: dict[str, Any]) -> dict[str, Any]:
        """Call the function once."""
        return {"outcome": self._outcome(question, question["data"])}

    def _outcome(self, question: dict[str, Any], data: object) -> dict[str, Any]:
        if self._function is None:
            return self._missing
        arguments, observe = load_harness(question["harness"])
        return call(self._function, arguments, observe, decode(data))

    def _time(self, question: dict[str, Any]) -> None:
        """Make the inputs, wait, call, and only then look at what came."""
        number = question["id"]
        # A pause of the collector would hit whoever has more objects, at any time.
        gc.disable()
        arguments, observe = load_harness(question["harness"])
        given = [arguments(decode(json.loads(data))) for data in question["cases"]]
        function = self._function or _missing
        self._channel.send({"id": number, "ready": True})
        if self._channel.receive() is None:
            return
        results: list[Any] = []
        error: BaseException | None = None
        try:
            for keywords in given:
                results.append(function(**keywords))
        except BaseException as raising:  # noqa: BLE001 - an outcome like any other
            error = raising
        self._channel.send({"id": number, "done": True})
        outcomes = [
            _observed(observe, result, keywords)
            for result, keywords in zip(results, given, strict=False)
        ]
        if error is not None:
            outcomes.append(raised(error, function))
        self._channel.send({"id": number, "outcomes": outcomes})
        gc.enable()


def execute(
    program: Program, statements: Sequence[Statement], namespace: dict[str, Any]
) -> list[dict[str, Any]]:
    """Execute statements of a program in `namespace`, one by one; return those that raised."""
    failed: list[dict[str, Any]] = []
    for statement in statements:
        error = _executed(program, statement, namespace)
        if error is not None:
            failed.append({"statement": statement, "error": error})
    # Cells may have been run in another order: what lacked a name is tried again after the others.
    for entry in failed[:]:
        if isinstance(entry["error"], NameError):
            failed.remove(entry)
            error = _executed(program, entry["statement"], namespace)
            if error is not None:
                failed.append({**entry, "error": error})
    return [
        {
            "cell": entry["statement"].cell,
            "line": entry["statement"].line,
            "outcome": raised(entry["error"]),
        }
        for entry in failed
    ]


def _executed(
    program: Program, statement: Statement, namespace: dict[str, Any]
) -> BaseException | None:
    """Execute one statement; return what it raised."""
    file = f"<cell {statement.cell}>"
    source = program.sources[statement.cell]
    # So that an error can show its line: linecache finds the text by the file's name.
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    try:
        tree = ast.Module([statement.node], [])
        code = compile(tree, file, "exec", flags=program.flags, dont_inherit=True)
        exec(code, namespace)
    except BaseException as error:  # noqa: BLE001 - SystemExit at import, and worse
        return error
    return None


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
    limits |= {"RLIMIT_FSIZE": allowed.get("file_size")}
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


def _observed(observe: Callable[..., Any], result: object, given: dict[str, Any]) -> dict[str, Any]:
    # As `call` does it, without comparing the arguments: each call had its own.
    try:
        value = encode(observe(result, given))
    except BaseException as error:  # noqa: BLE001 - it meets whatever a submission returned
        return raised(error)
    return {"outcome": "returned", "value": value, "changed": {}}
