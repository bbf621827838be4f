"""It refuses what it does not know, as it should. But the message must say the instruction's name, or
nobody can tell which one it was."""

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
            stack.append(OPERATORS[opname](left, right))
        else:
            raise ValueError("bad instruction")
    return values
