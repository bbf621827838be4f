"""The difference of two profiles, such as before and after a fix, as one call tree.

Both trees are merged by their call paths. A frame is as wide as the longer of its two own times
with all that it calls, so what a fix removed is still drawn.

Source: B. Gregg, "Differential flame graphs", 2014,
https://www.brendangregg.com/blog/2014-11-09/differential-flame-graphs.html
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hpml.base.errors import describe
from hpml.base.files import write_atomically
from hpml.base.page import Page
from hpml.base.tables import Table, format_seconds
from hpml.profiling.call_tree import WHOLE, CallTree, preorder
from hpml.profiling.errors import ProfilingError
from hpml.profiling.export import refuse_ending, speedscope, stack_text
from hpml.profiling.functions import FunctionProfile
from hpml.profiling.icicle import Frame, Look, called, icicle
from hpml.profiling.sampling import Samples

_COLOURS = ("#7FB2E5", "#A9CBEE", "#D0E3F6", "#F1F1F1", "#FADADA", "#F5B5B5", "#F08D8D")
"""Blue for less time, red for more, in three steps each; dark text is legible on all."""

_STEPS = (0.01, 0.05, 0.2)
"""Changes of a frame's own time at which its colour grows stronger, as shares of the longer run."""

_Place = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ChangedCalls:
    """A function called from one call path in either run, with its callees.

    Attributes:
        before, after: its own seconds in each run; 0 where it has no frame.
        before_total, after_total: the same with all that it called.
        own: the longer of its own times; `total` adds the callees'. They are the drawn widths.
        estimated: whether either profile only estimates its times.
    """

    name: str
    place: str
    before: float
    after: float
    children: tuple[ChangedCalls, ...] = ()
    estimated: bool = False
    calls: int | None = None
    own: float = field(init=False)
    total: float = field(init=False)
    before_total: float = field(init=False)
    after_total: float = field(init=False)

    def __post_init__(self) -> None:
        own = max(self.before, self.after)
        totals = {
            "own": own,
            "total": own + sum(child.total for child in self.children),
            "before_total": self.before + sum(child.before_total for child in self.children),
            "after_total": self.after + sum(child.after_total for child in self.children),
        }
        for name, value in totals.items():
            object.__setattr__(self, name, value)

    @property
    def change(self) -> float:
        """The change of its own seconds."""
        return self.after - self.before

    def walk(self) -> Iterator[tuple[int, ChangedCalls]]:
        """Yield the depth and frame of each node in preorder."""
        return preorder(self)

    def pruned(self, smallest: float) -> ChangedCalls:
        """Return the tree without frames below `smallest`, whose times go to their callers."""
        rows: list[_Row] = []
        waiting = [(self, -1)]
        while waiting:
            frame, caller = waiting.pop()
            kept = [child for child in frame.children if child.total >= smallest]
            waiting.extend((child, len(rows)) for child in kept)
            before = frame.before_total - sum(child.before_total for child in kept)
            after = frame.after_total - sum(child.after_total for child in kept)
            rows.append(((frame.name, frame.place), before, after, frame.estimated, caller))
        return _tree(rows)


_Row = tuple[_Place, float, float, bool, int]
"""Name and place, own times before and after, whether estimated, and the row of the caller."""


def _tree(rows: Sequence[_Row]) -> ChangedCalls:
    """Return the tree of rows in which each caller precedes its callees."""
    below: list[list[ChangedCalls]] = [[] for _ in rows]
    for row, children in zip(reversed(rows), reversed(below), strict=True):
        (name, place), before, after, estimated, caller = row
        children.sort(key=lambda child: -child.total)
        tree = ChangedCalls(name, place, before, after, tuple(children), estimated)
        if caller >= 0:
            below[caller].append(tree)
    return tree


def _merged(before: CallTree, after: CallTree) -> tuple[ChangedCalls, dict[_Place, _Place]]:
    """Return the merged tree, and the place after the fix of each function that is in both."""
    if before.name != after.name and WHOLE in (before.name, after.name):
        before, after = _in_a_run(before), _in_a_run(after)
    rows: list[_Row] = []
    moved: dict[_Place, _Place] = {}
    waiting: list[tuple[CallTree | None, CallTree | None, int]] = [(before, after, -1)]
    while waiting:
        old, new, caller = waiting.pop()
        shown = new or old
        assert shown is not None  # for the type checker
        if old and new:
            moved.setdefault((old.name, old.place), (new.name, new.place))
        number = len(rows)
        name = shown.name
        if old and new and old.name != new.name:  # the outermost calls, as of slow() and fast()
            name = f"{old.name} → {new.name}"
        rows.append(
            (
                (name, shown.place),
                old.own if old else 0.0,
                new.own if new else 0.0,
                any(each.estimated for each in (old, new) if each),
                caller,
            )
        )
        pairs = _pairs(old.children if old else (), new.children if new else ())
        waiting.extend((a, b, number) for a, b in pairs)
    return _tree(rows), moved


def _in_a_run(tree: CallTree) -> CallTree:
    return tree if tree.name == WHOLE else CallTree(WHOLE, "", 0.0, (tree,))


def _pairs(
    before: Sequence[CallTree], after: Sequence[CallTree]
) -> list[tuple[CallTree | None, CallTree | None]]:
    """Pair the callees of one function by name.

    Of several with one name, those at the same place are pairs; then those in the same file, since
    a fix moves lines; then the others, since a cell that is run again is another file: equally
    many of one file by their lines, as the methods of two classes, else the heaviest first.
    """
    pairs: list[tuple[CallTree | None, CallTree | None]] = []
    waiting: defaultdict[str, tuple[list[CallTree], list[CallTree]]] = defaultdict(lambda: ([], []))
    for side, children in enumerate((before, after)):
        for child in sorted(children, key=lambda child: -child.total):
            waiting[child.name][side].append(child)
    keys: tuple[Callable[[CallTree], str], ...] = (
        lambda child: child.place,
        lambda child: child.place.rpartition(":")[0],
        lambda child: child.name,
    )
    for old, new in waiting.values():
        for key in keys:
            if key is keys[-1] and _moved_together(old, new):
                old.sort(key=_line)
                new.sort(key=_line)
            for one in list(old):
                same = next((other for other in new if key(other) == key(one)), None)
                if same is not None:
                    pairs.append((one, same))
                    old.remove(one)
                    new.remove(same)
        pairs += [(one, None) for one in old] + [(None, one) for one in new]
    return pairs


def _moved_together(old: Sequence[CallTree], new: Sequence[CallTree]) -> bool:
    files = [{child.place.rpartition(":")[0] for child in side} for side in (old, new)]
    return len(old) == len(new) and all(len(each) == 1 for each in files)


def _line(child: CallTree) -> int:
    line = child.place.rpartition(":")[2]
    return int(line) if line.isdecimal() else 0


@dataclass(frozen=True)
class ProfileDifference:
    """How the times of a program's functions differ between two runs.

    Attributes:
        tree: the merged call trees, a `ChangedCalls`.
        moved: where each function of the first run is in the second, by name and place.
    """

    before: CallTree = field(repr=False)
    after: CallTree = field(repr=False)
    tree: ChangedCalls = field(repr=False)
    moved: dict[_Place, _Place] = field(repr=False, compare=False)

    @property
    def own_times(self) -> dict[str, tuple[float, float]]:
        """The own seconds of each function before and after, the largest change first."""
        found: tuple[Counter[_Place], Counter[_Place]] = (Counter(), Counter())
        for side, tree in enumerate((self.before, self.after)):
            for _, frame in tree.walk():
                key = (frame.name, frame.place)
                found[side][self.moved.get(key, key) if side == 0 else key] += frame.own  # type: ignore[assignment]
        old, new = found
        times = {called(*key): (old[key], new[key]) for key in {**old, **new}}
        order = sorted(times.items(), key=lambda item: -abs(item[1][1] - item[1][0]))
        return dict(order)

    def table(self, limit: int | None = 15) -> Table:
        """Return the functions whose own time changed most.

        Args:
            limit: maximum number of rows; None for all.
        """
        rows = [
            [name, old, new, new - old] for name, (old, new) in self.own_times.items() if old or new
        ]
        shown = rows[:limit]
        rest = f" {len(shown)} of {len(rows)} functions shown." if len(shown) < len(rows) else ""
        return Table(
            ["function", "before", "after", "change"],
            shown,
            title=self._in_total(),
            caption="Own times of one run each, so small changes may be noise: "
            f"hpml.benchmark.compare decides whether a program became faster.{rest}",
            formats={"before": format_seconds, "after": format_seconds, "change": _signed},
            code=True,
        )

    def icicle(self) -> Page:
        """Return the picture: blue frames ran shorter after the change, red ones longer."""
        longer = max(self.before.total, self.after.total)

        def colour(frame: Frame) -> int:
            change = _change(frame)
            steps = sum(abs(change) >= least * longer for least in _STEPS)
            return len(_STEPS) + (steps if change > 0 else -steps)

        def label(frame: Frame) -> str:
            step = colour(frame) - len(_STEPS)
            # Not by colour alone.
            return f"{'+' if step > 0 else '−'} {frame.name}" if step else frame.name

        note = (
            '<p class="hpml-icicle-note">Blue, −: less time of its own after. Red, +: more. Grey: '
            f"a change below {_STEPS[0]:.0%} of the run. A frame is as wide as the longer of its "
            "times, so what is gone is still drawn.</p>"
        )
        rows = self.table()._repr_html_()
        folded = f"<details><summary>Functions that changed most</summary>{rows}</details>"
        look = Look(_COLOURS, colour, _says, label, note, folded)
        return icicle(self.tree, title=self._description(), look=look)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write both profiles for another viewer, by the end of the file's name; return its path.

        - ``.speedscope.json`` (or ``.json``): both, to switch between in https://www.speedscope.app;
        - ``.folded`` or ``.collapsed``: a line per stack with its nanoseconds before and after,
          from which ``flamegraph.pl`` draws a differential flame graph.

        Raises:
            ProfilingError: if the name ends in something else.
            OSError: if it cannot be written; a missing folder is created.
        """
        ending = Path(path).suffix.lower()
        if ending == ".json":
            text = speedscope({"before": self.before, "after": self.after})
        elif ending in (".folded", ".collapsed"):
            text = self._collapsed()
        else:
            raise refuse_ending("a difference of profiles", path)
        write_atomically(path, text)
        return Path(path)

    def _collapsed(self) -> str:
        lines: list[str] = []
        stack: list[str] = []
        for depth, frame in self.tree.walk():
            stack[depth:] = [stack_text(frame.name, frame.place)]
            times = [round(1e9 * own) for own in (frame.before, frame.after)]
            if any(times):
                lines.append(f"{';'.join(stack)} {times[0]} {times[1]}\n")
        return "".join(lines)

    def _in_total(self) -> str:
        old, new = self.before.total, self.after.total
        word = "less" if new < old else "more"
        return (
            f"{format_seconds(old)} before, {format_seconds(new)} after: "
            f"{format_seconds(abs(new - old))} {word}"
        )

    def _description(self) -> str:
        """Return what the picture shows, for those who do not see it."""
        changes = {name: new - old for name, (old, new) in self.own_times.items()}
        said = []
        for word, sign in (("less", -1), ("more", 1)):
            name, change = max(changes.items(), key=lambda item: sign * item[1])
            if sign * change > 0:
                said.append(f"{name} {word} by {format_seconds(abs(change))}")
        most = f" Own time changed most: {', '.join(said)}." if said else ""
        return f"Difference of two profiles. {self._in_total()}.{most}"

    def __str__(self) -> str:
        return str(self.table())

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return {"text/plain": str(self.table()), "text/html": self.icicle().html}


def _change(frame: Any) -> float:
    return float(frame.change)


def _says(frame: Any) -> str:
    about = "≈ " if frame.estimated else ""
    total = f"{format_seconds(frame.before_total)} → {format_seconds(frame.after_total)}"
    own = f"{format_seconds(frame.before)} → {format_seconds(frame.after)}"
    change = _signed(frame.after_total - frame.before_total)
    return f"{about}{total} ({change}), own {about}{own} ({_signed(frame.change)})"


def _signed(seconds: float) -> str:
    sign = "−" if seconds < 0 else "+" if seconds > 0 else ""
    return f"{sign}{format_seconds(abs(seconds))}"


def profile_difference(
    before: FunctionProfile | Samples, after: FunctionProfile | Samples
) -> ProfileDifference:
    """Return how two profiles of a program differ, such as before and after a fix.

    The difference shows a table and an icicle: blue frames have less time of their own after, red
    ones more. Functions are matched by name along their call paths, also where a fix has moved
    them to other lines, or a cell was run again. The outermost calls always match.

    Args:
        before: what `profile`, `read_profile` or `sample` returned.
        after: the same kind of profile of the same work, after the change.

    Raises:
        ProfilingError: if either is something else, both are of different kinds, or one is empty.

    >>> from hpml.profiling import profile
    >>> def work(n):
    ...     return sum(sorted(range(n), reverse=True))
    >>> found = profile_difference(profile(work, 500_000), profile(work, 50_000))
    >>> found.after.total < found.before.total
    True
    >>> found.table(limit=1).column("function")
    ('builtins.sorted',)
    """
    for name, value in (("before", before), ("after", after)):
        if not isinstance(value, (FunctionProfile, Samples)):
            raise ProfilingError(
                object=f"{name} of profile_difference",
                expected="what profile, read_profile or sample returned",
                received=describe(value),
                remedy="Profile the program first: before = profile(program).",
            )
    if type(before) is not type(after):
        raise ProfilingError(
            object="profile_difference",
            expected="two profiles of one kind",
            received=f"{type(before).__name__} and {type(after).__name__}",
            remedy="Use the same profiler for both: cProfile's overhead and a sampler's differ.",
        )
    trees = before.tree, after.tree
    for name, tree in zip(("before", "after"), trees, strict=True):
        if tree.total <= 0:
            raise ProfilingError(
                object=f"{name} of profile_difference",
                expected="a profile in which time passed",
                received="an empty one",
                remedy="Profile something that takes longer.",
            )
    merged, moved = _merged(*trees)
    return ProfileDifference(*trees, merged, moved)
