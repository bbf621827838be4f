"""The autograd graph of a result as plain nodes, one for each backward step."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from hpml.base.errors import describe
from hpml.profiling.errors import ProfilingError

if TYPE_CHECKING:
    import torch


class AutogradNode(NamedTuple):
    """One step of the backward pass.

    Attributes:
        name: autograd's name; ``"AccumulateGrad"`` stores a gradient in its tensor.
        sends_to: the numbers of the nodes that receive its gradients.
        saves: the tensors that it saves for the backward pass, each with its shape.
        tensor: for ``AccumulateGrad``, the name of the tensor that receives the gradient.
    """

    name: str
    sends_to: tuple[int, ...]
    saves: tuple[str, ...]
    tensor: str = ""


def autograd_graph(
    result: torch.Tensor, names: Mapping[str, torch.Tensor] | None = None
) -> tuple[AutogradNode, ...]:
    """Return the nodes that autograd recorded for a result, the last step first.

    Args:
        result: the result of the forward pass.
        names: the tensors that receive gradients, by name: ``dict(net.named_parameters())``.

    Raises:
        ProfilingError: if `result` has no recorded graph.
        RuntimeError: autograd's own, after the backward pass, which frees what was saved.

    >>> import torch
    >>> w = torch.ones(3, requires_grad=True)
    >>> for node in autograd_graph(w.tanh(), {"w": w}):
    ...     print(node.name, node.sends_to, node.saves or node.tensor)
    TanhBackward0 (1,) ('result (3,)',)
    AccumulateGrad () w
    """
    first: Any = getattr(result, "grad_fn", None)
    if first is None:
        raise ProfilingError(
            object="result of autograd_graph",
            expected="a result that autograd recorded",
            received=f"{describe(result)} without a grad_fn",
            remedy="Compute it from a tensor with requires_grad, outside of torch.no_grad().",
        )
    owner = {id(tensor): name for name, tensor in (names or {}).items()}
    number: dict[Any, int] = {first: 0}
    waiting = [first]
    for step in waiting:  # breadth first: grows during the loop
        for next_step, _ in step.next_functions:
            if next_step is not None and next_step not in number:
                number[next_step] = len(number)
                waiting.append(next_step)
    return tuple(
        AutogradNode(
            step.name().rsplit("::", 1)[-1],
            tuple(number[after] for after, _ in step.next_functions if after is not None),
            _saved(step),
            _tensor_of(step, owner),
        )
        for step in waiting
    )


def _saved(step: Any) -> tuple[str, ...]:
    import torch

    names = [name for name in dir(step) if name.startswith("_saved_")]
    saved = [(name.removeprefix("_saved_"), getattr(step, name)) for name in names]
    return tuple(
        f"{name} {tuple(value.shape)}" for name, value in saved if isinstance(value, torch.Tensor)
    )


def _tensor_of(step: Any, owner: Mapping[int, str]) -> str:
    variable = getattr(step, "variable", None)
    if variable is None:
        return ""
    return owner.get(id(variable), f"a tensor {tuple(variable.shape)}")
