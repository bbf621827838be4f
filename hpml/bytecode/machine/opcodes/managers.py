"""The ``with`` statement."""

from __future__ import annotations

import sys
from typing import Any

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.opcodes.calls import call
from hpml.bytecode.machine.state import Enter, Frame
from hpml.bytecode.null import NULL
from hpml.bytecode.plain_attributes import in_class, traceback_of


def before_with(frame: Frame, instruction: DecodedInstruction) -> Enter | None:
    """Pop a context manager; push its ``__exit__`` and the result of its ``__enter__``."""
    manager = frame.stack.pop()
    enter = _special(manager, "__enter__")
    leave = NULL if enter is NULL else _special(manager, "__exit__")
    if leave is NULL:
        with manager:  # CPython raises its error
            raise TypeError("the context manager gained __enter__ or __exit__ after the lookup")
    frame.stack.append(leave)
    return call(frame, enter, [], {})


def load_special(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an object, push a method of its class and NULL (3.14)."""
    manager = frame.stack.pop()
    name = instruction.argrepr
    method = _special(manager, name)
    if method is NULL:
        with manager:  # CPython raises its error
            raise TypeError(f"the context manager gained {name} after the lookup")
    frame.stack.extend((method, NULL))


def with_except_start(frame: Frame, instruction: DecodedInstruction) -> Enter | None:
    """Push the result of ``__exit__`` for the exception on top."""
    error = frame.stack[-1]
    leave = frame.stack[-5 if sys.version_info >= (3, 14) else -4]
    return call(frame, leave, [type(error), error, traceback_of(error)], {})


def _special(value: Any, name: str) -> Any:
    """Return a special method bound to `value`, looked up in its class as CPython does."""
    found = in_class(type(value), name)
    bind = in_class(type(found), "__get__")
    return found if bind is NULL else bind(found, value, type(value))
