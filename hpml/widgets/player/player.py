"""The player of executions: one graph, executed in two ways side by side, call by call."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hpml.base import style as colours
from hpml.base.drawing import Dataflow, Drawable
from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.widgets.animation.animation import Animation, Keyframe, baked, placeholder
from hpml.widgets.animation.graph_picture import Picture, picture_of, standing_picture
from hpml.widgets.errors import WidgetError
from hpml.widgets.player.executions import EXECUTIONS, MOST_STEPS, ExecutionStep, graph_adapter

_ABOUT = {
    "without memory": ("Lazy, without memory", "every answer is forgotten"),
    "lazy": ("Lazy", "the output asks its parents"),
    "ordered": ("Ordered", "nobody asks"),
}
_COLOURS = {"without memory": "accent", "lazy": "lazy", "ordered": "ordered"}
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
    graph: Any,
    executions: Sequence[str] = ("lazy", "ordered"),
    *,
    outputs: Sequence[str] | None = None,
    title: str = "",
    at_most: int = MOST_STEPS,
) -> Animation:
    """Return an animation of executions of a graph: who asks, who waits, what is executed.

    One step of the animation is one step of each execution, so that the one with less to do is done
    earlier. Nothing is calculated.

    Args:
        graph: a ``SymbolicModel``, its ``graph``, or a dictionary that has for each value the list
            of those it is computed from, parents before children.
        executions: of ``"without memory"``, ``"lazy"`` and ``"ordered"``, one or more.
        outputs: of a dictionary, the names of the values asked for.
        title: of the animation.
        at_most: steps of each execution; one that goes on stops there and says so.

    Raises:
        WidgetError: if there is no such execution, or `graph` is none of these.
        DrawingError: if a dictionary is no graph, or the graph is too large for a picture.

    >>> animation = execution_player({"x": [], "y": ["x"]})
    >>> print(animation.keyframes[1].line)
    lazy: You ask for y. | ordered: y is executed.
    """
    for name in executions:
        if name not in EXECUTIONS:
            raise WidgetError(
                f"execution_player has the executions {', '.join(EXECUTIONS)}, got "
                f"{describe(name)}."
            )
    if not executions:
        raise WidgetError(f"execution_player expects one or more of {', '.join(EXECUTIONS)}.")
    flow = graph_adapter(graph, outputs)
    drawn, *texts = _drawn(graph, flow)
    lanes = []
    for number, name in enumerate(executions):
        about = f"The graph, as {_ABOUT[name][0].lower()} execution sees it"
        picture = picture_of(drawn, about, *texts, kind="execution", prefix=f"{number}")
        steps = EXECUTIONS[name](flow, at_most + 1)
        lanes.append(_Lane(number, name, picture, flow, steps[:at_most], len(steps) > at_most))
    # Before the first step, after each, and when all is done.
    length = 2 + max(len(lane.steps) for lane in lanes)
    events = [[lane.event(step) for lane in lanes] for step in range(length)]
    keyframes = [_keyframe(lanes, event) for event in events]
    rows = [[step, *(part.news for part in event)] for step, event in enumerate(events, 1)]
    still = _template(lanes, keyframes[0])
    return Animation(
        title or "Executing a graph, call by call",
        _template(lanes),
        keyframes,
        style=asset("hpml.widgets.animation", "graph.css")
        + asset(__package__, "picture.css")
        + asset(__package__, "player.css"),
        kind="execution",
        still=still,
        table=Table(["step", *executions], rows),
    )


class _Event(NamedTuple):
    """What one lane shows at one step; the news are None after it has said that it is done."""

    says: str
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
        """Return what is shown after so many steps; the last state stands when all are done."""
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
        return _Event(says, news, self._marks(states, now), texts, pieces)

    def named(self, what: str) -> str:
        """Return the name of one of the lane's placeholders."""
        return f"{what} {self.number}"

    def _made_by(self, step: ExecutionStep) -> tuple[int, ...]:
        """Return the values that a step makes: none if it only asks."""
        executes = step.kind == "execute" and step.call is not None
        return self.flow.calls[step.call or 0].results if executes else ()

    def _states(self, now: ExecutionStep | None, last: ExecutionStep | None) -> dict[int, str]:
        known = last.known if last else frozenset(self.flow.inputs)
        states = dict.fromkeys(sorted(known), "known")
        states |= dict.fromkeys(last.waiting if last else (), "waits")
        if now is not None and now.kind == "execute":
            states |= dict.fromkeys(self._made_by(now), "now")
        elif now is not None:
            states[now.value] = "asked" if now.kind == "ask" else "found"
        return states

    def _notes(self, step: int) -> dict[str, str]:
        """Return how often each value was made so far."""
        made = Counter(value for past in self.steps[:step] for value in self._made_by(past))
        notes = self.picture.notes
        return {notes[value]: f"{count}×" for value, count in made.items() if value in notes}

    def _marks(self, states: dict[int, str], now: ExecutionStep | None) -> dict[str, str]:
        picture = self.picture
        order = ("known", "waits", "found", "asked", "now")
        marks: dict[str, str] = {}
        # Several values of a folded chain share a part: the liveliest is seen.
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
            lines += [(now.call, value, True) for value in self._made_by(now)]
        elif now.asker is not None:
            asking = [place for place, c in enumerate(self.flow.calls) if now.asker in c.results]
            lines += [(place, now.value, False) for place in asking]
            lines += [(place, now.asker, True) for place in asking]
        # A request travels against the arrows, from who asks to what is asked for.
        way = "lit" if now.kind == "execute" else "asks"
        return marks | {picture.lines[line]: way for line in lines if line in picture.lines}

    def _says(self, step: int, now: ExecutionStep | None) -> str:
        names = self.flow.names
        if step == 0:
            return "Nothing has happened yet."
        if now is None:
            stopped = f"Stopped after {len(self.steps):,} steps; it would go on."
            count = len(self.steps)
            return stopped if self.is_cut else f"Done after {count:,} step{'s' * (count != 1)}."
        if now.kind == "execute":
            made = self.flow.calls[now.call or 0].name
            times = sum(past[:2] == now[:2] for past in self.steps[:step])
            return f"{made} is executed{'' if times == 1 else f', for the {_nth(times)} time'}."
        asker = "You ask" if now.asker is None else f"{names[now.asker]} asks"
        answer = "" if now.kind == "ask" else ": it is known"
        return f"{asker} for {names[now.value]}{answer}."

    def _stack(self, now: ExecutionStep | None, last: ExecutionStep | None) -> str:
        if self.name == "ordered":
            order = [step.call for step in self.steps]
            return f"The order: {self._listed(order, None if now is None else now.executed - 1)}"
        waiting = list(last.waiting) if last else []
        names = [html.escape(self.flow.names[value]) for value in waiting]
        if len(names) > _STACK_NAMES:
            more = f"({len(names) - _STACK_NAMES + 1} more)"
            names = [*names[:2], more, *names[3 - _STACK_NAMES :]]
        return f"Open questions, {len(waiting)}: " + (" → ".join(names) or "none")

    def _listed(self, order: Sequence[int | None], now: int | None) -> str:
        names = [html.escape(self.flow.calls[place or 0].name) for place in order]
        if now is not None:
            names[now] = f"<b>{names[now]}</b>"
        middle = now or 0
        first = max(0, min(middle - _STACK_NAMES // 2, len(names) - _STACK_NAMES))
        shown = names[first : first + _STACK_NAMES]
        before, after = first > 0, first + _STACK_NAMES < len(names)
        return ", ".join(["…"] * before + shown + ["…"] * after)


def _keyframe(lanes: Sequence[_Lane], event: Sequence[_Event]) -> Keyframe:
    pairs = zip(lanes, event, strict=True)
    parts = [f"{lane.name}: {part.news}" for lane, part in pairs if part.news is not None]
    together: tuple[dict[str, str], ...] = ({}, {}, {})
    for part in event:
        for whole, own in zip(together, part[2:], strict=True):
            whole |= own
    return Keyframe(" | ".join(parts), "", *together)


def _template(lanes: Sequence[_Lane], still: Keyframe | None = None) -> str:
    """Return the template; with a keyframe as it stands without script, pictures as images."""
    pieces = []
    for lane in lanes:
        heading, about = _ABOUT[lane.name]
        text = f"The graph before the first step of {heading}"
        svg = lane.picture.svg
        shade = colours.PALETTE[_COLOURS[lane.name]]
        wide = " wide" if lane.picture.width > _WIDE else ""
        long = " long" if len(lane.flow.calls) > _STACK_NAMES // 2 else ""
        if still is not None:
            svg = standing_picture(lane.picture, still, text, asset(__package__, "picture.css"))
        pieces.append(
            f'<div class="lane{wide}" style="--lane: {shade}">'
            f"<p><b>{heading}</b>: {about}</p>"
            f'<p class="counts"><span><b {placeholder(lane.named("asked"))}></b> questions</span> '
            f"<span><b {placeholder(lane.named('executed'))}></b> executions</span></p>"
            f'<p class="says" {placeholder(lane.named("says"))}></p>'
            f'<div class="hpml-animation-scroll">{svg}</div>'
            f'<p class="stack{long}" {placeholder(lane.named("stack"))}></p></div>'
        )
    signs = "".join(
        f'<span><b class="{state}">{_SIGNS[state]}</b> {html.escape(text)}</span> '
        for state, text in _LEGEND.items()
    )
    template = f'<div class="lanes">{"".join(pieces)}</div><p class="signs">{signs}</p>'
    return template if still is None else baked(template, still)


def _drawn(
    graph: Any, flow: Dataflow
) -> tuple[Drawable, Callable[[int], str], Callable[[int], str]]:
    """Return a graph that can be drawn, and what to write on its values and calls."""
    if isinstance(graph, (Mapping, Dataflow)):
        # The name stands in the box; a call has none of its own.
        return flow, flow.names.__getitem__, lambda _: ""
    graph = getattr(graph, "graph", graph)
    return graph, lambda value: graph.values[value].text(), lambda call: graph.calls[call].name


def _nth(count: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{'th' if count % 100 in (11, 12, 13) else last}"
