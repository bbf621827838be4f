"""Which hypothesis on a tracer's extra time fits what was measured."""

from __future__ import annotations

from hpml.base.page import Page, say
from hpml.benchmark import Ratio

_MOST = 2 / 3
_FITS = {("shrinks", "stays"): "A", ("shrinks", "shrinks"): "B", ("stays", "stays"): "C"}


def what_fits(fewer_calls: Ratio, thrown_away: Ratio) -> Page:
    """Say which of the lab's hypotheses two experiments support.

    Args:
        fewer_calls: a traced run in a fiftieth of the calls, over a traced run as it was.
        thrown_away: one that keeps no event, over the same.
    """
    found = _change(fewer_calls), _change(thrown_away)
    seen = (
        f"A traced run in a fiftieth of the calls takes {_times(fewer_calls)} of the time: "
        f"the extra time {found[0]}. One that throws its events away takes {_times(thrown_away)} "
        f"of the time: the extra time {found[1]}."
    )
    if "cannot be told" in found:
        return say(f"{seen}\n\nMeasure again on a quieter machine.")
    return say(f"{seen}\n\nThat fits **{_FITS.get(found, 'none of them alone')}**.")


def _times(ratio: Ratio) -> str:
    return f"{ratio.value:.0%} ({ratio.low:.0%} to {ratio.high:.0%})"


def _change(ratio: Ratio) -> str:
    if ratio.high < _MOST:
        return "shrinks"
    return "stays" if ratio.low > _MOST else "cannot be told"
