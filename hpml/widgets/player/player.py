"""The player of executions: one graph, executed in two ways side by side, call by call."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from hpml.base import style as colours
from hpml.base.errors import describe
from hpml.base.page import asset
from hpml.base.tables import Table
from hpml.widgets.animation.animation import Animation, Keyframe, baked, placeholder
from hpml.widgets.animation.graph_picture import Picture, picture_of, standing_picture
from hpml.widgets.errors import WidgetError
from hpml.widgets.player.executions import EXECUTIONS, MOST_CALLS, Call, Wiring, wiring

if TYPE_CHECKING:
    from hpml.symbolic.graph import Graph


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
    at_most: int = MOST_CALLS,
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
        GraphError: if the graph is too large for a picture.

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
    wired = wiring(graph, outputs)
    drawn, texts = _drawable(graph, wired)
    lanes = []
    for number, name in enumerate(executions):
        about = f"The graph, as {_ABOUT[name][0].lower()} execution sees it"
        picture = picture_of(drawn, about, kind="execution", prefix=f"{number}", **texts)
        steps = EXECUTIONS[name](wired, at_most + 1)
        lanes.append(_Lane(number, name, picture, wired, steps[:at_most], len(steps) > at_most))
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
    wired: Wiring
    steps: tuple[Call, ...]
    is_cut: bool

    def event(self, step: int) -> _Event:
        """Return what is shown after so many steps; the last state stands when all are done."""
        call = self.steps[step - 1] if 0 < step <= len(self.steps) else None
        last = self.steps[min(step, len(self.steps)) - 1] if step and self.steps else None
        states = self._states(call, last)
        marks = self._marks(states, call)
        texts = {self.picture.badges[v]: _SIGNS[s] for v, s in states.items() if self._has_badge(v)}
        texts |= self._notes(step)
        texts[self.named("says")] = says = self._says(step, call)
        texts[self.named("asked")] = f"{last.asked if last else 0:,}"
        texts[self.named("executed")] = f"{last.executed if last else 0:,}"
        news = says if step <= len(self.steps) + 1 else None
        return _Event(says, news, marks, texts, {self.named("stack"): self._stack(call, last)})

    def named(self, what: str) -> str:
        """Return the name of one of the lane's placeholders."""
        return f"{what} {self.number}"

    def _has_badge(self, value: int) -> bool:
        return value in self.picture.badges

    def _states(self, call: Call | None, last: Call | None) -> dict[int, str]:
        known = last.known if last else frozenset(self.wired.inputs)
        states = dict.fromkeys(sorted(known), "known")
        states |= dict.fromkeys(last.waiting if last else (), "waits")
        if call is not None and call.kind == "execute" and call.operation is not None:
            results = self.wired.operations[call.operation].results
            states |= dict.fromkeys(results, "now")
        elif call is not None:
            states[call.value] = "asked" if call.kind == "ask" else "found"
        return states

    def _notes(self, step: int) -> dict[str, str]:
        """Return how often each value was made so far."""
        made: Counter[int] = Counter()
        for call in self.steps[:step]:
            if call.kind == "execute" and call.operation is not None:
                made.update(self.wired.operations[call.operation].results)
        notes = self.picture.notes
        return {notes[value]: f"{count}×" for value, count in made.items() if value in notes}

    def _marks(self, states: dict[int, str], call: Call | None) -> dict[str, str]:
        picture = self.picture
        order = ("known", "waits", "found", "asked", "now")
        marks: dict[str, str] = {}
        # Several values of a folded chain share a part: the liveliest is seen.
        for value, state in sorted(states.items(), key=lambda item: order.index(item[1])):
            marks[picture.values[value]] = state
            if value in picture.badges:
                marks[picture.badges[value]] = state
        if call is None:
            return marks
        marks[picture.values[call.value]] += " here"
        if call.operation is not None and call.operation in picture.calls and call.kind != "find":
            marks[picture.calls[call.operation]] = states[call.value]
        if call.kind == "execute" and call.operation is not None:
            operation = self.wired.operations[call.operation]
            lines = [picture.arguments.get((call.operation, a)) for a in operation.arguments]
            lines += [picture.results.get((call.operation, r)) for r in operation.results]
        else:
            asking = [p for p, o in enumerate(self.wired.operations) if call.asker in o.results]
            lines = [picture.arguments.get((p, call.value)) for p in asking]
            lines += [picture.results.get((p, call.asker or 0)) for p in asking]
        return marks | dict.fromkeys(filter(None, lines), "lit")

    def _says(self, step: int, call: Call | None) -> str:
        names = self.wired.names
        if step == 0:
            return "Nothing has happened yet."
        if call is None:
            stopped = f"Stopped after {len(self.steps):,} steps; it would go on."
            return stopped if self.is_cut else f"Done after {_counted(len(self.steps), 'step')}."
        if call.kind == "execute":
            made = self.wired.operations[call.operation or 0].name
            again = sum(
                1 for c in self.steps[:step] if c.kind == "execute" and c.value == call.value
            )
            return f"{made} is executed{'' if again == 1 else f', for the {_nth(again)} time'}."
        asker = "You ask" if call.asker is None else f"{names[call.asker]} asks"
        answer = "" if call.kind == "ask" else ": it is known"
        return f"{asker} for {names[call.value]}{answer}."

    def _stack(self, call: Call | None, last: Call | None) -> str:
        if self.name == "ordered":
            order = [step.operation for step in self.steps]
            now = None if call is None else call.executed - 1
            return f"The order: {self._listed(order, now)}"
        waiting = list(last.waiting) if last else []
        names = [html.escape(self.wired.names[value]) for value in waiting]
        if len(names) > _STACK_NAMES:
            names = [
                *names[:2],
                f"({len(names) - _STACK_NAMES + 1} more)",
                *names[3 - _STACK_NAMES :],
            ]
        return f"Open questions, {len(waiting)}: " + (" → ".join(names) or "none")

    def _listed(self, order: Sequence[int | None], now: int | None) -> str:
        names = [html.escape(self.wired.operations[place or 0].name) for place in order]
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
    marks: dict[str, str] = {}
    texts: dict[str, str] = {}
    pieces: dict[str, str] = {}
    for part in event:
        marks |= part.marks
        texts |= part.texts
        pieces |= part.pieces
    return Keyframe(" | ".join(parts), marks=marks, texts=texts, pieces=pieces)


def _template(lanes: Sequence[_Lane], still: Keyframe | None = None) -> str:
    """Return the template; with a keyframe as it stands without script, pictures as images."""
    pieces = []
    for lane in lanes:
        heading, about = _ABOUT[lane.name]
        text = f"The graph before the first step of {heading}"
        svg = lane.picture.svg
        shade = colours.PALETTE[_COLOURS[lane.name]]
        wide = " wide" if lane.picture.width > _WIDE else ""
        long = " long" if len(lane.wired.operations) > _STACK_NAMES // 2 else ""
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


def _drawable(graph: Any, wired: Wiring) -> tuple[Graph, Mapping[str, Any]]:
    """Return a graph that can be drawn, and what to write where."""
    from hpml.symbolic.graph import Call as DrawnCall
    from hpml.symbolic.graph import Graph, Value

    if not isinstance(graph, (Mapping, Wiring)):
        return getattr(graph, "graph", graph), {}
    values = tuple(Value(None, name, False) for name in wired.names)
    calls = tuple(DrawnCall(o.name, o.name, o.arguments, o.results) for o in wired.operations)
    drawn = Graph(values, wired.inputs, calls, wired.outputs)
    # The name stands in the box; an operation has none of its own.
    return drawn, {"node_text": wired.names.__getitem__, "edge_text": lambda _: ""}


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _nth(count: int) -> str:
    last = {1: "st", 2: "nd", 3: "rd"}.get(count % 10, "th")
    return f"{count}{'th' if count % 100 in (11, 12, 13) else last}"
