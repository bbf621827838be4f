import math


def choose_precision(values, formats, error, added):
    sizes = sorted(abs(value) for value in values)
    counted = [size for size in sizes if size > error * sizes[-1]]
    least = counted[0] if counted else math.inf
    top, roundings = (math.fsum(sizes), len(sizes)) if added else (sizes[-1], 1)
    found = [
        name
        for name, (smallest, largest, spacing) in formats.items()
        if top <= largest and least >= smallest and roundings * spacing <= 2 * error
        if not added or math.fsum(size for size in sizes if size < smallest) <= error * top
    ]
    return found[0] if found else None
