"""How much of what a forward computes is alive at the same time."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from hpml.base import style
from hpml.base.page import Page, picture
from hpml.base.tables import format_bytes
from hpml.labs.lab_07_code_generation.networks import function_of


def live_bytes(model: Any, source: str, *inputs: Any) -> tuple[int, ...]:
    """Run generated source on a model's layers; return the bytes of results alive after each layer.

    Counted is the moment when the layer has made its result and its arguments are not dropped yet.
    The inputs are not counted.
    """
    alive: list[weakref.ref[Any]] = []
    counts: list[int] = []

    def watched(layer: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arguments: Any) -> Any:
            result = layer(*arguments)
            alive.append(weakref.ref(result))
            # Views share their memory: count each storage once.
            storages = [t.untyped_storage() for ref in alive if (t := ref()) is not None]
            counts.append(sum({s.data_ptr(): s.nbytes() for s in storages}.values()))
            return result

        return run

    layers = [watched(layer) for layer in model.ordered_layers]
    function_of(source)(SimpleNamespace(_execution_order_layers=layers), *inputs)
    return tuple(counts)


def draw_live_bytes(nets: Mapping[str, Mapping[str, Sequence[int]]]) -> Page:
    """Draw the live bytes along the forward of some networks, a line for each kind of source.

    Args:
        nets: from a network's name to its lines; a line is a name and what `live_bytes` gave.
    """
    fig, axes = style.figure(1, len(nets), width=8.4, height=3.6, squeeze=False)
    said = []
    for ax, (net, lines) in zip(axes[0], nets.items(), strict=True):
        with style.apply():
            for (name, counts), role in zip(lines.items(), ("lazy", "codegen"), strict=False):
                kib = [count / 1024 for count in counts]
                at = range(1, len(kib) + 1)
                ax.plot(at, kib, color=style.colour(role), marker=style.marker(role), ms=3,
                        label=name)  # fmt: skip
            ax.set_ylim(bottom=0)
        style.finish(ax, title=net, x="layers done", y="live results (KiB)")
        peaks = " and ".join(f"{format_bytes(max(c))} ({n})" for n, c in lines.items())
        said.append(f"{net}: at the peak {peaks}")
    text = "; ".join(said) + "."
    style.caption(fig, text)
    return picture(fig, text)
