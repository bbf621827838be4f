from __future__ import annotations

from typing import Any

import pytest

from hpml.base.drawing import dataflow
from hpml.base.errors import describe
from hpml.course.lesson.small_graphs import ladder
from hpml.widgets import Animation, WidgetError, execution_player
from hpml.widgets.player.executions import PLAYED, lazy_steps, ordered_steps
from tests.parts import raises
from tests.widgets.test_animation import marked
from tests.widgets.test_executions import TINY


def placeholders(animation: Animation, what: str, lane: int) -> list[str]:
    return [keyframe.texts.get(f"{what} {lane}", "") for keyframe in animation.keyframes]


def test_the_counters_are_those_of_the_steps() -> None:
    animation = execution_player(TINY)
    steps = lazy_steps(dataflow(TINY))
    assert placeholders(animation, "asked", 0)[1:-1] == [str(step.asked) for step in steps]
    assert placeholders(animation, "executed", 0)[1:-1] == [str(step.executed) for step in steps]
    assert placeholders(animation, "asked", 1) == ["0"] * len(animation.keyframes)
    assert placeholders(animation, "executed", 1)[:5] == ["0", "1", "2", "3", "3"]


def test_a_frame_says_who_asks_who_waits_and_what_is_executed() -> None:
    animation = execution_player(TINY, ["lazy"])
    asks = 2
    assert animation.keyframes[asks].line == "lazy: sum asks for double."
    assert "0v1" in marked(animation, asks, "asked")
    assert marked(animation, asks, "waits") == {"0v3", "0b3"}
    # The lines between who asks and what is asked for: against their arrows, up to the box.
    assert marked(animation, asks, "asks") == {"0r2-3", "0a2-1"}
    assert "sum → double" in animation.keyframes[asks].pieces["stack 0"]
    executes = 4
    assert animation.keyframes[executes].line == "lazy: double is executed."
    assert "0v1" in marked(animation, executes, "now")
    assert marked(animation, executes, "asks") == set()
    assert animation.keyframes[executes].texts["0n1"] == "1×"
    assert marked(animation, len(animation.keyframes) - 1, "known") == {
        f"0{k}{v}" for k in "vb" for v in range(4)
    }


def test_the_execution_with_less_to_do_is_done_earlier() -> None:
    animation = execution_player(ladder(2))
    ends = [
        placeholders(animation, "says", lane).index(f"Done after {n} steps.")
        for lane, n in [(0, 15), (1, 6)]
    ]
    assert ends == [
        len(lazy_steps(dataflow(ladder(2)))) + 1,
        len(ordered_steps(dataflow(ladder(2)))) + 1,
    ]
    assert len(animation.keyframes) == ends[0] + 1
    news = [keyframe.line for keyframe in animation.keyframes]
    assert sum("ordered" in line for line in news) == ends[1] + 1
    assert news[-1] == "lazy: Done after 15 steps."


def test_without_memory_the_picture_counts_and_the_animation_ends_in_time() -> None:
    animation = execution_player(ladder(2), ["without memory"])
    last = animation.keyframes[-1].texts
    assert [last[f"0n{v}"] for v in range(1, 7)] == ["2×", "2×", "2×", "1×", "1×", "1×"]
    assert any("for the 2nd time" in keyframe.line for keyframe in animation.keyframes)
    cut = execution_player(ladder(8), ["without memory"], at_most=50)
    assert len(cut.keyframes) == 52
    assert cut.keyframes[-1].line.endswith("Stopped after 50 steps, before the end.")
    whole = lazy_steps(dataflow(ladder(2)), remember=False)
    exact = execution_player(ladder(2), ["without memory"], at_most=len(whole))
    assert exact.keyframes[-1].line.endswith(f"Done after {len(whole)} steps.")


@pytest.mark.parametrize("executions", [["lazy", "ordered"], list(PLAYED)])
def test_two_hundred_frames_of_thirty_nodes_stay_small(executions: list[str]) -> None:
    animation = execution_player(ladder(10), executions, at_most=200)
    assert len(animation.keyframes) == (202 if "without memory" in executions else 73)
    assert len(animation.html.encode()) < 320_000


@pytest.mark.parametrize("executions", ["lazy", [], ["eager"]])
def test_an_unknown_execution_is_refused(executions: Any) -> None:
    received = describe(executions)
    with raises(WidgetError, object="executions of execution_player", received=received):
        execution_player(TINY, executions)
