"""`STORE_FAST` copies the value and leaves it on the stack, where the next instruction takes it
for its own. To pop is to take away."""


def execute(instructions, values):
    values = list(values)
    stack = []
    for opname, arg in instructions:
        if opname == "LOAD_FAST":
            stack.append(values[arg])
        elif opname == "STORE_FAST":
            values[arg] = stack[-1]
        elif opname in ("BINARY_ADD", "BINARY_SUBTRACT", "BINARY_MULTIPLY"):
            right = stack.pop()
            left = stack.pop()
            if opname == "BINARY_ADD":
                stack.append(left + right)
            elif opname == "BINARY_SUBTRACT":
                stack.append(left - right)
            else:
                stack.append(left * right)
        else:
            raise ValueError(f"{opname} is no instruction of this machine")
    return values
