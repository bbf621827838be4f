"""It looks at the range only. bfloat16 reaches as far as float32, but after 1 its next number is 1.0078: half of that
spacing is the error of rounding, and must be allowed."""


def choose_precision(values, formats, error, added):
    sizes = [abs(value) for value in values]
    for name, (smallest, largest, spacing) in formats.items():
        rounding = 0
        total = sum(sizes) if added else max(sizes)
        if rounding > error or total > largest:
            continue
        if all(size >= smallest or size <= error * max(sizes) for size in sizes):
            return name
    return None
