SAYS: dict[str, str] = {
    "Write `timeline(launch, kernels)`.": "the name and the parameters, as in the stub",
    "`timeline(10.0, [4.0, 25.0, 4.0])` is": "an example, which is a case",
}


def _spans(launch, kernels, issued_at=lambda launch, place: launch * (place + 1)):
    spans, end = [], 0.0
    for place, kernel in enumerate(kernels):
        start = max(issued_at(launch, place), end)
        end = start + kernel
        spans.append((start, end))
    return spans


def launch_of_a_kernel_is_its_time(launch, kernels):
    """`launch` is the time to issue one kernel"""
    return _spans(launch, kernels, lambda launch, place: launch)


def launch_for_all(launch, kernels):
    """`launch` is the time to issue one kernel"""
    return _spans(launch, kernels, lambda launch, place: launch / len(kernels) * (place + 1))


def at_least_a_microsecond(launch, kernels):
    """`launch` is the time to issue one kernel"""
    return _spans(max(launch, 1e-6), kernels)


def first_kernel_for_all(launch, kernels):
    """`kernels` lists how long each kernel runs"""
    return _spans(launch, len(kernels) * kernels[:1])


def uses_the_list_up(launch, kernels):
    """`kernels` lists how long each kernel runs"""
    found = _spans(launch, kernels)
    while kernels:
        kernels.pop()
    return found


def one_kernel_at_least(launch, kernels):
    """`kernels` lists how long each kernel runs"""
    assert kernels[0] >= 0
    return _spans(launch, kernels)


def start_and_duration(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return [(start, end - start) for start, end in _spans(launch, kernels)]


def end_and_start(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return [(end, start) for start, end in _spans(launch, kernels)]


def ends_only(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return [end for _, end in _spans(launch, kernels)]


def a_generator(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return (span for span in _spans(launch, kernels))


def by_number(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return dict(enumerate(_spans(launch, kernels)))


def without_empty_kernels(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return [(start, end) for start, end in _spans(launch, kernels) if start < end]


def none_if_there_is_none(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return _spans(launch, kernels) or None


def milliseconds(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return [(start / 1000, end / 1000) for start, end in _spans(launch, kernels)]


def rounded(launch, kernels):
    """It returns a list of pairs `(start, end)`, one for each kernel, in the same unit."""
    return [(round(start, 6), round(end, 6)) for start, end in _spans(launch, kernels)]


def from_the_end_of_the_first_launch(launch, kernels):
    """Time 0 is the beginning of the first launch."""
    return [(start - launch, end - launch) for start, end in _spans(launch, kernels)]


def from_the_first_kernel(launch, kernels):
    """Time 0 is the beginning of the first launch."""
    return _spans(launch, kernels, lambda launch, place: launch * place)


def waits_for_each(launch, kernels):
    """The CPU issues the kernels back to back."""
    spans, now = [], 0.0
    for kernel in kernels:
        spans.append((now + launch, now + launch + kernel))
        now = spans[-1][1]
    return spans


def waits_for_the_start(launch, kernels):
    """The CPU issues the kernels back to back."""
    spans, issued, end = [], 0.0, 0.0
    for kernel in kernels:
        issued += launch
        issued = start = max(issued, end)
        end = start + kernel
        spans.append((start, end))
    return spans


def all_issued_at_once(launch, kernels):
    """The CPU issues the kernels back to back."""
    return _spans(launch, kernels, lambda launch, place: launch)


def overlapping(launch, kernels):
    """A kernel starts when it has been issued and the one before it has ended."""
    return [(launch * k, launch * k + kernel) for k, kernel in enumerate(kernels, 1)]


def before_it_is_issued(launch, kernels):
    """A kernel starts when it has been issued and the one before it has ended."""
    return _spans(launch, kernels, lambda launch, place: launch if place == 0 else 0.0)


def the_one_before_the_last(launch, kernels):
    """A kernel starts when it has been issued and the one before it has ended."""
    spans, ends = [], [0.0, 0.0]
    for place, kernel in enumerate(kernels, 1):
        start = max(launch * place, ends[-2])
        ends.append(start + kernel)
        spans.append((start, ends[-1]))
    return spans


def forbidden_torch(launch, kernels):
    """and `numpy`, but not"""
    import torch

    ends, end = [], 0.0
    for place, kernel in enumerate(kernels, 1):
        end = float(torch.tensor([launch * place, end], dtype=torch.float64).max()) + kernel
        ends.append((end - kernel, end))
    return ends
