"""The runs are the right ones, but each ends one too early: the second number is one past the
last call, as in `l[0:3]`."""


def compress_runs(
    calls: list[tuple[str, int, list[str]]], output: str, min_length: int
) -> list[tuple[int, int]]:
    reads = {}
    for _, _, arguments in calls:
        for argument in arguments:
            reads[argument] = reads.get(argument, 0) + 1
    runs = []
    for position, (_, _, arguments) in enumerate(calls):
        if len(arguments) != 1:
            continue
        before = calls[position - 1][0] if position else None
        goes_on = arguments == [before] and reads[before] == 1 and before != output
        if goes_on and runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return [(first, end - 1) for first, end in runs if end - first >= min_length]
