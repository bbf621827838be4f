"""It counts every result. Autograd saves only what a gradient will be computed from."""


def saved_bytes_of(operations):
    return sum(1 if operation == "less" else 4 for _, operation, _ in operations)
