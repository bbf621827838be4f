"""Activations and their gradients, drawn side by side."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hpml.base import style
from hpml.base.page import Page, picture


def draw_curves(activations: Mapping[str, Callable[[Any], Any]]) -> Page:
    """Draw the values and the gradients of some activations between -6 and 6.

    >>> import torch
    >>> draw_curves({"ReLU": torch.relu}).plain
    'Values and gradients of ReLU. At -5: ReLU 0, gradient 0.'
    """
    import torch

    fig, axes = style.figure(width=11.0, height=4.0, columns=2)
    shades = style.colours(list(activations))
    said = []
    dashes = zip(activations.items(), ("-", "--", "-.", "-"), strict=False)
    for number, ((name, activation), dash) in enumerate(dashes):
        x = torch.linspace(-6, 6, 601, requires_grad=True)
        y = activation(x)
        (slope,) = torch.autograd.grad(y.sum(), x)
        y = y.detach()
        for ax, line in zip(axes, (y, slope), strict=True):
            # Where two are equal, the dashes of the first lie on the line of the other.
            ax.plot(x.detach(), line, dash, color=shades[name], label=name, zorder=9 - number)
        said.append(f"{name} {float(y[50]):.3g}, gradient {float(slope[50]):.3g}")
    for ax, title in zip(axes, ("Values", "Gradients"), strict=True):
        ax.axhline(0, color=style.PALETTE["muted"], linewidth=0.8)
        style.finish(ax, title=title, x="x", y="")
        ax.legend()
    axes[0].set_ylim(-0.6, 2)
    return picture(fig, f"Values and gradients of {', '.join(activations)}. At -5: "
                   f"{'; '.join(said)}.")  # fmt: skip
