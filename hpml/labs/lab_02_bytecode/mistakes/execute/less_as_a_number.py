"""`COMPARE_LESS` pushes what `left < right` gives: `True` or `False`. 1 and 0 are ints."""

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
            place = place if stack.pop() else arg
        elif opname in OPERATORS:
            right, left = stack.pop(), stack.pop()
            found = OPERATORS[opname](left, right)
            stack.append(int(found) if opname == "COMPARE_LESS" else found)
        else:
            raise ValueError(f"{opname} is no instruction of this machine")
    return values
