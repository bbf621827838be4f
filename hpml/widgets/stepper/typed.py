"""A function from typed text, in a namespace of its own; errors become sentences."""

from __future__ import annotations

import ast
import builtins
import contextlib
import hashlib
import io
import linecache
import textwrap
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any, NamedTuple

from hpml.bytecode import BytecodeError, Machine, StepLimitError
from hpml.widgets.errors import WidgetError

_LIMIT = 100_000
_FILE = "<typed {}>"
_YOURS = "your call"


class Called(NamedTuple):
    """A function and what it is to be called with."""

    function: FunctionType
    args: tuple[Any, ...] = ()
    kwargs: Mapping[str, Any] = {}


def function_of_text(text: str, names: tuple[str, ...] = ()) -> FunctionType:
    """Return the last function that a text defines; text without one is the body of a function."""
    if not text.strip():
        raise WidgetError("There is nothing to step through: the source text is empty.")
    text = textwrap.dedent(text).strip("\n")
    wrapped = f"def program({', '.join(names)}):\n{textwrap.indent(text, '    ')}\n"
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        # `return` is no mistake in a body, but everything else is to be said about the text itself.
        tree = None
    if tree is not None and not _functions(tree):
        with contextlib.suppress(WidgetError):
            _compiled(wrapped)
            text = wrapped
    return _last_function(text)


def prepared_call(text: str, call: str) -> Called:
    """Return the function that `call` calls, of those that `text` defines, and its arguments."""
    if not text.strip():
        raise WidgetError("There is no function yet: type one, such as def f(a, b): return a + b.")
    if not call.strip():
        raise WidgetError("There is no call yet: type one, such as f(2, 3).")
    namespace = _executed_text(text)
    source = call.strip()
    name = _registered(source)
    try:
        tree = ast.parse(source, name, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise WidgetError(_message(error, "The call")) from None
    body = tree.body
    if isinstance(body, ast.Call) and isinstance(body.func, ast.Name):
        function = namespace.get(body.func.id)
        if isinstance(function, FunctionType):
            args, kwargs = _arguments(body, name, namespace)
            return Called(function, args, kwargs)
        if function is None and not hasattr(builtins, body.func.id):
            known = [
                n for n, v in namespace.items() if isinstance(v, FunctionType) and n != "input"
            ]
            raise WidgetError(
                f"The call asks for {body.func.id}, which is not defined above. "
                f"Defined are: {', '.join(known) or 'no functions'}."
            )
    tree.body = ast.Lambda(_no_parameters(), body)
    function = _evaluated(tree, name, namespace, "The call")
    # The student has not typed a lambda: the animation says what it is.
    function.__code__ = function.__code__.replace(co_name=_YOURS, co_qualname=_YOURS)
    function.__name__ = function.__qualname__ = _YOURS
    return Called(function)


def _arguments(
    call: ast.Call, name: str, namespace: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Return the arguments of a call, evaluated by the machine: no loop in them is endless."""
    parameters = _no_parameters()
    parameters.vararg, parameters.kwarg = ast.arg("args"), ast.arg("kwargs")
    given: list[ast.expr] = [ast.Name("args", ast.Load()), ast.Name("kwargs", ast.Load())]
    catch = ast.Lambda(parameters, ast.Tuple(given, ast.Load()))
    body = ast.Call(catch, call.args, call.keywords)
    tree = ast.copy_location(ast.Expression(ast.Lambda(_no_parameters(), body)), call)
    function = _evaluated(tree, name, namespace, "The call")
    args, kwargs = _guarded("The call", lambda: Machine(max_steps=_LIMIT).run(function))
    return args, kwargs


def _evaluated(
    tree: ast.Expression, name: str, namespace: dict[str, Any], what: str
) -> FunctionType:
    try:
        code = compile(ast.fix_missing_locations(tree), name, "eval", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise WidgetError(_message(error, what)) from None
    # Only a lambda is made here; nothing that was typed is executed yet.
    function: FunctionType = eval(code, namespace)
    return function


def _no_parameters() -> ast.arguments:
    return ast.arguments([], [], None, [], [], None, [])


def _last_function(text: str) -> FunctionType:
    namespace = _executed_text(text)
    functions = [namespace.get(name) for name in _functions(ast.parse(text))]
    found = [function for function in functions if isinstance(function, FunctionType)]
    if not found:
        raise WidgetError("The text defines no function: begin with def f(...):")
    return found[-1]


def _executed_text(text: str) -> dict[str, Any]:
    """Return the namespace that a text fills."""
    code = _compiled(text)

    def input(*_: object) -> str:
        raise RuntimeError("a stepper cannot ask for input; write the value into the call")

    namespace: dict[str, Any] = {"__name__": "typed", "input": input}
    _guarded("The text", lambda: _executed(code, namespace))
    return namespace


def _executed(code: CodeType, namespace: dict[str, Any]) -> None:
    """Execute the text as a module is executed."""
    # By the machine, because what is typed there may loop forever as well.
    Machine(max_steps=_LIMIT).run(FunctionType(code, namespace))


def _guarded(what: str, act: Callable[[], Any]) -> Any:
    """Return what `act` returns; whatever goes wrong in what was typed is said in a sentence."""
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            return act()
    except StepLimitError:
        raise WidgetError(
            f"{what} took {_LIMIT:,} instructions before any function was called; "
            "is there a loop that does not end?"
        ) from None
    except BytecodeError as error:
        raise WidgetError(str(error)) from None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - whatever was typed may raise anything
        raise WidgetError(_message(error, what)) from None


def _compiled(text: str) -> CodeType:
    try:
        # Not this file's own __future__ imports: they are not the text's.
        code: CodeType = compile(text, _registered(text), "exec", dont_inherit=True)
    except (SyntaxError, ValueError) as error:
        raise WidgetError(_message(error, "The text")) from None
    return code


def _registered(text: str) -> str:
    """Return a file name under which the source of this text is found."""
    name = _FILE.format(hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12])
    lines = [f"{line}\n" for line in text.splitlines()]
    # Without a time of change: it is no file, and checkcache must not look for one.
    linecache.cache[name] = (len(text), None, lines, name)
    return name


def _functions(tree: ast.Module) -> list[str]:
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef)
    return [statement.name for statement in tree.body if isinstance(statement, kinds)]


def _message(error: BaseException, what: str) -> str:
    """Return what is wrong, with the line and a caret where it is a mistake in the text."""
    if not isinstance(error, SyntaxError):
        line = _line(error)
        where = f", line {line}" if line else ""
        return f"{what}{where}: {type(error).__name__}: {error}"
    head = f"{what} does not compile: {error.msg}"
    if not error.lineno:
        return f"{head}."
    shown = (error.text or "").rstrip("\n")
    caret = " " * (max(error.offset or 1, 1) - 1) + "^"
    return f"{head} (line {error.lineno}).\n{error.lineno:>4}  {shown}\n      {caret}"


def _line(error: BaseException) -> int | None:
    entry, line = error.__traceback__, None
    while entry is not None:
        if entry.tb_frame.f_code.co_filename.startswith("<typed "):
            line = entry.tb_lineno
        entry = entry.tb_next
    return line
