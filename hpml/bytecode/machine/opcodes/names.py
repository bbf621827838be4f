"""Local variables, cells, globals, attributes and items by name."""

from __future__ import annotations

import sys
import types
from types import CellType
from typing import Any, NoReturn

from hpml.bytecode.machine.decoded_code import DecodedInstruction
from hpml.bytecode.machine.state import Frame
from hpml.bytecode.null import NULL
from hpml.bytecode.plain_attributes import flags, in_class

# Local variables


def load_fast(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push a local variable (or a cell, from 3.13 on)."""
    value = frame.slots[instruction.arg]
    if value is NULL:
        raise_unbound(frame, instruction.arg)
    frame.stack.append(value)


def load_fast_and_clear(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push a local variable, or NULL, and clear its slot for a comprehension."""
    frame.stack.append(frame.slots[instruction.arg])
    frame.slots[instruction.arg] = NULL


def load_fast_load_fast(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push two local variables."""
    frame.stack.append(frame.slots[instruction.arg >> 4])
    frame.stack.append(frame.slots[instruction.arg & 15])


def store_fast(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a value into a local variable."""
    frame.slots[instruction.arg] = frame.stack.pop()


def store_fast_load_fast(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a value into a local variable, and push another variable."""
    frame.slots[instruction.arg >> 4] = frame.stack.pop()
    frame.stack.append(frame.slots[instruction.arg & 15])


def store_fast_store_fast(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop two values into local variables."""
    frame.slots[instruction.arg >> 4] = frame.stack.pop()
    frame.slots[instruction.arg & 15] = frame.stack.pop()


def delete_fast(frame: Frame, instruction: DecodedInstruction) -> None:
    """Delete a local variable."""
    if frame.slots[instruction.arg] is NULL:
        raise_unbound(frame, instruction.arg)
    frame.slots[instruction.arg] = NULL


def raise_unbound(frame: Frame, slot: int) -> NoReturn:
    """Raise CPython's error for a variable without a value."""
    name = frame.decoded.slot_names[slot]
    if slot >= len(frame.slots) - len(frame.code.co_freevars):
        raise NameError(
            f"cannot access free variable '{name}' where it is not associated with a value in "
            "enclosing scope",
            name=name,
        )
    raise UnboundLocalError(
        f"cannot access local variable '{name}' where it is not associated with a value"
    )


# Cells: variables shared with other functions


def make_cell(frame: Frame, instruction: DecodedInstruction) -> None:
    """Replace the content of a slot by a new cell that contains it."""
    value = frame.slots[instruction.arg]
    frame.slots[instruction.arg] = CellType() if value is NULL else CellType(value)


def copy_free_vars(frame: Frame, instruction: DecodedInstruction) -> None:
    """Copy the cells of outer functions into the last slots."""
    frame.slots[len(frame.slots) - instruction.arg :] = frame.function.__closure__ or ()


def contents(frame: Frame, slot: int) -> Any:
    """Return the content of the cell in `slot`, or NULL."""
    try:
        return frame.slots[slot].cell_contents
    except ValueError:
        return NULL


def load_deref(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push the content of a cell."""
    value = contents(frame, instruction.arg)
    if value is NULL:
        raise_unbound(frame, instruction.arg)
    frame.stack.append(value)


def store_deref(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a value into a cell."""
    frame.slots[instruction.arg].cell_contents = frame.stack.pop()


def delete_deref(frame: Frame, instruction: DecodedInstruction) -> None:
    """Empty a cell."""
    if contents(frame, instruction.arg) is NULL:
        raise_unbound(frame, instruction.arg)
    del frame.slots[instruction.arg].cell_contents


def load_classderef(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push a name of the class body or, if it is missing, the content of a cell (3.11)."""
    frame.stack.append(frame.namespace)
    load_from_dict_or_deref(frame, instruction)


def load_from_dict_or_deref(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a namespace; push a name of it or, if it is missing, the content of a cell."""
    namespace = frame.stack.pop()
    value = item(namespace, frame.decoded.slot_names[instruction.arg])
    if value is NULL:
        load_deref(frame, instruction)
    else:
        frame.stack.append(value)


# Globals, builtins and the names of class bodies


def item(namespace: Any, name: str) -> Any:
    """Return ``namespace[name]``, or NULL."""
    try:
        return namespace[name]
    except KeyError:
        return NULL


_LAZY_IMPORT = getattr(types, "LazyImportType", None)
"""What ``lazy import`` binds until the name is used (PEP 810, 3.15)."""


def global_or_builtin(frame: Frame, name: str) -> Any:
    """Return a global variable or else a builtin."""
    # A subclass of dict may define ``__missing__``.
    namespace = frame.globals
    value = namespace.get(name, NULL) if type(namespace) is dict else item(namespace, name)
    if value is NULL:
        value = item(frame.builtins, name)
        if value is NULL:
            raise NameError(f"name '{name}' is not defined", name=name)
    if type(value) is _LAZY_IMPORT:
        value = namespace[name] = value.resolve()
    return value


def load_global(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push a global, and NULL if it will be called."""
    value = global_or_builtin(frame, instruction.argval)
    if instruction.arg & 1:
        push_callable(frame, value, NULL)
    else:
        frame.stack.append(value)


def push_callable(frame: Frame, function: Any, instance: Any) -> None:
    """Push a function and NULL, or a method and ``self``, as CALL expects them."""
    if instance is NULL and sys.version_info < (3, 13):
        function, instance = NULL, function
    frame.stack.append(function)
    frame.stack.append(instance)


def store_global(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a value into a global variable."""
    frame.globals[instruction.argval] = frame.stack.pop()


def delete_global(frame: Frame, instruction: DecodedInstruction) -> None:
    """Delete a global variable."""
    if instruction.argval not in frame.globals:
        raise NameError(f"name '{instruction.argval}' is not defined", name=instruction.argval)
    del frame.globals[instruction.argval]


def load_name(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push a name of the class body, a global, or a builtin."""
    frame.stack.append(frame.namespace)
    load_from_dict_or_globals(frame, instruction)


def load_from_dict_or_globals(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a namespace; push a name of it, or else a global or a builtin."""
    namespace = frame.stack.pop()
    value = item(namespace, instruction.argval)
    if value is NULL:
        value = global_or_builtin(frame, instruction.argval)
    frame.stack.append(value)


def load_locals(frame: Frame, instruction: DecodedInstruction) -> None:
    """Push the namespace of the class body."""
    frame.stack.append(frame.namespace)


def store_name(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop a value into the class body's namespace."""
    frame.namespace[instruction.argval] = frame.stack.pop()


def delete_name(frame: Frame, instruction: DecodedInstruction) -> None:
    """Delete a name of the class body."""
    missing = False
    try:
        del frame.namespace[instruction.argval]
    except KeyError:
        missing = True
    if missing:
        raise NameError(f"name '{instruction.argval}' is not defined", name=instruction.argval)


def setup_annotations(frame: Frame, instruction: DecodedInstruction) -> None:
    """Give the class body a dictionary for its annotations."""
    if item(frame.namespace, "__annotations__") is NULL:
        frame.namespace["__annotations__"] = {}


# Attributes


def load_attr(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an object, push its attribute (3.11)."""
    frame.stack.append(getattr(frame.stack.pop(), instruction.argval))


def load_method(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an object; push its method and itself, or its attribute and NULL (3.11)."""
    push_callable(frame, *method_of(frame.stack.pop(), instruction.argval))


def load_attr_or_method(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an object; push its attribute, or for a call its method as LOAD_METHOD (3.12)."""
    (load_method if instruction.arg & 1 else load_attr)(frame, instruction)


def load_super_attr(frame: Frame, instruction: DecodedInstruction) -> None:
    """Replace ``super``, a class and an object by an attribute, with NULL for a call (3.12)."""
    instance, owner, callee = (frame.stack.pop() for _ in range(3))
    has_arguments = callee is super or instruction.arg & 2
    value = getattr(callee(owner, instance) if has_arguments else callee(), instruction.argval)
    if instruction.arg & 1:
        push_callable(frame, value, NULL)
    else:
        frame.stack.append(value)


def method_of(value: Any, name: str) -> tuple[Any, Any]:
    """Return a function and its ``self``, which avoids a bound method, or an attribute and NULL."""
    kind: Any = type(value)
    # Only with the default attribute lookup.
    if (
        in_class(kind, "__getattribute__") is object.__getattribute__
        and in_class(kind, "__getattr__") is NULL
    ):
        found = in_class(kind, name)
        if flags(type(found)) & _IS_METHOD and name not in _instance_attributes(value):
            return found, value
    return getattr(value, name), NULL


_IS_METHOD = 1 << 17  # Py_TPFLAGS_METHOD_DESCRIPTOR: binds when looked up, like a function


def _instance_attributes(value: Any) -> Any:
    try:
        return object.__getattribute__(value, "__dict__")
    except AttributeError:
        return ()


def store_attr(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an object and a value; set the attribute."""
    owner = frame.stack.pop()
    setattr(owner, instruction.argval, frame.stack.pop())


def delete_attr(frame: Frame, instruction: DecodedInstruction) -> None:
    """Pop an object; delete its attribute."""
    delattr(frame.stack.pop(), instruction.argval)
