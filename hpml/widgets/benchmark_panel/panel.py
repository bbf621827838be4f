"""The benchmark panel: choose, run, watch the picture grow, cancel and keep what was measured.

The suite runs in a process of its own, see `hpml.widgets.benchmark_panel.run`. Only the controls
are widgets; picture and table are an ordinary output beneath them, replaced in place whenever a
case is finished, so that a saved page keeps them. While the kernel runs another cell, the panel
waits after the case in flight: two programs that work at once would disturb each other.
"""

from __future__ import annotations

import asyncio
import contextvars
import html
import threading
import uuid
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from hpml.base.page import put, put_live
from hpml.widgets.benchmark_panel.page import page
from hpml.widgets.benchmark_panel.state import ROUNDS, BenchmarkPanel
from hpml.widgets.errors import WidgetError

if TYPE_CHECKING:
    from hpml.benchmark.record import Case
    from hpml.widgets.benchmark_panel.run import Message, Run


def benchmark_panel(
    suite: str,
    *,
    sizes: Sequence[int] | None = None,
    contenders: Sequence[str] | None = None,
    cases: Iterable[Case] = (),
    **options: Any,
) -> None:
    """Show a suite with its choices, and measure what the reader chooses.

    Each run is recorded in a file of its own in the results folder, a line a case, as soon as the
    case is finished.

    Args:
        suite: a name in `hpml.suites.SUITES`, such as "deep-linear".
        sizes: the sizes to choose from; by default the suite's own.
        contenders: those to choose from; by default the suite's, without those that run only on
            request, such as "torch.compile".
        cases: of the same suite, measured before: what is shown at first.
        **options: of the suite's ``run``, plain values, such as ``grad=True``.

    Raises:
        WidgetError: if there is no such suite, or it does not know what is given.

    >>> benchmark_panel("deep-linear")
    Benchmark deep-linear: Nothing measured yet. Choose contenders and sizes, then Run...
    """
    panel = BenchmarkPanel(suite, sizes, contenders, cases, options)
    place = uuid.uuid4().hex

    def draw() -> None:
        put(page(panel), place, again=True)

    put_live(
        lambda widgets: _Controls(widgets, panel, draw).box, "(here you choose what is measured)"
    )
    put(page(panel), place)


class _Controls:
    """The buttons and boxes, and the thread that waits for what a run says."""

    def __init__(self, widgets: Any, panel: BenchmarkPanel, draw: Callable[[], None]) -> None:
        self._panel, self._draw = panel, draw
        self._contenders = {
            name: _box(widgets, name, always=name == panel.baseline) for name in panel.contenders
        }
        self._sizes = {size: _box(widgets, f"{size:,}") for size in panel.sizes}
        self._rounds = widgets.Dropdown(
            options=ROUNDS,
            value=panel.rounds,
            description="rounds",
            style={"description_width": "initial"},
            layout={"width": "9em"},
        )
        self._start = widgets.Button(
            description="Run",
            tooltip="Measure what is chosen, in a process of its own",
            button_style="primary",
        )
        self._cancel = widgets.Button(
            description="Cancel",
            tooltip="End after the round in flight, and keep what was measured",
            disabled=True,
        )
        self._bar = widgets.FloatProgress(value=0.0, max=1.0, layout={"width": "14em"})
        self._message = widgets.HTML(value="")
        self._start.on_click(self._run)
        self._cancel.on_click(self._stop)
        wrap = {"flex_flow": "row wrap", "align_items": "center"}
        label = {"width": "7em"}

        def line(title: str, boxes: Iterable[Any]) -> Any:
            return widgets.HBox([widgets.Label(title, layout=label), *boxes], layout=wrap)

        self.box = widgets.VBox(
            [
                line("contenders", self._contenders.values()),
                line(panel.parameter, self._sizes.values()),
                widgets.HBox([self._rounds, self._start, self._cancel, self._bar], layout=wrap),
                self._message,
            ]
        )

    def _run(self, _: object) -> None:
        chosen = [name for name, box in self._contenders.items() if box.value]
        sizes = [size for size, box in self._sizes.items() if box.value]
        try:
            run = self._panel.start(chosen, sizes, self._rounds.value)
        except WidgetError as error:
            self._say(str(error), role="alert")
            return
        self._show()
        self._draw()
        # What a run says is taken in by the kernel's own loop: one thing at a time, and only
        # while no cell runs. The context carries which cell's output this is.
        loop, context = asyncio.get_running_loop(), contextvars.copy_context()

        def follow() -> None:
            for message in run:
                loop.call_soon_threadsafe(self._take, run, message, context=context)

        threading.Thread(target=follow, daemon=True).start()

    def _take(self, run: Run, message: Message) -> None:
        new = self._panel.take(message)
        self._show()
        if new:
            self._draw()
        if message.kind == "case":
            run.go()

    def _stop(self, _: object) -> None:
        if self._panel.run is not None:
            self._panel.cancel()
            self._show()

    def _show(self) -> None:
        panel = self._panel
        running = panel.run is not None
        self._start.disabled = running
        self._cancel.disabled = not running
        self._cancel.description = "Cancel now" if panel.stopping else "Cancel"
        self._cancel.button_style = "danger" if panel.stopping else "warning" if running else ""
        self._bar.value = panel.fraction
        self._say(panel.status if running else "")

    def _say(self, text: str, role: str = "status") -> None:
        # A screen reader says what is in here when it changes, an alert at once.
        self._message.value = f'<div role="{role}">{html.escape(text)}</div>' if text else ""


def _box(widgets: Any, name: str, *, always: bool = False) -> Any:
    return widgets.Checkbox(
        value=True,
        description=f"{name} (always)" if always else name,
        disabled=always,
        indent=False,
        layout={"width": "max-content", "margin": "0 1.2em 0 0"},
    )
