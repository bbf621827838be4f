"""One of your runs begins with a call that has several arguments. In a loop every line is `h =
layer(h)`, the first one too, so it has one."""


def compress_runs(
    calls: list[tuple[str, int, list[str]]], output: str, min_length: int
) -> list[tuple[int, int]]:
    reads = {output: 1}
    for _, _, arguments in calls:
        for argument in arguments:
            reads[argument] = reads.get(argument, 0) + 1
    runs, first = [], 0
    while first < len(calls):
        end = first + 1
        while end < len(calls):
            before = calls[end - 1][0]
            if calls[end][2] != [before] or reads[before] > 1:
                break
            end += 1
        if end - first >= min_length:
            runs.append((first, end))
        first = end
    return runs
