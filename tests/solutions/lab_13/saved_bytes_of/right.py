def saved_bytes_of(operations) -> int:
    size, needs, saved = {"x": 4}, {"x"}, set()
    for result, operation, operands in operations:
        size[result] = 1 if operation == "less" else 4
        if operation == "less" or not needs.intersection(operands):
            continue
        needs.add(result)
        if operation == "mul":
            first, second = operands
            if first in needs:
                saved.add(second)
            if second in needs:
                saved.add(first)
        elif operation in ("reciprocal", "relu", "exp"):
            saved.add(result)
        elif operation in ("clamp", "hardswish", "where"):
            saved.add(operands[0])
    return sum(size.get(name, 0) for name in saved)
