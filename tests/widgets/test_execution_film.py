"""The film of executions: what its frames say, and that it stands by itself."""

from __future__ import annotations

import base64
import html
import re

import pytest
from torch import nn

from hpml.symbolic import Input, SymbolicModel
from hpml.widgets import Film, WidgetError, execution_player
from hpml.widgets.execution_calls import EXECUTIONS, forgetful_calls, lazy_calls, ordered_calls
from tests.widgets.test_execution_calls import TINY, ladder
from tests.widgets.test_frames import HOSTILE, Outline


def slots(film: Film, what: str, lane: int) -> list[str]:
    return [frame.texts.get(f"{what} {lane}", "") for frame in film.frames]


def lit(film: Film, frame: int, state: str) -> set[str]:
    return {name for name, marks in film.frames[frame].marks.items() if state in marks.split()}


def test_the_counters_are_those_of_the_steps() -> None:
    film = execution_player(TINY)
    steps = lazy_calls(TINY)
    assert slots(film, "asked", 0)[1:-1] == [str(step.asked) for step in steps]
    assert slots(film, "executed", 0)[1:-1] == [str(step.executed) for step in steps]
    assert slots(film, "asked", 1) == ["0"] * len(film.frames)
    assert slots(film, "executed", 1)[:5] == ["0", "1", "2", "3", "3"]


def test_a_frame_says_who_asks_who_waits_and_what_is_executed() -> None:
    film = execution_player(TINY, ["lazy"])
    asks = 2
    assert film.frames[asks].line == "lazy: sum asks for double."
    assert "0v1" in lit(film, asks, "asked")
    assert lit(film, asks, "waits") == {"0v3", "0b3"}
    assert "sum → double" in film.frames[asks].pieces["stack 0"]
    executes = 4
    assert film.frames[executes].line == "lazy: double is executed."
    assert "0v1" in lit(film, executes, "now")
    assert film.frames[executes].texts["0n1"] == "1×"
    assert lit(film, len(film.frames) - 1, "known") == {f"0{k}{v}" for k in "vb" for v in range(4)}


def test_the_execution_with_less_to_do_is_done_earlier() -> None:
    film = execution_player(ladder(2))
    ends = [
        slots(film, "says", lane).index(f"Done after {n} steps.") for lane, n in [(0, 15), (1, 6)]
    ]
    assert ends == [len(lazy_calls(ladder(2))) + 1, len(ordered_calls(ladder(2))) + 1]
    assert len(film.frames) == ends[0] + 1
    news = [frame.line for frame in film.frames]
    assert sum("ordered" in line for line in news) == ends[1] + 1
    assert news[-1] == "lazy: Done after 15 steps."


def test_without_memory_the_picture_counts_and_the_film_ends_in_time() -> None:
    film = execution_player(ladder(2), ["without memory"])
    last = film.frames[-1].texts
    assert [last[f"0n{v}"] for v in range(1, 7)] == ["2×", "2×", "2×", "1×", "1×", "1×"]
    assert any("for the 2nd time" in frame.line for frame in film.frames)
    cut = execution_player(ladder(8), ["without memory"], at_most=50)
    assert len(cut.frames) == 52
    assert cut.frames[-1].line.endswith("Stopped after 50 steps; it would go on.")
    whole = forgetful_calls(ladder(2))
    exact = execution_player(ladder(2), ["without memory"], at_most=len(whole))
    assert exact.frames[-1].line.endswith(f"Done after {len(whole)} steps.")


def test_a_model_is_shown_by_the_names_of_its_layers() -> None:
    x = Input(shape=(4,))
    h = nn.Linear(4, 4)(x)
    film = execution_player(SymbolicModel(x, nn.ReLU()(h) + h))
    assert film.frames[2].line.startswith("lazy: AddOpLayer_1 asks for ReLU_1. | ordered: ReLU_1")
    assert "Linear_1" in film.scene
    assert "(None, 4)" in film.scene


def test_a_folded_chain_stands_for_what_is_in_it() -> None:
    x = y = Input(shape=(4,))
    for _ in range(40):
        y = nn.ReLU()(y)
    film = execution_player(SymbolicModel(x, y), ["ordered"])
    assert "40 layers" in film.scene or "layers ⋯" in film.scene
    assert len(film.frames) == 42


@pytest.mark.parametrize("executions", [["lazy", "ordered"], list(EXECUTIONS)])
def test_two_hundred_frames_of_thirty_nodes_stay_small(executions: list[str]) -> None:
    film = execution_player(ladder(10), executions, at_most=200)
    assert len(film.frames) == (202 if "without memory" in executions else 73)
    assert len(film.html.encode()) < 300_000


def test_the_first_frame_is_a_picture_where_scripts_do_not_run() -> None:
    page = Outline(execution_player(TINY).html)
    images = page.named("img")
    assert len(images) == 2
    for image in images:
        assert image["alt"]
        kind, _, data = str(image["src"]).partition(",")
        assert kind == "data:image/svg+xml;base64"
        drawing = base64.b64decode(data).decode()
        assert all(f">{name}</text>" in drawing for name in TINY)
        assert 'data-on="known"' in drawing
    assert "Nothing has happened yet." in page.text
    assert "sum asks for double." in page.text  # in the table of all steps


def test_nothing_is_loaded_from_anywhere() -> None:
    film = execution_player(TINY).html
    assert "http" not in film
    assert "url(" not in film
    sources = [a[name] for _, a in Outline(film).tags for name in ("src", "href") if name in a]
    assert all(str(source).startswith("data:") for source in sources)


def test_hostile_names_stay_texts() -> None:
    film = execution_player({"x": [], HOSTILE: ["x"]}, title=HOSTILE)
    page = Outline(film.html)
    assert len(page.named("script")) == 1
    assert not [a for _, a in page.tags if "onerror" in a]
    drawn = Outline(film.scene)
    assert not drawn.named("script")
    assert not drawn.named("img")
    for piece in {text for frame in film.frames for text in frame.pieces.values()}:
        assert not Outline(piece).named("script")
        assert HOSTILE not in piece
    image = base64.b64decode(str(page.named("img")[0]["src"]).partition(",")[2]).decode()
    assert "<script" not in image
    assert html.escape(HOSTILE) in image


def test_an_unknown_execution_is_named() -> None:
    with pytest.raises(WidgetError, match="without memory, lazy, ordered, got 'codegen'"):
        execution_player(TINY, ["codegen"])
    with pytest.raises(WidgetError, match="one or more of"):
        execution_player(TINY, [])


def test_long_lists_are_shortened_around_what_is_new() -> None:
    film = execution_player(ladder(10))
    deepest = film.frames[15].pieces["stack 0"]
    assert deepest.startswith("Open questions, 15: join10 → left10 → (7 more) → left6 → ")
    assert deepest.endswith(" → left4 → join3")
    middle = film.frames[15].pieces["stack 1"]
    assert middle.startswith("The order: …, ")
    assert middle.endswith(", …")
    assert len(re.findall("<b>", middle)) == 1
