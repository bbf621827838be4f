from __future__ import annotations

import html
import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest
from torch import nn

from hpml.base import Table
from hpml.symbolic import Input, SymbolicModel
from hpml.widgets import Animation, Keyframe, WidgetError, execution_player, graph_browser
from hpml.widgets.animation.animation import MOST_KEYFRAMES, part, placeholder
from tests.parts import raises

HOSTILE = '</script><script>alert(1)</script><img src=x onerror="alert(2)">&"\''
TEMPLATE = (
    f"<p {part('a')}>A</p><p {part('b')} {placeholder('n')}></p><div {placeholder('box')}></div>"
)


class Outline(HTMLParser):
    """The tags of a page, and the text outside of its scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._inside = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        self._inside = tag

    def handle_endtag(self, tag: str) -> None:
        self._inside = ""

    def handle_data(self, data: str) -> None:
        if self._inside not in ("script", "style"):
            self.text += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def counting(count: int) -> Animation:
    keyframes = [
        Keyframe(f"number {i}", marks={"a" if i % 2 else "b": "lit"}, texts={"n": str(i)})
        for i in range(count)
    ]
    return Animation("Counting", TEMPLATE, keyframes)


def played(animation: Animation) -> list[tuple[str, dict[str, str], dict[str, str]]]:
    """Return every keyframe as the script adds it up: caption, marks, fills."""
    data = json.loads(re.search(r"\}\)\((\{.*\})\);</script>", animation.html, re.S)[1])  # type: ignore[index]
    strings, now = data["strings"], ({}, {})
    keyframes = []
    for caption, *changes in data["keyframes"]:
        for kind, (state, names) in enumerate(
            zip(now, (data["parts"], data["fills"]), strict=True)
        ):
            pairs = changes[kind]
            for name, string in zip(pairs[::2], pairs[1::2], strict=True):
                state[names[name]] = strings[string]
        shown = [{name: text for name, text in state.items() if text} for state in now]
        keyframes.append((strings[caption], *shown))
    return keyframes  # type: ignore[return-value]


def marked(animation: Animation, keyframe: int, state: str) -> set[str]:
    return {name for name, on in animation.keyframes[keyframe].marks.items() if state in on.split()}


def test_the_first_frame_stands_in_the_page_without_a_script() -> None:
    keyframes = [
        Keyframe("first", marks={"b": "lit"}, texts={"n": "1 < 2"}, pieces={"box": "<b>bold</b>"}),
        Keyframe("second"),
    ]
    page = Outline(Animation("A title", TEMPLATE, keyframes).html)
    lit = [a["data-part"] for tag, a in page.tags if a.get("data-on") == "lit"]
    assert lit == ["b"]
    assert "1 < 2" in page.text
    assert "bold" in page.text
    assert "first" in page.text
    # Controls are made by the script: without it there are no dead ones.
    assert not page.named("button")
    assert not page.named("input")


def test_an_animation_can_start_at_a_later_frame() -> None:
    frames = [Keyframe("one", texts={"n": "1"}), Keyframe("two", texts={"n": "2"})]
    shown = Animation("Counting", f"<p {placeholder('n')}></p>", frames, start=1).html
    assert '<p data-fill="n">2</p>' in shown
    assert '<p class="hpml-animation-caption" role="status">two</p>' in shown
    assert '"start":1' in shown


def test_all_steps_stand_in_a_table_that_needs_no_script() -> None:
    page = Outline(counting(5).html)
    assert len(page.named("details")) == 1
    assert all(f"number {i}" in page.text for i in range(5))
    own = Animation("Own", TEMPLATE, [Keyframe("one")], table=Table(["what"], [["my own table"]]))
    assert "my own table" in Outline(own.html).text


def test_the_script_gets_every_frame_as_it_was_written() -> None:
    keyframes = [
        Keyframe("one", marks={"a": "lit", "b": "seen"}, texts={"n": "1"}),
        Keyframe("two", marks={"b": "lit"}, pieces={"box": "<i>2</i>"}),
        Keyframe("three", marks={"a": "lit", "b": "lit"}, texts={"n": "1"}, pieces={"box": "3"}),
        Keyframe("one", marks={"a": "lit", "b": "seen"}, texts={"n": "1"}),
    ]
    expected = [(f.line, f.marks, f.fills) for f in keyframes]
    assert played(Animation("All", TEMPLATE, keyframes)) == expected


def test_nothing_is_loaded_from_anywhere() -> None:
    animation = counting(9).html
    assert "http" not in animation
    assert "//" not in re.sub(r"(?m)(^|\s)// .*$", "", animation)  # but for remarks in the script
    page = Outline(animation)
    assert not [a for _, a in page.tags if "src" in a or "href" in a]
    assert "@import" not in animation
    assert "url(" not in animation


def test_hostile_texts_stay_texts() -> None:
    keyframes = [
        Keyframe(HOSTILE, marks={HOSTILE: HOSTILE}, texts={HOSTILE: HOSTILE}),
        Keyframe("harmless"),
    ]
    template = f"<p {part(HOSTILE)} {placeholder(HOSTILE)}></p>"
    animation = Animation(HOSTILE, template, keyframes, labels=[HOSTILE, "b"])
    page = Outline(animation.html)
    assert len(page.named("script")) == 1
    assert not page.named("img")
    assert page.text.count(HOSTILE) == 4  # title, placeholder, caption, table
    escaped = {HOSTILE: html.escape(HOSTILE)}
    assert played(animation)[0] == (HOSTILE, {HOSTILE: HOSTILE}, escaped)


def test_hostile_names_stay_texts_in_the_pictures_of_graphs() -> None:
    class Odd(nn.Identity): ...

    Odd.__name__ = HOSTILE
    x = Input(shape=(4,))
    players = [
        execution_player({"x": [], HOSTILE: ["x"]}, title=HOSTILE),
        graph_browser(SymbolicModel(x, Odd()(x)), title=HOSTILE),
    ]
    for animation in players:
        assert len(Outline(animation.html).named("script")) == 1
        pieces = {text for frame in animation.keyframes for text in frame.pieces.values()}
        for piece in (animation.template, *pieces):
            page = Outline(piece)
            assert not page.named("script")
            assert not page.named("img")


def test_a_frame_costs_what_changes_and_not_what_stays() -> None:
    parts = [f"part {i}" for i in range(200)]
    template = "".join(f"<p {part(name)}></p>" for name in parts)
    keyframes = [Keyframe("step", marks=dict.fromkeys(parts[:i], "lit")) for i in range(200)]
    grown = Animation("Growing", template, keyframes).html
    alone = Animation("Growing", template, keyframes[:1]).html
    # About 100 marks a keyframe, 20,000 in all; what changes is one a keyframe.
    assert len(grown) - len(alone) < 200 * 200


@pytest.mark.parametrize("keyframes", [[], [Keyframe("x")] * (MOST_KEYFRAMES + 1)])
def test_no_keyframe_and_too_many_are_refused(keyframes: list[Keyframe]) -> None:
    received = f"{len(keyframes):,}"
    with raises(WidgetError, object="animation 'Bad'", expected="keyframes", received=received):
        Animation("Bad", TEMPLATE, keyframes)
