"""An instruction that the machine does not know is not refused. A machine that goes on gives a
wrong answer, or fails somewhere else for a reason that nobody understands: look at the name
first, and raise `ValueError` with it."""


def execute(instructions, values):
    values = list(values)
    stack = []
    for opname, arg in instructions:
        if opname == "LOAD_FAST":
            stack.append(values[arg])
        elif opname == "STORE_FAST":
            values[arg] = stack.pop()
        elif opname in ("BINARY_ADD", "BINARY_SUBTRACT", "BINARY_MULTIPLY"):
            right = stack.pop()
            left = stack.pop()
            if opname == "BINARY_ADD":
                stack.append(left + right)
            elif opname == "BINARY_SUBTRACT":
                stack.append(left - right)
            else:
                stack.append(left * right)
    return values
