"""A run goes on although somebody else reads the value in its middle. A loop would have written
over it by then."""


def compress_runs(
    calls: list[tuple[str, int, list[str]]], output: str, min_length: int
) -> list[tuple[int, int]]:
    runs = []
    for position, (_, _, arguments) in enumerate(calls):
        if len(arguments) != 1:
            continue
        before = calls[position - 1][0] if position else None
        goes_on = arguments == [before] and before != output
        if goes_on and runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return [(first, end) for first, end in runs if end - first >= min_length]
