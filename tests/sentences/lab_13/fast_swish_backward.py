import torch

SAYS: dict[str, str] = {
    "Write `fast_swish_backward(x, grad)`.": "the name and the parameters, as in the stub",
    "For x = [-4, 0, 5] and grad = [1, 2, 3] the result": "an example, which is a case",
}

EQUIVALENT: dict[str, str] = {
    "7: x < -2 → x <= -2": "at -2 both slopes agree",
}


def _slope(x, low=-2, left=None, middle=None, right=1.0):
    left = -2 / (3 * x * x) if left is None else left
    middle = (2 * x + 3) / 6 if middle is None else middle
    return torch.where(x < low, left, torch.where(x < 3, middle, right * torch.ones_like(x)))


def x_is_the_result(x, grad):
    """Here `x` is the input of FastSwish"""
    result = torch.where(x < -2, 2 / (3 * x), torch.where(x < 3, x * (x + 3) / 6, x))
    return grad * _slope(result)


def changes_x(x, grad):
    """Here `x` is the input of FastSwish"""
    found = grad * _slope(x)
    x.clamp_(max=8.0)
    return found


def into_grad(x, grad):
    """and `grad` the gradient of its result"""
    return grad.mul_(_slope(x))


def one_gradient_for_all(x, grad):
    """and `grad` the gradient of its result"""
    return grad.flatten()[0] * _slope(x) if x.numel() else _slope(x)


def without_grad(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return _slope(x)


def slope_plus_grad(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad + _slope(x)


def sign_of_grad(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad.sign() * _slope(x)


def moderate_gradients(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad.clamp(-1e6, 1e6) * _slope(x)


def small_gradients_are_0(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return torch.where(grad.abs() < 1e-20, torch.zeros_like(grad), grad) * _slope(x)


def values(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad * torch.where(x < -2, 2 / (3 * x), torch.where(x < 3, x * (x + 3) / 6, x))


def hard_swish(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad * _slope(x, low=-3, left=torch.zeros_like(x))


def rising_on_the_left(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad * _slope(x, left=2 / (3 * x * x))


def without_a_third(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad * _slope(x, left=-2 / (x * x))


def to_three_digits(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad * (_slope(x) * 1000).round() / 1000


def by_a_difference(x, grad):
    """the slope of FastSwish at each number, times `grad`"""

    def value(x):
        return torch.where(x < -2, 2 / (3 * x), torch.where(x < 3, x * (x + 3) / 6, x))

    return grad * (value(x + 1e-3) - value(x - 1e-3)) / 2e-3


def joint_at_minus_one_and_a_half(x, grad):
    """the slope of FastSwish at each number, times `grad`"""
    return grad * _slope(x, low=-1.5)


def middle_piece_at_3(x, grad):
    """At 3 take the slope of the right piece"""
    middle = (2 * x + 3) / 6
    return grad * torch.where(x < -2, -2 / (3 * x * x), torch.where(x <= 3, middle, middle * 0 + 1))


def mean_at_3(x, grad):
    """At 3 take the slope of the right piece"""
    return grad * torch.where(x == 3, 1.25 * torch.ones_like(x), _slope(x))


def right_piece_from_2_9(x, grad):
    """At 3 take the slope of the right piece"""
    return grad * torch.where((x > 2.9) & (x < 3), torch.ones_like(x), _slope(x))


def nothing_at_minus_2(x, grad):
    """at -2 both slopes agree"""
    return grad * torch.where(x == -2, torch.zeros_like(x), _slope(x))


def both_at_minus_2(x, grad):
    """at -2 both slopes agree"""
    return grad * (_slope(x) + torch.where(x == -2, -2 / (3 * x * x), torch.zeros_like(x)))


def one_axis(x, grad):
    """Shape and dtype are those of `x`"""
    return (grad * _slope(x)).flatten()


def one_axis_at_least(x, grad):
    """Shape and dtype are those of `x`"""
    return torch.atleast_1d(grad * _slope(x))


def two_axes_at_most(x, grad):
    """Shape and dtype are those of `x`"""
    found = grad * _slope(x)
    return found.flatten(1) if found.ndim > 2 else found


def without_axes_of_length_1(x, grad):
    """Shape and dtype are those of `x`"""
    return (grad * _slope(x)).squeeze()


def row_by_row(x, grad):
    """Shape and dtype are those of `x`"""
    return torch.stack([g * _slope(row) for row, g in zip(x, grad, strict=True)])


def in_float32(x, grad):
    """Shape and dtype are those of `x`"""
    return (grad * _slope(x)).float()


def in_float64(x, grad):
    """Shape and dtype are those of `x`"""
    return grad.double() * _slope(x.double())


def by_way_of_float32(x, grad):
    """Shape and dtype are those of `x`"""
    return (grad.float() * _slope(x.float())).to(x.dtype)


def float32_for_16_bits(x, grad):
    """Shape and dtype are those of `x`"""
    found = grad * _slope(x)
    return found if x.dtype == torch.float64 else found.float()


def float32_for_bfloat16(x, grad):
    """Shape and dtype are those of `x`"""
    found = grad * _slope(x)
    return found.float() if x.dtype == torch.bfloat16 else found


def default_ones(x, grad):
    """Shape and dtype are those of `x`"""
    middle = torch.where(x < 3, (2 * x + 3) / 6, torch.ones(x.shape))
    return grad * torch.where(x < -2, -2 / (3 * x * x), middle)


def a_list(x, grad):
    """Shape and dtype are those of `x`"""
    return (grad * _slope(x)).tolist()


def one_number_at_least(x, grad):
    """which may be empty or contain infinity or 0"""
    assert x.abs().max() >= 0
    return grad * _slope(x)


def nothing_if_empty(x, grad):
    """which may be empty or contain infinity or 0"""
    return grad * _slope(x) if x.numel() else torch.zeros(0, dtype=x.dtype)


def masks(x, grad):
    """which may be empty or contain infinity or 0"""
    left, right = (x < -2).to(x.dtype), (x >= 3).to(x.dtype)
    return grad * (left * -2 / (3 * x * x) + (1 - left - right) * (2 * x + 3) / 6 + right)


def masks_without_0(x, grad):
    """which may be empty or contain infinity or 0"""
    left, right = (x < -2).to(x.dtype), (x >= 3).to(x.dtype)
    steep = -2 / (3 * x.clamp(max=-2) ** 2)
    return grad * (left * steep + (1 - left - right) * (2 * x + 3) / 6 + right)


def finite(x, grad):
    """which may be empty or contain infinity or 0"""
    return grad * torch.where(x.isfinite(), _slope(x), torch.zeros_like(x))


def quotient_of_squares(x, grad):
    """which may be empty or contain infinity or 0"""
    return grad * _slope(x, left=-2 * x * x / (3 * x**4))


def forbidden_autograd(x, grad):
    """Compute the slope yourself, without autograd."""
    x = x.clone().requires_grad_()
    y = torch.where(x < -2, 2 / (3 * x), torch.where(x < 3, x * (x + 3) / 6, x))
    (found,) = torch.autograd.grad(y, x, grad)
    return found


def forbidden_backward(x, grad):
    """Compute the slope yourself, without autograd."""
    x = x.clone()
    x.requires_grad = True
    torch.where(x < -2, 2 / (3 * x), torch.where(x < 3, x * (x + 3) / 6, x)).backward(grad)
    return x.grad
