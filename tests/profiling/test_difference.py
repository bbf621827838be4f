"""The difference of two profiles: what is matched, drawn, said and saved."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from hpml.profiling import ProfilingError, Samples, profile, profile_difference, sample
from hpml.profiling.call_tree import CallTree
from hpml.profiling.difference import ProfileDifference
from tests.parts import raises

SCHEMA = json.loads((Path(__file__).parent / "schemas" / "speedscope.json").read_text("utf-8"))


def samples(*children: CallTree, own: float = 1.0, name: str = "main") -> Samples:
    tree = CallTree(name, "a.py:1", own, children)
    return Samples(tree, 100, 1e-3, tree.total)


SLOW = CallTree("slow", "a.py:10", 6.0, (CallTree("helper", "b.py:1", 2.0),))
BEFORE = samples(SLOW, CallTree("other", "a.py:20", 1.0))
AFTER = samples(CallTree("slow", "a.py:12", 0.5), CallTree("new", "a.py:30", 1.5), own=1.0)


def own_changes(found: ProfileDifference) -> dict[str, tuple[float, float]]:
    return {name.partition(" ")[0]: times for name, times in found.own_times.items()}


def test_own_times_of_both_runs_stand_beside_each_other_the_largest_change_first() -> None:
    found = profile_difference(BEFORE, AFTER)
    assert list(own_changes(found).items()) == [
        ("slow", (6.0, 0.5)),
        ("helper", (2.0, 0.0)),
        ("new", (0.0, 1.5)),
        ("other", (1.0, 0.0)),
        ("main", (1.0, 1.0)),
    ]
    assert found.table(limit=1).rows[0][1:] == (6.0, 0.5, -5.5)
    assert sum(new - old for old, new in found.own_times.values()) == pytest.approx(
        found.after.total - found.before.total
    )


def test_the_tree_has_every_frame_of_both_as_wide_as_the_longer() -> None:
    tree = profile_difference(BEFORE, AFTER).tree
    frames = {frame.name: frame for _, frame in tree.walk()}
    assert (frames["slow"].own, frames["slow"].total) == (6.0, 8.0)
    assert frames["slow"].place == "a.py:12"
    assert (frames["slow"].before_total, frames["slow"].after_total) == (8.0, 0.5)
    assert (tree.before_total, tree.after_total) == (10.0, 3.0)
    for _, frame in tree.walk():
        assert frame.total >= max(frame.before_total, frame.after_total)
    pruned = tree.pruned(1.2)
    assert {frame.name for _, frame in pruned.walk()} == {"main", "slow", "helper", "new"}
    assert (pruned.before_total, pruned.after_total) == (10.0, 3.0)


def twins(*places: tuple[str, float]) -> Samples:
    return samples(*(CallTree("forward", place, own) for place, own in places))


@pytest.mark.parametrize(
    ("before", "after", "pairs"),
    [
        # The same places, in another order of their times.
        ([("a.py:1", 3), ("a.py:9", 1)], [("a.py:1", 1), ("a.py:9", 2)], {(3, 1), (1, 2)}),
        # The same file, other lines.
        ([("a.py:1", 3), ("b.py:1", 2)], [("b.py:4", 5), ("a.py:4", 1)], {(3, 1), (2, 5)}),
        # A cell that was run again is another file.
        ([("123.py:1", 3)], [("456.py:1", 1)], {(3, 1)}),
        ([("a.py:1", 3)], [("a.py:1", 1), ("a.py:5", 2)], {(3, 1), (0, 2)}),
        # The methods of two classes, in a cell that was run again.
        ([("1.py:9", 3), ("1.py:10", 1)], [("2.py:8", 1), ("2.py:10", 2)], {(3, 1), (1, 2)}),
    ],
)
def test_functions_of_one_name_are_paired_by_place_then_file_then_weight(
    before: list[Any], after: list[Any], pairs: set[tuple[int, int]]
) -> None:
    found = profile_difference(twins(*before), twins(*after))
    assert {(frame.before, frame.after) for frame in found.tree.children} == pairs


def test_the_outermost_calls_match_whatever_they_are_called() -> None:
    found = profile_difference(samples(SLOW), samples(SLOW, name="faster"))
    assert found.tree.name == "main → faster"
    assert [(child.before, child.after) for child in found.tree.children] == [(6.0, 6.0)]
    assert set(own_changes(found).values()) == {(1.0, 1.0), (6.0, 6.0), (2.0, 2.0)}


def test_a_run_of_several_outermost_calls_has_them_below_the_whole_run() -> None:
    several = samples(SLOW, CallTree("main", "a.py:1", 1.0), own=0.0, name="(whole run)")
    found = profile_difference(samples(SLOW), several)
    assert found.tree.name == "(whole run)"
    changes = {child.name: (child.before_total, child.after_total) for child in found.tree.children}
    assert changes == {"main": (9.0, 1.0), "slow": (0.0, 8.0)}


def test_the_picture_says_by_colour_sign_and_words_what_changed() -> None:
    page = profile_difference(BEFORE, AFTER).icicle()
    (svg,) = re.findall(r"<svg viewBox.*?</svg>", page.html, re.DOTALL)
    colours = {name: colour for colour, name in re.findall(r'fill="(#\w+)"><title>(\w+)', svg)}

    def redness(name: str) -> int:
        red, _, blue = (int(colours[name][k : k + 2], 16) for k in (1, 3, 5))
        return red - blue

    assert redness("slow") < redness("other") < redness("main") == 0 < redness("new")
    labels = re.findall(r"<text[^>]*>([^<]*)", svg)
    assert {"− slow", "+ new", "main"} <= set(labels)
    (description,) = re.findall(r'role="img" aria-label="([^"]*)"', svg)
    for part in ("10.0 s before", "3.00 s after", "7.00 s less", "slow (a.py:12) less by 5.50 s"):
        assert part in description
    assert "new (a.py:30) more by 1.50 s" in description
    assert "<details>" in page.html
    assert "slow (a.py:12)  8.00 s → 500 ms (−7.50 s), own 6.00 s → 500 ms (−5.50 s)" in page.plain


def leaf(n: int) -> int:
    return sum(range(n))


def repeated(n: int) -> int:
    return sum(leaf(n) for _ in range(20))


def once(n: int) -> int:
    return 20 * leaf(n)


def test_profiles_and_samples_of_real_runs_lose_the_time_that_the_fix_saved() -> None:
    def program(part: Any) -> Any:
        return lambda: part(3_000_000)

    for tool in (profile, sample):
        found = profile_difference(tool(program(repeated)), tool(program(once)))
        old, new = (sum(times) for times in zip(*found.own_times.values(), strict=True))
        assert old == pytest.approx(found.before.total)
        assert new == pytest.approx(found.after.total)
        assert new < old
        assert set(found._repr_mimebundle_()) == {"text/plain", "text/html"}


def test_both_profiles_are_saved_for_speedscope_and_flamegraph(tmp_path: Path) -> None:
    found = profile_difference(BEFORE, AFTER)
    content = json.loads(found.save(tmp_path / "fix.speedscope.json").read_text("utf-8"))
    jsonschema.Draft7Validator(SCHEMA).validate(content)
    assert [(p["name"], p["endValue"]) for p in content["profiles"]] == [
        ("before", 10.0),
        ("after", 3.0),
    ]
    lines = found.save(tmp_path / "fix.folded").read_text("utf-8").splitlines()
    assert "main (a.py:1);slow (a.py:12) 6000000000 500000000" in lines
    with raises(ProfilingError, object="file name of a difference of profiles", received="fix"):
        found.save(tmp_path / "fix.prof")


def test_what_cannot_be_compared_is_refused() -> None:
    with raises(ProfilingError, object="before of profile_difference", received="leaf"):
        profile_difference(leaf, AFTER)  # type: ignore[arg-type]
    with raises(ProfilingError, object="profile_difference", received="Samples"):
        profile_difference(profile(leaf, 10), AFTER)
    with raises(ProfilingError, object="after of profile_difference", received="empty"):
        profile_difference(BEFORE, samples(own=0.0))
