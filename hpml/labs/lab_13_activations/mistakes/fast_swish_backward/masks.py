"""It multiplies each piece by 0 or 1 and adds them up. At 0 the left piece is infinite, and 0 times
infinity is no number. Choose with `torch.where`."""

LIKE = "without_grad"
CHANGES = {
    "return torch.where(x < -2, left, torch.where(x < 3, middle, torch.ones_like(x)))": "is_left, is_right = (x < -2).to(x.dtype), (x >= 3).to(x.dtype)\n    return grad * (is_left * left + (1 - is_left - is_right) * middle + is_right)",
}
