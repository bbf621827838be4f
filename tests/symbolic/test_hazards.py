"""Whatever users do to the layers of a model, each execution does what called layers do."""

from __future__ import annotations

import pytest
import torch

from tests.symbolic import events_of_parameters  # noqa: F401 - the rest of the table
from tests.symbolic.events import EVENTS, Event
from tests.symbolic.hazards import Pair, each_mode
from tests.symbolic.programs import assert_same

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*weight_norm.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*spectral_norm.*:FutureWarning"),
    pytest.mark.filterwarnings("ignore:.*non-full backward hooks.*:FutureWarning"),
    # A full backward hook makes a view, which the in-place ReLU behind it changes.
    pytest.mark.filterwarnings("ignore:.*a view and is being modified inplace.*"),
]


def name_of(event: Event) -> str:
    return event.name.replace(" ", "_")


@pytest.mark.parametrize("event", EVENTS, ids=name_of)
@each_mode
def test_after_an_event_the_model_does_what_its_twin_does(
    event: Event, execution: str, training: bool
) -> None:
    pair = Pair(execution, training)
    assert pair.agree()
    pair.do(event)
    try:
        if pair.agree():
            pair.check_how(event.called)
    finally:
        undone = pair.undo()
    if undone:
        assert pair.agree()
        pair.check_how(called=False)


@pytest.mark.parametrize("event", [event for event in EVENTS if event.before], ids=name_of)
@each_mode
def test_a_model_is_built_of_layers_to_which_it_was_done_already(
    event: Event, execution: str, training: bool
) -> None:
    pair = Pair(execution, training, before=event)
    try:
        pair.agree()
    finally:
        pair.undo()
    pair.agree()


@pytest.mark.parametrize("event", EVENTS, ids=name_of)
def test_the_twin_shows_the_event(event: Event) -> None:
    """Else the comparison would pass for a model that notices nothing."""

    def differs(training: bool) -> bool:
        pair = Pair("ordered", training)
        before, shown = pair.shows(), False
        pair.twin.load_state_dict(Pair("ordered", training).twin.state_dict())
        pair.do(event)
        try:
            assert_same(pair.shows(), before)
        except (AssertionError, RuntimeError):
            shown = True
        finally:
            pair.undo()
        return shown

    assert (differs(training=True) or differs(training=False)) == event.visible
    torch._dynamo.reset()
