"""It takes from the wrong end: a stack gives back what was pushed last."""


def execute(instructions, values):
    values = list(values)
    stack = []
    for opname, arg in instructions:
        if opname == "LOAD_FAST":
            stack.append(values[arg])
        elif opname == "STORE_FAST":
            values[arg] = stack.pop(0)
        elif opname in ("BINARY_ADD", "BINARY_SUBTRACT", "BINARY_MULTIPLY"):
            first = stack.pop(0)
            second = stack.pop(0)
            if opname == "BINARY_ADD":
                stack.append(first + second)
            elif opname == "BINARY_SUBTRACT":
                stack.append(first - second)
            else:
                stack.append(first * second)
        else:
            raise ValueError(f"{opname} is no instruction of this machine")
    return values
