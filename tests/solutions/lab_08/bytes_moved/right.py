import math


def bytes_moved(ops: list, shapes: dict, fused: bool) -> int:
    if fused:
        results = [result for result, _ in ops]
        read = {name for _, operands in ops for name in operands}
        moved = [*(read - set(results)), results[-1]]
    else:
        moved = [name for result, operands in ops for name in [result, *set(operands)]]
    return sum(4 * math.prod(shapes[name]) for name in moved)
