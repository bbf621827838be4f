from __future__ import annotations

import itertools
import os
import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest

from hpml.bytecode import trace
from hpml.widgets import WidgetError, stepper
from hpml.widgets.stepper import layout
from hpml.widgets.stepper.stepper import Stepper
from tests.bytecode.cases import corpus
from tests.parts import raises
from tests.widgets.test_animation import HOSTILE, Outline, marked

CASES = dict(list(corpus().items())[:: 1 if os.environ.get("HPML_LONG") else 3])


def lecture(a: int, b: int, c: int) -> int:
    d = a + b * c
    return d


def check(n: int) -> int:
    if n > 2:
        raise ValueError("too big")
    return n * n


def total(items: list[int]) -> int:
    s = 0
    for item in items:
        try:
            s = s + check(item)
        except ValueError as error:
            print("no:", error)
    return s


async def waits() -> None:
    pass


def shown(animation: Stepper, keyframe: int) -> tuple[list[str], list[str]]:
    """Return the boxes of a keyframe, and those taken off, from the bottom to the top."""
    texts = animation.keyframes[keyframe].texts
    kept = [texts[f"K{n}"] for n in range(99) if f"K{n}" in texts]
    marks = animation.keyframes[keyframe].marks
    return (
        [text for n, text in enumerate(kept) if "full" in marks.get(f"k{n}", "")],
        [texts[f"G{n}"] for n in range(99) if f"G{n}" in texts],
    )


def at(animation: Stepper, pattern: str) -> int:
    """Return the number of the first keyframe whose sentence matches."""
    return next(
        n for n, keyframe in enumerate(animation.keyframes) if re.search(pattern, keyframe.line)
    )


def test_the_lectures_line_shows_what_is_taken_and_pushed() -> None:
    animation = stepper(lecture, 2, 3, 4)
    assert animation.keyframes[0].line.startswith(
        "lecture(2, 3, 4) is called: its arguments are in"
    )
    assert shown(animation, 0) == ([], [])
    times = at(animation, r"BINARY_OP \* takes 3 and 4 off the stack and pushes 12\.")
    assert shown(animation, times) == (["2", "12"], ["3", "4"])
    assert marked(animation, times, "new") == {"k1"}
    assert marked(animation, times, "went") == {"k1", "k2"}
    assert shown(animation, times + 1) == (["14"], ["2", "12"])
    assert "lecture returns 14" in animation.keyframes[-1].line


def test_the_piece_of_the_line_that_is_at_work_is_underlined() -> None:
    animation = stepper(lecture, 2, 3, 4)
    piece = animation.keyframes[at(animation, r"BINARY_OP \*")].pieces["u0"]
    start, width = (int(re.search(rf"--{n}:(\d+)", piece)[1]) for n in "cw")  # type: ignore[index]
    assert "    d = a + b * c"[start : start + width] == "b * c"


def test_a_jump_marks_its_target_and_its_arrow() -> None:
    animation = stepper(total, [1])
    jumps = at(animation, "jumps back to")
    goal = animation.events[jumps].goes_to
    assert f"i0.{goal}" in marked(animation, jumps, "next")
    assert len([name for name in marked(animation, jumps, "lit") if name.startswith("a0.")]) == 1
    assert f"jumps to {goal}" in animation.template


def test_functions_that_are_called_have_their_own_source_and_instructions() -> None:
    animation = stepper(total, [2])
    inside = at(animation, "RESUME 0 begins check")
    assert marked(animation, inside - 1, "shown") == {"I0", "V0", "S0"}
    assert marked(animation, inside, "shown") == {"I1", "V1", "S1"}
    assert "q0" not in animation.keyframes[inside - 1].pieces
    pieces = animation.keyframes[inside].pieces
    assert pieces["calls"].startswith("<b>check</b>")
    # What the call left on the stack of its caller: the loop's iterator and s.
    assert re.search("total waits.*<code>list_iterator object</code><code>0</code>", pieces["q0"])


def test_an_exception_is_said_in_words_and_its_way_is_marked(capsys: Any) -> None:
    animation = stepper(total, [3])
    raises = at(animation, "RAISE_VARARGS")
    assert (
        "ValueError: too big; it leaves check; caught in total" in animation.keyframes[raises].line
    )
    assert animation.keyframes[raises].marks["says"] == "bad"
    lands = animation.keyframes[raises + 1]
    assert "the exception table cuts the stack to 1 value" in lands.line
    assert [name for name, on in lands.marks.items() if on == "thrown"]
    assert shown(animation, raises + 1) == (
        ["list_iterator object", "ValueError('too big')"],
        ["0"],
    )
    guarded = animation.keyframes[at(animation, "looks up the name check")].pieces["guard"]
    assert guarded.startswith("Guarded by the exception table")
    # What is printed is in the animation and nowhere else.
    assert animation.keyframes[-1].pieces["out"] == "no: too big\n"
    assert capsys.readouterr().out == ""


def test_a_line_leads_to_its_executions() -> None:
    animation = stepper(total, [1, 2])
    line = total.__code__.co_firstlineno + 4
    places = re.search(rf'data-part="l0.{line}" data-go="([\d ]+)"', animation.template)
    assert places is not None
    visits = [int(place) for place in places[1].split()]
    # Each time the line begins, and each time a call on it comes back.
    assert [animation.events[place].kind for place in visits] == ["step", "back"] * 2
    assert {animation.events[place].step.line for place in visits} == {line}


def test_the_limit_on_steps_shows_what_there_is_and_says_so() -> None:
    def forever() -> None:
        n = 0
        while True:
            n = n + 1

    animation = stepper(forever, max_steps=50)
    assert "Stopped after 50 instructions" in animation.keyframes[-1].line
    assert "max_steps=100" in animation.keyframes[-1].line
    assert animation.keyframes[-1].marks["says"] == "stopped"
    assert len(animation.trace or ()) == 50


@pytest.mark.parametrize(("steps", "advised"), [(300, 600), (600, 1000), (1000, None)])
def test_at_the_limit_a_stepper_advises_a_limit_that_it_accepts(
    steps: int, advised: int | None
) -> None:
    def forever() -> None:
        while True:
            pass

    line = stepper(forever, max_steps=steps).keyframes[-1].line
    found = re.search(r"max_steps=(\d+)", line)
    assert (None if found is None else int(found[1])) == advised


def test_three_hundred_steps_stay_under_five_hundred_kilobytes() -> None:
    def work(n: int) -> list[str]:
        words: list[str] = []
        while n:
            try:
                words.append(f"{check(n % 4)} and {n:>5}" + "x" * 40)
            except ValueError:
                print("a line of text that is printed again and again", n)
            n -= 1
        return words

    animation = stepper(work, 100, max_steps=300)
    assert len(animation.trace or ()) == 300
    assert len(animation.html) < 500_000


def test_hostile_names_values_and_text_stay_text() -> None:
    class Odd:
        def __repr__(self) -> str:
            return HOSTILE

    def odd(value: object) -> object:
        print(HOSTILE)
        text = "</script><b>"  # </script><script>alert(3)</script>
        raise ValueError(HOSTILE + text)

    odd.__qualname__ = HOSTILE
    animation = stepper(odd, Odd(), title=HOSTILE)
    page = Outline(animation.html)
    allowed = {"div", "style", "p", "b", "small", "code", "pre", "span", "i", "em", "ol"}
    allowed |= {"svg", "g", "path", "table", "thead", "tbody", "tr", "th", "td", "details"}
    allowed |= {"summary", "script", "caption"}
    assert {tag for tag, _ in page.tags} <= allowed
    assert len(page.named("script")) == 1
    assert not any(name.startswith("on") for _, attributes in page.tags for name in attributes)
    for keyframe in animation.keyframes:
        for piece in keyframe.pieces.values():
            assert {tag for tag, _ in Outline(piece).tags} <= {"b", "li", "i"}


@pytest.mark.parametrize(
    ("call", "name", "received"),
    [
        (lambda: stepper(len, [1]), "function of stepper", "len"),
        (lambda: stepper(3), "function of stepper", "3"),  # type: ignore[arg-type]
        (lambda: stepper("x = 1"), "function of stepper", "'x = 1'"),  # type: ignore[arg-type]
        (lambda: stepper(lecture, 1), "arguments of stepper", "[1]"),
        (lambda: stepper(lecture, 1, 2, 3, max_steps=0), "max_steps of stepper", "0"),
        (lambda: stepper(lecture, 1, 2, 3, max_steps=True), "max_steps of stepper", "True"),
        (lambda: stepper(waits), "waits", "async"),
    ],
)
def test_what_cannot_be_shown_is_refused(
    call: Callable[[], object], name: str, received: str
) -> None:
    with raises(WidgetError, object=name, received=received):
        call()


@pytest.mark.parametrize("name", CASES)
def test_every_construct_makes_an_animation_that_shows_each_step(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # odd code warns as it likes
        animation = stepper(CASES[name], max_steps=400)
    assert animation.trace is not None
    steps = [event for event in animation.events if event.kind == "step"]
    assert {event.step.index for event in steps} == set(range(len(animation.trace)))
    ended = animation.trace.value is not None or animation.trace.exception is not None
    assert (animation.events[-1].kind == "stopped") is not ended
    for event, keyframe in zip(animation.events, animation.keyframes, strict=True):
        assert any(part.startswith("o") and on == "here" for part, on in keyframe.marks.items())
        assert len(event.stack) >= len([n for n in keyframe.texts if n.startswith("K")]) - 1


def test_arcs_of_jumps_that_overlap_are_in_lanes_of_their_own_the_shortest_innermost() -> None:
    def nested(n: int) -> int:
        found = 0
        for i in range(n):
            for j in range(i):
                if j % 2:
                    found += j
        return found

    (arcs, *_) = layout.layout_of(trace(nested, 4)).arcs
    spans = [(min(arc.start, arc.end), max(arc.start, arc.end), arc.lane) for arc in arcs]
    assert [high - low for low, high, _ in spans] == sorted(high - low for low, high, _ in spans)
    assert spans[0][2] == 0
    for (low, high, lane), (start, end, other) in itertools.combinations(spans, 2):
        assert lane != other or high < start or end < low or lane == layout._LANES - 1
    assert {lane for *_, lane in spans} >= {0, 1, 2}
