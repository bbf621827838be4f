"""Wrong answers to `execute`: a machine with one instruction changed; the diagnoses are docstrings."""

from operator import add, lt, mul, sub

OPERATORS = {"BINARY_ADD": add, "BINARY_SUBTRACT": sub, "BINARY_MULTIPLY": mul, "COMPARE_LESS": lt}


def _subtract_from(operator):
    return lambda right, left: operator(left, right)


def _run(
    instructions, values, *, operators=OPERATORS, store=list.pop, test=list.pop, is_true=bool,
    target=lambda place, arg: arg, pop=list.pop, most=10**9, unknown="{} is not an instruction",
    constants=lambda arg: [arg],
):  # fmt: skip
    values, stack, place, steps = list(values), [], 0, 0
    while place < len(instructions) and steps < most:
        opname, arg = instructions[place]
        place, steps = place + 1, steps + 1
        if opname == "LOAD_FAST":
            stack.append(values[arg])
        elif opname == "LOAD_CONST":
            stack += constants(arg)
        elif opname == "STORE_FAST":
            values[arg] = store(stack)
        elif opname == "JUMP":
            place = target(place, arg)
        elif opname == "POP_JUMP_IF_FALSE":
            place = place if is_true(test(stack)) else target(place, arg)
        elif opname in operators:
            right, left = pop(stack), pop(stack)
            stack.append(operators[opname](left, right))
        elif unknown:
            raise ValueError(unknown.format(opname))
    return values


def _first(stack):
    return stack.pop(0)


def _top(stack):
    return stack[-1]


def changes_values(instructions, values):
    """It writes into the caller's `values`. The list belongs to the caller: work on a copy."""
    values[:] = _run(instructions, values)
    return values


def first_in_first_out(instructions, values):
    """It takes from the wrong end: a stack returns what was pushed last."""
    operators = {name: _subtract_from(operator) for name, operator in OPERATORS.items()}
    return _run(instructions, values, store=_first, test=_first, pop=_first, operators=operators)


def gives_the_list_back(instructions, values):
    """With no instructions it returns the caller's own list. Return a new list: changing one must not
    change the other."""
    return _run(instructions, values) if instructions else values


def jump_leaves_the_value(instructions, values):
    """The value that a jump tests stays on the stack, below the values that come next. To pop is to
    remove, whether it jumps or not."""
    return _run(instructions, values, test=_top)


def jumps_from_here(instructions, values):
    """It counts the target of a jump from the jump itself, as CPython does today. Here the target is an
    index into the list: `JUMP 3` continues at instruction 3, counted from 0."""
    return _run(instructions, values, target=lambda place, arg: place + arg)


def jumps_one_too_far(instructions, values):
    """It continues after the instruction that a jump names. `JUMP 3` continues *at* instruction 3,
    counted from 0."""
    return _run(instructions, values, target=lambda place, arg: arg + 1)


def leaves_out_none(instructions, values):
    """`None` is a constant like any other: `LOAD_CONST None` pushes it. Here the stack is one value
    short."""
    return _run(instructions, values, constants=lambda arg: [] if arg is None else [arg])


def less_as_a_number(instructions, values):
    """`COMPARE_LESS` pushes the result of `left < right`: `True` or `False`. 1 and 0 are ints."""
    operators = OPERATORS | {"COMPARE_LESS": lambda left, right: int(left < right)}
    return _run(instructions, values, operators=operators)


def message_without_name(instructions, values):
    """It refuses an unknown instruction, as it should. The message must also name the instruction."""
    return _run(instructions, values, unknown="bad instruction")


def only_false_is_false(instructions, values):
    """It treats only `False` as false. As in an `if`, `None`, an empty string and an empty list are
    false too."""
    return _run(instructions, values, is_true=lambda value: value is not False)


def operands_swapped(instructions, values):
    """The operands are swapped: what was pushed last is popped first, and it is the right operand.
    Addition does not notice; subtraction does."""
    operators = {name: _subtract_from(operator) for name, operator in OPERATORS.items()}
    return _run(instructions, values, operators=operators)


def stops_early(instructions, values):
    """It stops after a fixed number of steps. A program ends after its last instruction, however long
    that takes."""
    return _run(instructions, values, most=1_000)


def store_leaves_the_value(instructions, values):
    """`STORE_FAST` copies the value and leaves it on the stack, where the next instruction finds it. To
    pop is to remove."""
    return _run(instructions, values, store=_top)


def unknown_passed_over(instructions, values):
    """It skips instructions that the machine does not know. Then it gives a wrong answer, or fails
    later for another reason: check the name first, and raise `ValueError` with it."""
    return _run(instructions, values, unknown="")
