SAVES = {
    "reciprocal": lambda result, operands, needs: [result],
    "relu": lambda result, operands, needs: [result],
    "exp": lambda result, operands, needs: [result],
    "clamp": lambda result, operands, needs: operands[:1],
    "hardswish": lambda result, operands, needs: operands[:1],
    "where": lambda result, operands, needs: operands[:1],
    "mul": lambda result, operands, needs: [
        operands[1 - place] for place in (0, 1) if operands[place] in needs
    ],
    "add": lambda result, operands, needs: [],
}


def saved_bytes_of(operations):
    needs, saved, flags = ["x"], {}, []
    for result, operation, operands in operations:
        if operation == "less":
            flags.append(result)
        elif any(each in needs for each in operands):
            needs.append(result)
            for name in SAVES[operation](result, list(operands), needs):
                saved[name] = 1 if name in flags else 4
    return sum(size for name, size in saved.items() if isinstance(name, str))
