"""It looks for other readers in the next two calls only. Any later call may read a result."""


def compress_runs(
    calls: list[tuple[str, int, list[str]]], output: str, min_length: int
) -> list[tuple[int, int]]:
    runs = []
    for position, (_, _, arguments) in enumerate(calls):
        if len(arguments) != 1:
            continue
        before = calls[position - 1][0] if position else None
        near = [each for _, _, few in calls[position : position + 3] for each in few]
        goes_on = arguments == [before] and near.count(before) == 1 and before != output
        if goes_on and runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return [(first, end) for first, end in runs if end - first >= min_length]
