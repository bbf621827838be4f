def choose_precision(values, formats, error, added):
    sizes = [abs(value) for value in values]
    top = max(sizes)
    for name, (smallest, largest, spacing) in formats.items():
        rounding = spacing / 2
        if added:
            rounding *= len(values)
        if rounding > error:
            continue
        if (sum(sizes) if added else top) > largest:
            continue
        if added and sum(size for size in sizes if size < smallest) > error * sum(sizes):
            continue
        if all(size >= smallest or size <= error * top for size in sizes):
            return name
