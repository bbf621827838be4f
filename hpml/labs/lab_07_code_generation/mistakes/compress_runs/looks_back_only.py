"""You ask of each call only what it reads. Ask of the value between two calls as well: does
anybody else read it, and is it the output?"""


def compress_runs(
    calls: list[tuple[str, int, list[str]]], output: str, min_length: int
) -> list[tuple[int, int]]:
    runs, first = [], 0
    while first < len(calls):
        end = first + 1
        while end < len(calls) and calls[end][2] == [calls[end - 1][0]]:
            end += 1
        if end - first >= min_length:
            runs.append((first, end))
        first = end
    return runs
