import torch

SAYS: dict[str, str] = {
    "Write `gradient_dies(activation, interval)`.": "the name and the parameters, as in the stub",
    "For ReLU, (-2, -1) gives `True` and (-1, 1) `False`.": "an example: ReLU is tried on both sides",
}

EQUIVALENT: dict[str, str] = {
    "6: 1001 → 1002": "more numbers than 1,001 are allowed",
    "8: bool((x.grad == 0).all()) → (x.grad == 0).all()": "a single truth value of PyTorch is accepted for a bool",
}


def _gradient(activation, interval, points=1001, **options):
    x = torch.linspace(*interval, points, requires_grad=True, **options)
    activation(x).sum().backward()
    return x.grad


def _dies(gradient):
    return bool((gradient == 0).all())


def a_function_of_a_number(activation, interval):
    """The activation is a function of a tensor"""
    low, high = interval
    numbers = [low + (high - low) * place / 1000 for place in range(1001)]
    return all(activation(x) - activation(x - 1e-6) == 0 for x in numbers)


def from_minus_to_plus(activation, interval):
    """the interval a pair `(low, high)`"""
    most = max(map(abs, interval))
    return _dies(_gradient(activation, (-most, most)))


def from_0(activation, interval):
    """the interval a pair `(low, high)`"""
    return _dies(_gradient(activation, (min(interval[0], 0.0), interval[1])))


def low_below_high(activation, interval):
    """the interval a pair `(low, high)`"""
    low, high = interval
    x = torch.arange(low, high + (high - low) / 2000, (high - low) / 1000, requires_grad=True)
    activation(x).sum().backward()
    return _dies(x.grad)


def lives(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return not _dies(_gradient(activation, interval))


def as_a_tensor(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return _gradient(activation, interval) == 0


def a_count(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return int(_dies(_gradient(activation, interval)))


def values_are_0(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return bool((activation(torch.linspace(*interval, 1001)) == 0).all())


def values_are_alike(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    values = activation(torch.linspace(*interval, 1001))
    return bool((values == values[0]).all())


def nearly_0(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return bool((_gradient(activation, interval).abs() < 1e-6).all())


def less_than_any_number_near_1(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return bool((_gradient(activation, interval).abs() < 1e-20).all())


def close_to_0(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    gradient = _gradient(activation, interval)
    return torch.allclose(gradient, torch.zeros_like(gradient))


def sum_is_0(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return bool(_gradient(activation, interval).sum() == 0)


def squares_add_up_to_0(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return bool(_gradient(activation, interval).square().sum() == 0)


def not_positive(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return bool((_gradient(activation, interval) <= 0).all())


def not_negative(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return bool((_gradient(activation, interval) >= 0).all())


def somewhere(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return bool((_gradient(activation, interval) == 0).any())


def nearly_everywhere(activation, interval):
    """It returns `True` if the gradient is exactly 0 at all points looked at"""
    return float((_gradient(activation, interval) == 0).float().mean()) > 0.99


def a_thousand_numbers(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    return _dies(_gradient(activation, interval, 1000))


def five_hundred_numbers(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    return _dies(_gradient(activation, interval, 501))


def a_hundred_numbers(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    return _dies(_gradient(activation, interval, 101))


def three_numbers(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    return _dies(_gradient(activation, interval, 3))


def more_at_the_ends(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    low, high = interval
    angles = torch.linspace(0, torch.pi, 1001)
    x = ((low + high) / 2 - (high - low) / 2 * angles.cos()).requires_grad_()
    activation(x).sum().backward()
    return _dies(x.grad)


def whole_numbers_only(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    x = torch.arange(float(int(interval[0])), interval[1] + 1).requires_grad_()
    activation(x).sum().backward()
    return _dies(x.grad)


def in_float64(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    return _dies(_gradient(activation, interval, dtype=torch.float64))


def in_float16(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    return _dies(_gradient(activation, interval, dtype=torch.float16))


def in_bfloat16(activation, interval):
    """Look at 1,001 or more evenly spaced float32 numbers"""
    return _dies(_gradient(activation, interval, dtype=torch.bfloat16))


def without_the_first(activation, interval):
    """float32 numbers, both ends included"""
    return _dies(_gradient(activation, interval)[1:])


def without_the_last(activation, interval):
    """float32 numbers, both ends included"""
    return _dies(_gradient(activation, interval)[:-1])


def middles_of_parts(activation, interval):
    """float32 numbers, both ends included"""
    half = (interval[1] - interval[0]) / 2002
    return _dies(_gradient(activation, (interval[0] + half, interval[1] - half)))


def not_a_number_is_0(activation, interval):
    """A gradient that is not a number (NaN) is not 0."""
    return _dies(_gradient(activation, interval).nan_to_num())


def neither_above_nor_below(activation, interval):
    """A gradient that is not a number (NaN) is not 0."""
    gradient = _gradient(activation, interval)
    return not bool(((gradient > 0) | (gradient < 0)).any())


def only_if_all_are_not_a_number(activation, interval):
    """A gradient that is not a number (NaN) is not 0."""
    gradient = _gradient(activation, interval)
    known = gradient[~gradient.isnan()]
    return _dies(known) if known.numel() else False


def first_is_not_looked_at_if_not_a_number(activation, interval):
    """A gradient that is not a number (NaN) is not 0."""
    gradient = _gradient(activation, interval)
    return _dies(gradient[1:] if gradient[0].isnan() else gradient)
