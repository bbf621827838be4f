"""The knobs of lab 10: noise is turned up, and the verdicts of the rules change in the page."""

from __future__ import annotations

from typing import Any

CELL = """from hpml.labs.lab_10_benchmarking import race
from hpml.widgets import explore

least = lambda a, b: "faster" if min(a) < min(b) else "slower"
explore(
    race.duel({"library": race.by_library, "minimum": least}, draws=20),
    difference=[0.0, 0.02, 0.05, 0.2],
    drift=[0.0, 0.1, 0.3, 1.0],
    outliers=[0.0, 0.05, 0.2],
    modes=[0.0, 0.1, 0.5],
    rounds=[6, 10, 25, 50],
    order=["in turns", "one after the other"],
)"""


def test_a_drift_fools_the_rules_only_if_one_is_measured_after_the_other(
    scratch: Any, shot: Any
) -> None:
    lab = scratch
    lab.show(CELL)

    def verdicts(of: str) -> None:
        lab.page.locator(f"img[alt^='library: {of}']").wait_for()

    verdicts("100 % right, 0 % wrong; minimum: 0 % right")
    for _ in range(3):
        lab.page.get_by_role("slider").nth(1).press("ArrowRight")
    verdicts("100 % right")
    lab.page.get_by_label("order").focus()
    for key in ("Space", "ArrowDown", "Enter"):
        lab.page.keyboard.press(key)
    verdicts("0 % right, 100 % wrong")
    shot(lab.page, "lab_10_noise")
