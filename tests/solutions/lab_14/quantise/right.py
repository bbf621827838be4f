def quantise(x: list[float], bits: int) -> tuple[list[int], float]:
    farthest = max(abs(value) for value in x)
    scale = farthest / (2 ** (bits - 1) - 1) if farthest else 1.0
    return [round(value / scale) for value in x], scale
