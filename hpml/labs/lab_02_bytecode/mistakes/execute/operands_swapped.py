"""The operands are swapped: what was pushed last is popped first, and it is the right operand.
Addition does not notice; subtraction does."""


def execute(instructions, values):
    values = list(values)
    stack = []
    for opname, arg in instructions:
        if opname == "LOAD_FAST":
            stack.append(values[arg])
        elif opname == "STORE_FAST":
            values[arg] = stack.pop()
        elif opname in ("BINARY_ADD", "BINARY_SUBTRACT", "BINARY_MULTIPLY"):
            left = stack.pop()
            right = stack.pop()
            if opname == "BINARY_ADD":
                stack.append(left + right)
            elif opname == "BINARY_SUBTRACT":
                stack.append(left - right)
            else:
                stack.append(left * right)
        else:
            raise ValueError(f"{opname} is no instruction of this machine")
    return values
