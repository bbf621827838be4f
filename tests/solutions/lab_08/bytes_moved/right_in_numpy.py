import numpy as np


def bytes_moved(ops, shapes, fused):
    size = {name: 4 * int(np.prod(shape)) for name, shape in shapes.items()}
    if not fused:
        return sum(size[result] + sum(size[name] for name in set(each)) for result, each in ops)
    made = {result for result, _ in ops}
    total, seen = size[ops[-1][0]], set()
    for _, operands in ops:
        for name in operands:
            if name not in made and name not in seen:
                seen.add(name)
                total += size[name]
    return total
