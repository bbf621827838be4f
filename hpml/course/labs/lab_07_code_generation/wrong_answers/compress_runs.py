"""Wrong answers to `compress_runs`: each docstring is the diagnosis."""

from collections import Counter


def _runs(calls, output, min_length, *, other_readers=True, output_ends=True):
    reads = Counter(each for _, _, arguments in calls for each in arguments)
    runs = []
    for position, (_, _, arguments) in enumerate(calls):
        if len(arguments) != 1:
            continue
        before = calls[position - 1][0] if position else None
        goes_on = arguments == [before] and not (other_readers and reads[before] > 1)
        if output_ends and before == output:
            goes_on = False
        if goes_on and runs and runs[-1][1] == position:
            runs[-1] = (runs[-1][0], position + 1)
        else:
            runs.append((position, position + 1))
    return [(first, end) for first, end in runs if end - first >= min_length]


def ignores_other_readers(calls, output, min_length):
    """A run continues although another call reads a value in its middle. By then a loop would have
    overwritten that value."""
    return _runs(calls, output, min_length, other_readers=False)


def inclusive_end(calls, output, min_length):
    """The runs are the right ones, but each ends one too early: the second number is one past the last
    call, as in `l[0:3]`."""
    return [(first, end - 1) for first, end in _runs(calls, output, min_length)]


def longer_than(calls, output, min_length):
    """A run of exactly `min_length` calls counts as well: the test is `>=`, not `>`."""
    return _runs(calls, output, min_length + 1)


def misses_the_last_run(calls, output, min_length):
    """A run that reaches the last call is lost. When your loop over calls ends, a run may
    still be open."""
    return [run for run in _runs(calls, output, min_length) if run[1] < len(calls)]


def output_inside(calls, output, min_length):
    """The output is inside a run. A loop keeps one name only, so what is returned must be the result of
    its last call."""
    return _runs(calls, output, min_length, output_ends=False)
