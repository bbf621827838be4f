"""The benchmark panel: choices and results, their page, and the controls."""

from __future__ import annotations

import asyncio
import contextvars
import html
import importlib
import inspect
import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from hpml.base.child_process import (
    ChildEndedError,
    ChildProcess,
    ChildTimeoutError,
    python_module,
    with_package,
)
from hpml.base.environment import quick
from hpml.base.errors import describe
from hpml.base.files import results_folder
from hpml.base.page import PAPER, Page, picture, put, put_live
from hpml.base.style import ACCENT
from hpml.widgets.errors import WidgetError

if TYPE_CHECKING:
    from hpml.benchmark.record import Case

ROUNDS = (7, 15, 25, 50)
_POLL = 0.3
_OURS = frozenset({"contenders", "rounds", "out", "resume", "progress", "stop"})


def benchmark_panel(
    suite: str,
    *,
    sizes: Sequence[int] | None = None,
    contenders: Sequence[str] | None = None,
    **options: Any,
) -> None:
    """Show a suite with its choices, and measure what the reader chooses.

    Each run is recorded in a file of its own in the results folder, a line a case, as soon as the
    case is finished. Do not run other cells meanwhile: they would disturb the measurement.

    Args:
        suite: a name in `hpml.suites.SUITES`, such as "deep-linear".
        sizes: the sizes to choose from; by default the suite's own.
        contenders: those to choose from; by default the suite's, without optional ones such as
            "torch.compile".
        **options: of the suite's ``run``, plain values, such as ``grad=True``.

    Raises:
        WidgetError: if there is no such suite, size, contender or option.

    >>> benchmark_panel("deep-linear")
    Benchmark deep-linear: Nothing measured yet. Choose contenders and sizes, then Run.
    """
    panel = BenchmarkPanel(suite, sizes, contenders, options)
    place = uuid.uuid4().hex

    def draw() -> None:
        put(panel.page(), place, again=True)

    put_live(
        lambda widgets: _Controls(widgets, panel, draw).box, "(here you choose what is measured)"
    )
    put(panel.page(), place)


class BenchmarkPanel:
    """A suite's choices, its results, and the current run."""

    _running: ClassVar[BenchmarkPanel | None] = None

    def __init__(
        self,
        suite: str,
        sizes: Sequence[int] | None = None,
        contenders: Sequence[str] | None = None,
        options: Mapping[str, Any] | None = None,
    ) -> None:
        from hpml.suites import SUITES
        from hpml.suites.settings import option_names

        module: Any = importlib.import_module(SUITES[suite][0]) if suite in SUITES else None
        if not hasattr(module, "names"):
            raise WidgetError(
                f"benchmark_panel expects a suite with contenders, of {', '.join(SUITES)}, got "
                f"{describe(suite)}; in a terminal, hpml bench runs every suite."
            )
        first = next(iter(inspect.signature(module.run).parameters.values()))
        self.suite, self.parameter = suite, first.name
        self.options = dict(options or {})
        if self.options:
            known = [name for name in option_names(module.run) if name not in _OURS]
            _chosen(f"options of the suite {suite}", list(self.options), known)
        self.sizes = tuple(sorted(set(first.default if sizes is None else sizes)))
        if not all(type(size) is int and size > 0 for size in self.sizes) or not self.sizes:
            raise WidgetError(f"sizes: expected integers of at least 1, got {describe(sizes)}.")
        optional = dict.fromkeys(inspect.signature(module.names).parameters, True)
        everyone = module.names(**({} if contenders is None else optional))
        self.contenders = _chosen(
            "contenders", everyone if contenders is None else contenders, everyone
        )
        base = getattr(module, "BASELINE", None)
        self.baseline: str | None = base if base in self.contenders else None
        self.cases: tuple[Case, ...] = ()
        self.status = "Nothing measured yet. Choose contenders and sizes, then Run."
        self.running = self.stopping = False
        self._before: tuple[Case, ...] = ()
        self._asked: tuple[int, ...] = ()
        self._done = 0
        self._out = Path()
        self._child: ChildProcess | None = None

    @property
    def fraction(self) -> float:
        """The share of the chosen sizes that is measured."""
        return self._done / len(self._asked) if self._asked else 0.0

    def start(self, contenders: Sequence[str], sizes: Sequence[int], rounds: int) -> None:
        """Begin to measure; a size that was measured before stays until it is measured again.

        A run of another panel is ended first: a cell that was run again has lost its button.
        """
        chosen = _chosen(
            "contenders", [*contenders, *filter(None, [self.baseline])], self.contenders
        )
        self._asked = _chosen("sizes", sizes, self.sizes)
        other = BenchmarkPanel._running
        if other is not None and other._child is not None:
            other._child.kill()
        BenchmarkPanel._running = self
        self._out = results_folder() / (
            f"panel-{self.suite}-{datetime.now(tz=UTC):%Y%m%dT%H%M%S}-{uuid.uuid4().hex[:6]}.jsonl"
        )
        self._child = ChildProcess(
            python_module("hpml.widgets.benchmark_panel.worker"), environment=with_package()
        )
        self._child.send(
            {
                "suite": self.suite,
                "sizes": self._asked,
                "contenders": chosen,
                "rounds": rounds,
                "out": str(self._out),
                "options": self.options,
            }
        )
        self._before = self.cases
        self.running, self.stopping, self._done = True, False, 0
        self.status = f"Measuring; 0 of {len(self._asked)} sizes are done."

    def stop(self) -> None:
        """Ask the run to end after the current round; asked a second time, end it now."""
        if self._child is None or self.stopping:
            if self._child is not None:
                self._child.kill()
            return
        self.stopping = True
        self.status = "Stopping after the current round; Stop now ends it at once."
        self._child.send("stop")

    def poll(self, seconds: float = 0.0) -> bool:
        """Wait so long for the end of the run; return whether there is something new to draw."""
        if self._child is None:
            return False
        before = len(self.cases), self.status
        try:
            end = self._child.receive(seconds)
        except ChildTimeoutError:
            new = self._recorded()
            if not self.stopping:
                self.status = f"Measuring; {len(new)} of {len(self._asked)} sizes are done."
        except ChildEndedError as error:
            words = self._child.last_words(1000)
            failed = f"its process ended with exit code {error.exit_code}. {words}".strip()
            new = self._end({"stopped": True} if self.stopping else {"failed": failed})
        else:
            new = self._end(end)
        self._done = len(new)
        sizes = {_size(case) for case in new}
        earlier = [case for case in self._before if _size(case) not in sizes]
        self.cases = tuple(sorted([*earlier, *new], key=_size))
        return before != (len(self.cases), self.status)

    def _end(self, end: Mapping[str, Any]) -> tuple[Case, ...]:
        """Close the run's process and say how it ended; return the cases that it recorded."""
        assert self._child is not None
        self._child.close()
        self._child, self.running, self.stopping = None, False, False
        kept = self._recorded()
        where = f" Recorded in {self._out.parent.name}/{self._out.name}." if kept else ""
        if "failed" in end:
            self.status = f"Failed: {end['failed']} Kept: {self._counted(kept)}.{where}"
        elif end["stopped"]:
            self.status = f"Stopped. Kept: {self._counted(kept)}.{where}"
        else:
            self.status = f"Done: {self._counted(kept)}.{where} {end['notes']}".rstrip()
        return kept

    def _recorded(self) -> tuple[Case, ...]:
        """Return the cases of this run so far; one that was stopped has fewer rounds than asked."""
        from hpml.benchmark.record import read_cases

        return read_cases(self._out).cases if self._out.is_file() else ()

    def _counted(self, cases: Sequence[Case]) -> str:
        if not cases:
            return "nothing, no round was complete"
        parts = []
        for case in cases:
            rounds, asked = case.comparison.rounds, case.comparison.asked_rounds
            few = "" if case.comparison.complete else f" of {asked:,}"
            parts.append(f"{_size(case):,} ({rounds:,}{few} rounds)")
        return f"{self.parameter} {', '.join(parts)}"

    def page(self) -> Page:
        """Return the status, the chart and the table."""
        head = f"<p><b>{html.escape(self.suite)}:</b> {html.escape(self.status)}</p>"
        plain = f"Benchmark {self.suite}: {self.status}"
        if not self.cases:
            return Page(plain, head)
        from hpml.benchmark.tables import cases_table
        from hpml.suites.pictures import draw_times
        from hpml.suites.running import environment_line

        table = cases_table(self.cases, title=f"{self.suite} ({environment_line(self.cases)})")
        parameter = next(iter(self.cases[0].parameters))
        figure = draw_times(
            self.cases, parameter, "time", f"{self.suite}: time", parameter, "µs per call"
        )
        folded = f"{PAPER}<details><summary>Table</summary>{table._repr_html_()}</details>"
        drawn = picture(figure, f"Time against {self.parameter}", folded)
        return Page(f"{plain}\n\n{table}", head + drawn.html, drawn.png)


class _Controls:
    """The check boxes, the button, and the task that follows a run."""

    def __init__(self, widgets: Any, panel: BenchmarkPanel, draw: Callable[[], None]) -> None:
        self._panel, self._draw = panel, draw
        self._contenders = {
            name: _box(widgets, name, always=name == panel.baseline) for name in panel.contenders
        }
        self._sizes = {size: _box(widgets, f"{size:,}") for size in panel.sizes}
        self._rounds = widgets.Dropdown(
            options=ROUNDS,
            value=ROUNDS[0] if quick() else ROUNDS[2],
            description="rounds",
            style={"description_width": "initial"},
            layout={"width": "9em"},
        )
        # One button that changes its label: a disabled one would lose the keyboard's focus.
        self._button = widgets.Button(description="Run", style={"button_color": ACCENT})
        self._button.on_click(self._pressed)
        self._bar = widgets.FloatProgress(value=0.0, max=1.0, layout={"width": "14em"})
        self._message = widgets.HTML(value="")
        wrap = {"flex_flow": "row wrap", "align_items": "center"}

        def line(title: str, boxes: Iterable[Any]) -> Any:
            label = widgets.Label(title, layout={"width": "7em"})
            return widgets.HBox([label, *boxes], layout=wrap)

        self.box = widgets.VBox(
            [
                line("contenders", self._contenders.values()),
                line(panel.parameter, self._sizes.values()),
                widgets.HBox([self._rounds, self._button, self._bar], layout=wrap),
                self._message,
            ]
        )

    def _pressed(self, _: object) -> None:
        if self._panel.running:
            self._panel.stop()
            self._show()
            return
        chosen = [name for name, box in self._contenders.items() if box.value]
        sizes = [size for size, box in self._sizes.items() if box.value]
        try:
            self._panel.start(chosen, sizes, self._rounds.value)
        except WidgetError as error:
            self._say(str(error), role="alert")
            return
        self._show()
        self._draw()
        # In the kernel's own loop, between cells; the context carries which cell's output this is.
        loop = asyncio.get_running_loop()
        self._task = loop.create_task(self._follow(), context=contextvars.copy_context())

    async def _follow(self) -> None:
        while self._panel.running:
            await asyncio.sleep(_POLL)
            if self._panel.poll():
                self._draw()
            self._show()

    def _show(self) -> None:
        panel = self._panel
        running, stopping = panel.running, panel.stopping
        self._button.description = "Stop now" if stopping else "Stop" if running else "Run"
        self._bar.value = panel.fraction
        self._say(panel.status if running else "")

    def _say(self, text: str, role: str = "status") -> None:
        # A screen reader reads this when it changes, an alert at once.
        self._message.value = f'<div role="{role}">{html.escape(text)}</div>' if text else ""


def _box(widgets: Any, name: str, *, always: bool = False) -> Any:
    return widgets.Checkbox(
        value=True,
        description=f"{name} (always)" if always else name,
        disabled=always,
        indent=False,
        layout={"width": "max-content", "margin": "0 1.2em 0 0"},
    )


def _chosen(what: str, wanted: Sequence[Any], known: Sequence[Any]) -> tuple[Any, ...]:
    """Return what is wanted in the order in which it is known."""
    unknown = [str(item) for item in wanted if item not in known]
    if isinstance(wanted, str) or unknown or not wanted:
        raise WidgetError(
            f"{what}: expected one or more of {', '.join(map(str, known))}, got "
            f"{wanted if isinstance(wanted, str) else ', '.join(unknown) or 'none'}."
        )
    return tuple(item for item in known if item in wanted)


def _size(case: Case) -> int:
    return int(next(iter(case.parameters.values())) or 0)
