"""A run that reaches to the last call is lost. When the loop is over, a run may still be open."""


def compress_runs(
    calls: list[tuple[str, int, list[str]]], output: str, min_length: int
) -> list[tuple[int, int]]:
    reads = {}
    for _, _, arguments in calls:
        for argument in arguments:
            reads[argument] = reads.get(argument, 0) + 1
    runs, first = [], None
    for position, (_, _, arguments) in enumerate(calls):
        before = calls[position - 1][0] if position else None
        goes_on = arguments == [before] and reads[before] == 1 and before != output
        if first is not None and not goes_on:
            if position - first >= min_length:
                runs.append((first, position))
            first = None
        if first is None and len(arguments) == 1:
            first = position
    return runs
