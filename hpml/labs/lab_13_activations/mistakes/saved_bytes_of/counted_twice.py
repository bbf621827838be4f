"""What two operations save is one tensor, and lies in memory once. Collect names in a set."""


def saved_bytes_of(operations):
    size, needs, saved = {"x": 4}, {"x"}, []
    for result, operation, operands in operations:
        size[result] = 1 if operation == "less" else 4
        if operation == "less" or not needs.intersection(operands):
            continue
        needs.add(result)
        if operation == "mul":
            first, second = operands
            if first in needs:
                saved.append(second)
            if second in needs:
                saved.append(first)
        elif operation in ("reciprocal", "relu", "exp"):
            saved.append(result)
        elif operation in ("clamp", "hardswish", "where"):
            saved.append(operands[0])
    return sum(size.get(name, 0) for name in saved)
