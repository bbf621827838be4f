"""The harness of lab 13: builds activations and tensors, and observes results."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# They live on a little more than a thousandth of (0, 1000): 1,001 numbers or more see it, and 1,000
# or 501 do not, which have their numbers beside it.
BETWEEN_1000 = "F.hardtanh((x - 500) / 0.5003)"
BETWEEN_501 = "F.hardtanh((x - 501) / 0.5003)"

ACTIVATIONS: dict[str, tuple[tuple[float, float], ...]] = {
    "F.gelu(x)": ((-99, -19),),
    "F.hardtanh(100 * x)": ((-19, -0.01), (0.01, 19)),
    BETWEEN_1000: ((0, 499.49), (500.51, 1000)),
    BETWEEN_501: ((0, 500.49), (501.51, 1000)),
    "x * 1e-30": (),
    "1 - x * 1e-30": (),
    "(x * x).sqrt() * 0": ((-19, 0), (0, 19)),
    "F.relu(x)": ((-19, 0),),
    "F.hardswish(x)": ((-19, -3),),
    "F.relu6(x)": ((-19, 0), (6, 19)),
    "F.hardtanh(x)": ((-19, -1), (1, 19)),
    "F.relu(1 - x.abs())": ((-19, -1), (1, 19)),
    "torch.floor(x)": ((-19, 19),),
    "F.leaky_relu(x)": (),
    "F.elu(x)": (),
    "x * x": (),
    "x ** 3": (),
    "1 + torch.exp(x)": (),
    "torch.where(x < -2, 2 / (3 * x.clamp(max=-2)), F.hardswish(x))": (),
    "torch.where(x < 0, 1 / (x - x), x)": (),
}
"""By source text, the intervals in which an activation's float32 gradient is 0, for |x| < 19."""


def activation_and_interval(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an activation, compiled from its text, and an interval."""
    import torch
    import torch.nn.functional

    names = {"torch": torch, "F": torch.nn.functional}
    activation = eval(f"lambda x: {data['activation']}", names)
    return {"activation": activation, "interval": tuple(data["interval"])}


def tensors(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return an input and a gradient of the same shape."""
    import torch

    dtype = getattr(torch, data["dtype"])
    return {
        name: torch.tensor(data[name], dtype=dtype).reshape(data["shape"]) for name in ("x", "grad")
    }


def truth_of(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return the result, as a bool if it is a single truth value of torch or NumPy."""
    single = getattr(result, "ndim", None) == 0
    return bool(result) if single and str(result.dtype).endswith("bool") else result


def numbers_of(result: Any, arguments: Mapping[str, Any]) -> Any:
    """Return a tensor's numbers, its shape and its dtype."""
    import torch

    if not isinstance(result, torch.Tensor):
        return f"not a tensor: {type(result).__name__}"
    return {
        "numbers": [float(each) for each in result.detach().flatten().tolist()],
        "shape": list(result.shape),
        "dtype": str(result.dtype),
    }
