"""Wrong answers to `grad_scaler`: each docstring is the diagnosis."""

from math import isfinite, isinf


def _step(scaled, scale, good, interval, *, overflow=None, late=0):
    found = not all(map(isfinite, scaled)) if overflow is None else overflow
    if found:
        return None, scale / 2, 0
    gradients, good = [each / scale for each in scaled], good + 1
    if good == interval + late:
        return gradients, 2 * scale, 0
    return gradients, scale, good


def does_not_skip(scaled, scale, good, interval):
    """A step with an overflow is skipped: None in place of gradients. With zeros the optimiser still
    takes a step, because of its momentum and weight decay."""
    gradients, new, count = _step(scaled, scale, good, interval)
    if gradients is None:
        gradients = [each / scale if isfinite(each) else 0.0 for each in scaled]
    return gradients, new, count


def infinite_only(scaled, scale, good, interval):
    """It finds infinities and misses `nan`. Infinity minus infinity gives `nan`, which is not even
    equal to itself."""
    return _step(scaled, scale, good, interval, overflow=any(map(isinf, scaled)))


def new_scale(scaled, scale, good, interval):
    """It divides by the scale of the next step. The gradients were made with the scale that was passed
    in."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients and [each / new for each in scaled], new, count


def one_late(scaled, scale, good, interval):
    """The scale grows one step late. `good` counts the steps before this one; this one counts as well."""
    return _step(scaled, scale, good, interval, late=1)


def still_scaled(scaled, scale, good, interval):
    """The gradients are still scaled. The optimiser would take a step that is too large by the factor
    `scale`: divide by it."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients and list(scaled), new, count
