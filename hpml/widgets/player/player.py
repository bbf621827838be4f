"""Animate executions of one graph side by side, step by step."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hpml.base import style
from hpml.base.drawing import Dataflow, dataflow
from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.widgets.animation.animation import Animation, Keyframe, placeholder
from hpml.widgets.animation.graph_picture import Picture, picture_of
from hpml.widgets.errors import WidgetError
from hpml.widgets.player.executions import MOST_STEPS, PLAYED, ExecutionStep

_ABOUT = {
    "without memory": ("Lazy, without memory", "no result is kept"),
    "lazy": ("Lazy", "each value asks its parents"),
    "ordered": ("Ordered", "the order is known, without requests"),
}
_COLOURS = {name: style.colour(name) for name in ("lazy", "ordered")} | {
    "without memory": style.MUTED
}
_SIGNS = {"asked": "?", "found": "✓", "waits": "…", "now": "=", "known": "✓"}
_LEGEND = {
    "asked": "is asked for",
    "waits": "waits for an answer",
    "now": "is executed now",
    "known": "is known",
}
_STACK_NAMES = 9
_WIDE = 4.6  # inches: two such pictures do not fit beside each other


def execution_player(
    parents: Mapping[str, Sequence[str]],
    executions: Sequence[str] = ("lazy", "ordered"),
    *,
    title: str = "",
    at_most: int = MOST_STEPS,
) -> Animation:
    """Return an animation of executions of a graph: requests, waiting values, executed calls.

    Each step of the animation is one step of each execution, so the shorter one finishes earlier.
    No values are computed.

    Args:
        parents: for each value the values that it is computed from, in topological order.
        executions: one or more of ``"without memory"``, ``"lazy"`` and ``"ordered"``.
        title: title of the animation.
        at_most: limit of steps per execution; a longer one is marked as stopped.

    Raises:
        WidgetError: if an execution is unknown.
        DrawingError: if `parents` is not a graph, or the graph is too large for a picture.

    >>> animation = execution_player({"x": [], "y": ["x"]})
    >>> print(animation.keyframes[1].line)
    lazy: You ask for y. | ordered: y is executed.
    """
    if isinstance(executions, str) or not executions or set(executions) - set(PLAYED):
        raise WidgetError(
            object="executions of execution_player",
            expected=f"one or more of {', '.join(PLAYED)}",
            received=describe(executions),
            remedy=f"Pass executions=[{next(iter(PLAYED))!r}].",
        )
    flow = dataflow(parents)
    lanes = []
    for number, name in enumerate(executions):
        about = f"The graph during {_ABOUT[name][0].lower()} execution"
        picture = picture_of(
            flow,
            about,
            flow.names.__getitem__,
            lambda _: "",
            kind="execution",
            prefix=f"{number}",
            max_height=3.4,
        )
        steps = PLAYED[name](flow, at_most + 1)
        lanes.append(_Lane(number, name, picture, flow, steps[:at_most], len(steps) > at_most))
    # Before the first step, after each step, and at the end.
    length = 2 + max(len(lane.steps) for lane in lanes)
    events = [[lane.event(step) for lane in lanes] for step in range(length)]
    rows = [[step, *(part.news for part in event)] for step, event in enumerate(events, 1)]
    return Animation(
        title or "Executing a graph, call by call",
        _template(lanes),
        [_keyframe(lanes, event) for event in events],
        style=asset("hpml.widgets.animation", "graph.css")
        + asset(__package__, "picture.css")
        + asset(__package__, "player.css"),
        kind="execution",
        table=Table(["step", *executions], rows),
    )


class _Event(NamedTuple):
    """The state of one lane at one step; `news` is None after its end."""

    news: str | None
    marks: dict[str, str]
    texts: dict[str, str]
    pieces: dict[str, str]


class _Lane(NamedTuple):
    """One execution: its picture and its steps."""

    number: int
    name: str
    picture: Picture
    flow: Dataflow
    steps: tuple[ExecutionStep, ...]
    is_cut: bool

    def event(self, step: int) -> _Event:
        """Return the state after `step` steps; after the end, it stays the last one."""
        now = self.steps[step - 1] if 0 < step <= len(self.steps) else None
        last = self.steps[min(step, len(self.steps)) - 1] if step and self.steps else None
        badges = self.picture.badges
        states = self._states(now, last)
        texts = {badges[value]: _SIGNS[s] for value, s in states.items() if value in badges}
        texts |= self._notes(step)
        texts[self.named("says")] = says = self._says(step, now)
        texts[self.named("asked")] = f"{last.asked if last else 0:,}"
        texts[self.named("executed")] = f"{last.executed if last else 0:,}"
        news = says if step <= len(self.steps) + 1 else None
        pieces = {self.named("stack"): self._stack(now, last)}
        return _Event(news, self._marks(states, now), texts, pieces)

    def named(self, what: str) -> str:
        return f"{what} {self.number}"

    def _results(self, step: ExecutionStep) -> tuple[int, ...]:
        """Return the values that a step makes; a request makes none."""
        executes = step.kind == "execute" and step.call is not None
        return self.flow.calls[step.call or 0].results if executes else ()

    def _states(self, now: ExecutionStep | None, last: ExecutionStep | None) -> dict[int, str]:
        known = last.known if last else frozenset(self.flow.inputs)
        states = dict.fromkeys(sorted(known), "known")
        states |= dict.fromkeys(last.waiting if last else (), "waits")
        if now is not None and now.kind == "execute":
            states |= dict.fromkeys(self._results(now), "now")
        elif now is not None:
            states[now.value] = "asked" if now.kind == "ask" else "found"
        return states

    def _notes(self, step: int) -> dict[str, str]:
        """Return how often each value was computed so far."""
        counts = Counter(value for past in self.steps[:step] for value in self._results(past))
        notes = self.picture.notes
        return {notes[value]: f"{count}×" for value, count in counts.items() if value in notes}

    def _marks(self, states: dict[int, str], now: ExecutionStep | None) -> dict[str, str]:
        picture = self.picture
        order = ("known", "waits", "found", "asked", "now")
        marks: dict[str, str] = {}
        # Values of a folded chain share a part, which shows the last of their states in `order`.
        for value, state in sorted(states.items(), key=lambda item: order.index(item[1])):
            marks[picture.values[value]] = state
            if value in picture.badges:
                marks[picture.badges[value]] = state
        if now is None:
            return marks
        marks[picture.values[now.value]] += " here"
        if now.call in picture.calls and now.kind != "find":
            marks[picture.calls[now.call]] = states[now.value]
        lines: list[tuple[int, int, bool]] = []
        if now.kind == "execute" and now.call is not None:
            read = self.flow.calls[now.call].arguments
            lines += [(now.call, value, False) for value in read]
            lines += [(now.call, value, True) for value in self._results(now)]
        elif now.asker is not None:
            askers = [index for index, c in enumerate(self.flow.calls) if now.asker in c.results]
            lines += [(index, now.value, False) for index in askers]
            lines += [(index, now.asker, True) for index in askers]
        # A request runs against the direction of the arrows.
        mark = "lit" if now.kind == "execute" else "asks"
        return marks | {picture.lines[line]: mark for line in lines if line in picture.lines}

    def _says(self, step: int, now: ExecutionStep | None) -> str:
        names = self.flow.names
        if step == 0:
            return "Nothing has happened yet."
        if now is None:
            stopped = f"Stopped after {len(self.steps):,} steps, before the end."
            count = len(self.steps)
            return stopped if self.is_cut else f"Done after {count:,} step{'s' * (count != 1)}."
        if now.kind == "execute":
            call = self.flow.calls[now.call or 0].name
            times = sum(past[:2] == now[:2] for past in self.steps[:step])
            return f"{call} is executed{'' if times == 1 else f' for the {_nth(times)} time'}."
        asker = "You ask" if now.asker is None else f"{names[now.asker]} asks"
        answer = "" if now.kind == "ask" else ": it is known"
        return f"{asker} for {names[now.value]}{answer}."

    def _stack(self, now: ExecutionStep | None, last: ExecutionStep | None) -> str:
        if self.name == "ordered":
            order = [step.call for step in self.steps]
            return f"The order: {self._order(order, None if now is None else now.executed - 1)}"
        waiting = list(last.waiting) if last else []
        names = [html.escape(self.flow.names[value]) for value in waiting]
        if len(names) > _STACK_NAMES:
            more = f"({len(names) - _STACK_NAMES + 1} more)"
            names = [*names[:2], more, *names[3 - _STACK_NAMES :]]
        return f"Open requests, {len(waiting)}: " + (" → ".join(names) or "none")

    def _order(self, order: Sequence[int | None], now: int | None) -> str:
        names = [html.escape(self.flow.calls[call or 0].name) for call in order]
        if now is not None:
            names[now] = f"<b>{names[now]}</b>"
        middle = now or 0
        first = max(0, min(middle - _STACK_NAMES // 2, len(names) - _STACK_NAMES))
        shown = names[first : first + _STACK_NAMES]
        before, after = first > 0, first + _STACK_NAMES < len(names)
        return ", ".join(["…"] * before + shown + ["…"] * after)


def _keyframe(lanes: Sequence[_Lane], event: Sequence[_Event]) -> Keyframe:
    pairs = zip(lanes, event, strict=True)
    line = " | ".join(f"{lane.name}: {part.news}" for lane, part in pairs if part.news is not None)
    fields: list[dict[str, str]] = [{}, {}, {}]
    for part in event:
        for merged, of_lane in zip(fields, (part.marks, part.texts, part.pieces), strict=True):
            merged |= of_lane
    return Keyframe(line, *fields)


def _template(lanes: Sequence[_Lane]) -> str:
    pieces = []
    for lane in lanes:
        heading, about = _ABOUT[lane.name]
        wide = " wide" if lane.picture.width > _WIDE else ""
        long = " long" if len(lane.flow.calls) > _STACK_NAMES // 2 else ""
        pieces.append(
            f'<div class="lane{wide}" style="--lane: {_COLOURS[lane.name]}">'
            f"<p><b>{heading}</b>: {about}</p>"
            f'<p class="counts"><span><b {placeholder(lane.named("asked"))}></b> requests</span> '
            f"<span><b {placeholder(lane.named('executed'))}></b> executions</span></p>"
            f'<p class="says" {placeholder(lane.named("says"))}></p>'
            f'<div class="hpml-animation-scroll">{lane.picture.svg}</div>'
            f'<p class="stack{long}" {placeholder(lane.named("stack"))}></p></div>'
        )
    signs = "".join(
        f'<span><b class="{state}">{_SIGNS[state]}</b> {html.escape(text)}</span> '
        for state, text in _LEGEND.items()
    )
    return f'<div class="lanes">{"".join(pieces)}</div><p class="signs">{signs}</p>'


def _nth(count: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{'th' if count % 100 in (11, 12, 13) else last}"
