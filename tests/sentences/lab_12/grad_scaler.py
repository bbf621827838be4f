from math import isfinite, isinf, isnan

SAYS: dict[str, str] = {
    "Write one step of the rule": "the name and the parameters, as in the stub",
    "`grad_scaler([8.0, -4.0], 4.0, 0, 2000)` is": "an example: an ordinary step is the first case",
    "The check also passes scale and count from step to step": "context: how it is checked",
}

EQUIVALENT: dict[str, str] = {
    "9: good == interval → good >= interval": "the count is below the interval before each step, so it is at most equal",
}


def _step(scaled, scale, good, interval, overflow=None, divided=None):
    if (any(not isfinite(each) for each in scaled)) if overflow is None else overflow:
        return None, scale / 2, 0
    gradients = [each / scale for each in scaled] if divided is None else divided
    good += 1
    if good == interval:
        return gradients, 2 * scale, 0
    return gradients, scale, good


def divides_in_place(scaled, scale, good, interval):
    """The list `scaled` has the gradients of a loss that was multiplied by `scale`."""
    found = _step(scaled, scale, good, interval)
    if found[0] is not None:
        scaled[:] = found[0]
    return found


def one_gradient_at_least(scaled, scale, good, interval):
    """The list `scaled` has the gradients of a loss that was multiplied by `scale`."""
    assert scaled[0] is not None
    return _step(scaled, scale, good, interval)


def no_gradients_are_skipped(scaled, scale, good, interval):
    """The list `scaled` has the gradients of a loss that was multiplied by `scale`."""
    return _step(scaled, scale, good, interval, overflow=None if scaled else True)


def fails_if_all_are_0(scaled, scale, good, interval):
    """The list `scaled` has the gradients of a loss that was multiplied by `scale`."""
    if scaled and all(isfinite(each) for each in scaled):
        assert max(map(abs, scaled)) / max(map(abs, scaled)) == 1
    return _step(scaled, scale, good, interval)


def first_two(scaled, scale, good, interval):
    """The list `scaled` has the gradients of a loss that was multiplied by `scale`."""
    return _step(scaled[:2], scale, good, interval)


def counts_this_one(scaled, scale, good, interval):
    """The number `good` counts good steps in a row before this one."""
    gradients, new, count = _step(scaled, scale, good - 1, interval)
    return gradients, new, count if gradients is None or new != scale else count + 1


def counts_by_itself(scaled, scale, good, interval, seen=[]):  # noqa: B006
    """The number `good` counts good steps in a row before this one."""
    found = _step(scaled, scale, len(seen), interval)
    seen.append(found)
    return found


def a_pair(scaled, scale, good, interval):
    """It returns a triple: a list or tuple of gradients for the optimiser, next scale, next count."""
    return _step(scaled, scale, good, interval)[:2]


def count_before_scale(scaled, scale, good, interval):
    """It returns a triple: a list or tuple of gradients for the optimiser, next scale, next count."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, count, new


def a_generator(scaled, scale, good, interval):
    """It returns a triple: a list or tuple of gradients for the optimiser, next scale, next count."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients and (each for each in gradients), new, count


def count_as_a_float(scaled, scale, good, interval):
    """It returns a triple: a list or tuple of gradients for the optimiser, next scale, next count."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, new, float(count)


def by_their_sum_of_sizes(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    return _step(scaled, scale, good, interval, not isfinite(sum(map(abs, scaled))))


def infinite_only(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    return _step(scaled, scale, good, interval, any(map(isinf, scaled)))


def not_a_number_only(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    return _step(scaled, scale, good, interval, any(map(isnan, scaled)))


def not_a_number_in_the_sum(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    return _step(scaled, scale, good, interval, isnan(sum(scaled)) or float("inf") in scaled)


def positive_infinity_only(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    bad = any(each == float("inf") or each != each for each in scaled)
    return _step(scaled, scale, good, interval, bad)


def the_largest(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    return _step(
        scaled, scale, good, interval, bool(scaled) and not isfinite(max(map(abs, scaled)))
    )


def the_first(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    return _step(scaled, scale, good, interval, bool(scaled) and not isfinite(scaled[0]))


def all_but_the_last(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    bad = any(not isfinite(each) for each in scaled[:-1] or scaled)
    return _step(scaled, scale, good, interval, bad)


def all_of_them(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    bad = bool(scaled) and all(not isfinite(each) for each in scaled)
    return _step(scaled, scale, good, interval, bad)


def too_large_for_float16(scaled, scale, good, interval):
    """If any number in `scaled` is infinite or not a number"""
    bad = any(not abs(each) <= 65504 for each in scaled)
    return _step(scaled, scale, good, interval, bad)


def zeros_for_none(scaled, scale, good, interval):
    """the step is skipped: return `None` in place of the gradients"""
    gradients, new, count = _step(scaled, scale, good, interval)
    return [0.0] * len(scaled) if gradients is None else gradients, new, count


def an_empty_list_for_none(scaled, scale, good, interval):
    """the step is skipped: return `None` in place of the gradients"""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients or [], new, count


def none_for_an_empty_list(scaled, scale, good, interval):
    """the step is skipped: return `None` in place of the gradients"""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients or None, new, count


def none_alone(scaled, scale, good, interval):
    """the step is skipped: return `None` in place of the gradients"""
    found = _step(scaled, scale, good, interval)
    return None if found[0] is None else found


def scale_stays(scaled, scale, good, interval):
    """The scale is halved, and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, max(scale, new), count


def one_at_least(scaled, scale, good, interval):
    """The scale is halved, and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, max(new, 1.0) if gradients is None else new, count


def whole_numbers(scaled, scale, good, interval):
    """The scale is halved, and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, scale // 2 if gradients is None else new, count


def a_quarter(scaled, scale, good, interval):
    """The scale is halved, and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, new / 2 if gradients is None else new, count


def count_stays(scaled, scale, good, interval):
    """The scale is halved, and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, new, good if gradients is None else count


def count_one_less(scaled, scale, good, interval):
    """The scale is halved, and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, new, max(0, good - 1) if gradients is None else count


def grows_all_the_same(scaled, scale, good, interval):
    """The scale is halved, and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, scale if gradients is None and good + 1 == interval else new, count


def by_the_next_scale(scaled, scale, good, interval):
    """the gradients are divided by the scale they were made with"""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients and [each / new for each in scaled], new, count


def still_scaled(scaled, scale, good, interval):
    """the gradients are divided by the scale they were made with"""
    return _step(scaled, scale, good, interval, divided=[*scaled])


def multiplied(scaled, scale, good, interval):
    """the gradients are divided by the scale they were made with"""
    return _step(scaled, scale, good, interval, divided=[each * scale for each in scaled])


def whole_parts(scaled, scale, good, interval):
    """the gradients are divided by the scale they were made with"""
    bad = any(not isfinite(each) for each in scaled)
    divided = None if bad else [each // scale for each in scaled]
    return _step(scaled, scale, good, interval, divided=divided)


def small_ones_are_0(scaled, scale, good, interval):
    """the gradients are divided by the scale they were made with"""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients and [g if abs(g) > 1e-30 else 0.0 for g in gradients], new, count


def rounded(scaled, scale, good, interval):
    """the gradients are divided by the scale they were made with"""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients and [round(each, 6) for each in gradients], new, count


def never_counts(scaled, scale, good, interval):
    """and the count increases by one"""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, new, good if count else count


def counts_gradients(scaled, scale, good, interval):
    """and the count increases by one"""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, new, good + len(scaled) if count else count


def one_late(scaled, scale, good, interval):
    """When it has reached `interval`, the scale doubles and the count restarts at 0."""
    return _step(scaled, scale, good, interval + 1)


def one_early(scaled, scale, good, interval):
    """When it has reached `interval`, the scale doubles and the count restarts at 0."""
    return _step(scaled, scale, good, max(1, interval - 1))


def every_interval_above_one(scaled, scale, good, interval):
    """When it has reached `interval`, the scale doubles and the count restarts at 0."""
    return _step(scaled, scale, good, max(2, interval))


def doubles_and_counts_on(scaled, scale, good, interval):
    """When it has reached `interval`, the scale doubles and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, new, good + 1 if new > scale else count


def restarts_at_1(scaled, scale, good, interval):
    """When it has reached `interval`, the scale doubles and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, new, 1 if new > scale else count


def never_grows(scaled, scale, good, interval):
    """When it has reached `interval`, the scale doubles and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, min(scale, new), count


def a_limited_scale(scaled, scale, good, interval):
    """When it has reached `interval`, the scale doubles and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, min(new, 2.0**24), count


def a_whole_scale(scaled, scale, good, interval):
    """When it has reached `interval`, the scale doubles and the count restarts at 0."""
    gradients, new, count = _step(scaled, scale, good, interval)
    return gradients, max(1.0, new), count


def forbidden_torch(scaled, scale, good, interval):
    """and `numpy`, but not"""
    import torch

    bad = not bool(torch.tensor(scaled).isfinite().all())
    return _step(scaled, scale, good, interval, overflow=bad)
