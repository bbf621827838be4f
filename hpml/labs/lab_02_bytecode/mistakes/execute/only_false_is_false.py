"""It takes `False` alone for false, or what equals it. As `if` sees them, `None`, an empty text and an
empty list are false too."""

from operator import add, lt, mul, sub

OPERATORS = {"BINARY_ADD": add, "BINARY_SUBTRACT": sub, "BINARY_MULTIPLY": mul, "COMPARE_LESS": lt}


def execute(instructions, values):
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
            place = arg
        elif opname == "POP_JUMP_IF_FALSE":
            place = arg if stack.pop() is False else place
        elif opname in OPERATORS:
            right, left = stack.pop(), stack.pop()
            stack.append(OPERATORS[opname](left, right))
        else:
            raise ValueError(f"{opname} is no instruction of this machine")
    return values
