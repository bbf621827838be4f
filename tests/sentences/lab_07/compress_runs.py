SAYS = {
    "Find the runs.": "what follows says what they are",
    "For example, `compress_runs([": "an example",
    "If `b` were the output, it would be `[(0, 2)]`.": "an example",
}
EQUIVALENT = {
    "5: for _, _, arguments in calls: → for _, _, arguments in list(calls)[1:]:": "the first call reads inputs, whose readers do not matter",
    "12: calls[position - 1][0] if position else None → calls[position - 1][0]": "the first call cannot read the result of the last",
    "13: reads[before] == 1 → reads[before] <= 1": "this call reads it, so the count is at least 1",
    "14: runs[-1][1] == position → runs[-1][1] >= position": "no run ends after this call",
}


def _runs(calls, output, min_length, follows=None, reads_of=None, arguments=None, ends=None):
    """Return the runs; a form replaces one of the rules."""
    reads = {}
    for _, _, names in calls:
        for name in names if reads_of is None else reads_of(names):
            reads[name] = reads.get(name, 0) + 1
    runs = []
    for place, (_, layer, names) in enumerate(calls):
        if not (len(names) == 1 if arguments is None else arguments(names)):
            continue
        before = calls[place - 1][0] if place else None
        goes_on = names == [before] if follows is None else follows(names, before)
        goes_on = goes_on and reads.get(before, 0) <= 1
        goes_on = goes_on and (before != output if ends is None else ends(place, before))
        if goes_on and runs and runs[-1][1] == place:
            runs[-1] = (runs[-1][0], place + 1)
        else:
            runs.append((place, place + 1))
    return [(first, end) for first, end in runs if end - first >= min_length]


def the_last_is_the_output(calls, output, min_length):
    """`output` is the name of the returned value."""
    return _runs(calls, calls[-1][0] if calls else output, min_length)


def needs_a_call(calls, output, min_length):
    """`calls` are as before, in topological order"""
    return calls[0] and _runs(calls, output, min_length)


def the_output_is_a_call(calls, output, min_length):
    """`output` is the name of the returned value."""
    [name for name, _, _ in calls].index(output) if calls else 0
    return _runs(calls, output, min_length)


def of_different_layers(calls, output, min_length):
    """that one loop can execute, whatever the layer numbers:"""
    found = []
    for first, end in _runs(calls, output, 1):
        start = first
        for place in range(first + 1, end):
            if calls[place][1] == calls[place - 1][1]:
                found.append((start, place))
                start = place
        found.append((start, end))
    return [(first, end) for first, end in found if end - first >= min_length]


def of_rising_layers(calls, output, min_length):
    """whatever the layer numbers:"""
    return [
        (first, end)
        for first, end in _runs(calls, output, min_length)
        if all(calls[place][1] < calls[place + 1][1] for place in range(first, end - 1))
    ]


def with_gaps(calls, output, min_length):
    """A **run** is a sequence of consecutive calls"""
    runs = _runs(calls, output, 1)
    joined = []
    for first, end in runs:
        names = calls[first][2]
        last = joined[-1][1] if joined else None
        if joined and last == first - 1 and names == [calls[last - 1][0]]:
            joined[-1] = (joined[-1][0], end)
        else:
            joined.append((first, end))
    return [(first, end) for first, end in joined if end - first >= min_length]


def of_any_arguments(calls, output, min_length):
    """every call has exactly one argument"""
    return _runs(calls, output, min_length, arguments=lambda names: True)


def of_at_most_one_argument(calls, output, min_length):
    """every call has exactly one argument"""
    return _runs(calls, output, min_length, arguments=lambda names: len(names) <= 1)


def of_at_least_one_argument(calls, output, min_length):
    """every call has exactly one argument"""
    return _runs(
        calls,
        output,
        min_length,
        arguments=lambda names: len(names) >= 1,
        follows=lambda names, before: before in names,
    )


def of_one_distinct_argument(calls, output, min_length):
    """every call has exactly one argument"""
    return _runs(
        calls,
        output,
        min_length,
        arguments=lambda names: len({*names}) == 1,
        follows=lambda names, before: {*names} == {before},
        reads_of=lambda names: {*names},
    )


def the_first_has_any_number(calls, output, min_length):
    """every call has exactly one argument"""
    runs = _runs(calls, output, 1)
    longer = []
    for first, end in runs:
        before = calls[first - 1] if first else None
        joins = before and len(before[2]) != 1 and calls[first][2] == [before[0]]
        longer.append((first - 1, end) if joins else (first, end))
    return [(first, end) for first, end in longer if end - first >= min_length]


def whatever_they_read(calls, output, min_length):
    """it is the result of the call just before it;"""
    return _runs(calls, output, min_length, follows=lambda names, before: before is not None)


def a_part_of_the_name(calls, output, min_length):
    """it is the result of the call just before it;"""
    return _runs(
        calls, output, min_length, follows=lambda names, before: before and before in names[0]
    )


def the_first_reads_an_input(calls, output, min_length):
    """in every call but the first, it is the result of the call just before it;"""
    made = {name for name, _, _ in calls}
    return [
        (first, end)
        for first, end in _runs(calls, output, min_length)
        if not made & {*calls[first][2]}
    ]


def the_output_anywhere(calls, output, min_length):
    """of the run's results, only the last may be the output"""
    return _runs(calls, output, min_length, ends=lambda place, before: True)


def the_output_nowhere(calls, output, min_length):
    """of the run's results, only the last may be the output"""
    return [
        (first, end)
        for first, end in _runs(calls, output, min_length)
        if output not in [name for name, _, _ in calls[first:end]]
    ]


def read_by_any_number_of_calls(calls, output, min_length):
    """only the last may be read by calls outside the run."""
    return _runs(calls, output, min_length, reads_of=lambda names: ())


def read_again_by_a_later_one(calls, output, min_length):
    """only the last may be read by calls outside the run."""
    return _runs(calls, output, min_length, reads_of=lambda names: names if len(names) == 1 else ())


def twice_by_one_call_is_once(calls, output, min_length):
    """only the last may be read by calls outside the run."""
    return _runs(
        calls, output, min_length, reads_of=lambda names: names if len(names) < 2 else names[:0]
    )


def the_last_is_read_once(calls, output, min_length):
    """only the last may be read by calls outside the run."""
    reads = {}
    for _, _, names in calls:
        for name in names:
            reads[name] = reads.get(name, 0) + 1
    return [
        (first, end)
        for first, end in _runs(calls, output, min_length)
        if reads.get(calls[end - 1][0], 0) <= 1
    ]


def the_last_is_read(calls, output, min_length):
    """only the last may be read by calls outside the run."""
    read = {name for _, _, names in calls for name in names}
    return [
        (first, end)
        for first, end in _runs(calls, output, min_length)
        if calls[end - 1][0] in read or calls[end - 1][0] == output
    ]


def longer_ones(calls, output, min_length):
    """returns the longest possible runs of at least `min_length` calls"""
    return _runs(calls, output, min_length + 1)


def of_exactly_this_length(calls, output, min_length):
    """the longest possible runs of at least `min_length` calls"""
    runs = _runs(calls, output, min_length)
    return [(first, first + min_length) for first, _ in runs]


def at_least_two(calls, output, min_length):
    """of at least `min_length` calls, in order"""
    return _runs(calls, output, max(2, min_length))


def the_parts_too(calls, output, min_length):
    """returns the longest possible runs"""
    found = []
    for first, end in _runs(calls, output, min_length):
        found += [(start, end) for start in range(first, end) if end - start >= min_length]
    return found


def the_longest_only(calls, output, min_length):
    """returns the longest possible runs"""
    runs = _runs(calls, output, min_length)
    most = max((end - first for first, end in runs), default=0)
    return [(first, end) for first, end in runs if end - first == most]


def the_longest_first(calls, output, min_length):
    """in order, as pairs (first call, one past the last)."""
    return sorted(_runs(calls, output, min_length), key=lambda run: run[0] - run[1])


def backwards(calls, output, min_length):
    """in order, as pairs (first call, one past the last)."""
    return _runs(calls, output, min_length)[::-1]


def first_and_last(calls, output, min_length):
    """as pairs (first call, one past the last)."""
    return [(first, end - 1) for first, end in _runs(calls, output, min_length)]


def first_and_length(calls, output, min_length):
    """as pairs (first call, one past the last)."""
    return [(first, end - first) for first, end in _runs(calls, output, min_length)]


def names(calls, output, min_length):
    """as pairs (first call, one past the last)."""
    return [(calls[a][0], calls[b - 1][0]) for a, b in _runs(calls, output, min_length)]
