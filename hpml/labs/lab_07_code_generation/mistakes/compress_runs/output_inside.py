"""The output lies inside of a run. A loop keeps one name only, so what is returned has to be the
result of its last call."""


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
        goes_on = arguments == [before] and reads[before] == 1
        if goes_on and runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return [(first, end) for first, end in runs if end - first >= min_length]
