"""Wrong answers to `execute`: a machine with one instruction changed; the diagnoses are docstrings."""

from operator import add, lt, mul, sub

OPERATORS = {"BINARY_ADD": add, "BINARY_SUBTRACT": sub, "BINARY_MULTIPLY": mul, "COMPARE_LESS": lt}


def _run(
    instructions,
    values,
    *,
    operators=OPERATORS,
    test=list.pop,
    target=lambda place, arg: arg,
    unknown="{} is not an instruction",
):
    values, stack, place = list(values), [], 0
    while place < len(instructions):
        opname, arg = instructions[place]
        place += 1
        if opname == "LOAD_FAST":
            stack.append(values[arg])
        elif opname == "LOAD_CONST":
            stack.append(arg)
        elif opname == "STORE_FAST":
            values[arg] = stack.pop()
        elif opname == "JUMP":
            place = target(place, arg)
        elif opname == "POP_JUMP_IF_FALSE":
            place = place if test(stack) else target(place, arg)
        elif opname in operators:
            right, left = stack.pop(), stack.pop()
            stack.append(operators[opname](left, right))
        elif unknown:
            raise ValueError(unknown.format(opname))
    return values


def changes_values(instructions, values):
    """It returns the caller's own list, or writes into it. Begin with a copy, `list(values)`."""
    values[:] = _run(instructions, values)
    return values


def jump_leaves_the_value(instructions, values):
    """The value that a jump tests stays on the stack, below the values that come next. To pop is to
    remove, whether it jumps or not."""
    return _run(instructions, values, test=lambda stack: stack[-1])


def jumps_from_here(instructions, values):
    """It adds the target of a jump to its own place, as CPython does today. Here the target is an
    index into the list: `JUMP 3` continues at instruction 3, counted from 0."""
    return _run(instructions, values, target=lambda place, arg: place + arg)


def message_without_name(instructions, values):
    """It refuses an unknown instruction, as it should. The message must also name the instruction."""
    return _run(instructions, values, unknown="bad instruction")


def operands_swapped(instructions, values):
    """The operands are swapped: what was pushed last is popped first, and it is the right operand.
    The sum of two numbers stays the same; their difference does not."""
    operators = {name: lambda left, right, op=op: op(right, left) for name, op in OPERATORS.items()}
    return _run(instructions, values, operators=operators)


def unknown_passed_over(instructions, values):
    """Where the machine does not know an instruction, it goes on or fails for another reason. Raise
    `ValueError` with the name of the instruction, before anything else."""
    return _run(instructions, values, unknown="")
