"""A trace as events to show: values, changes, and which call waits for which."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.bytecode.machine import Raised, Step, Trace
from hpml.widgets.stepper.captions import instruction_words, locals_named
from hpml.widgets.stepper.words import Words, named

_HANDED_BACK = ("RETURN_VALUE", "RETURN_CONST")


@dataclass(frozen=True)
class Event:
    """What is to be seen at one event.

    Attributes:
        kind: "start", "step", "back" (a call's value arrives), "lands" (an exception arrives) or
            "stopped" (the limit on steps was met).
        step: the instruction that is looked at.
        words: what happens, in one sentence.
        stack: the value stack afterwards, from the bottom to the top.
        callers: the steps of the functions that wait, the outermost first.
        printed: what had been printed before.
        gone: what was taken off, with the level at which it lay.
        new: the levels of `stack` that were put on it or that changed.
        read, written: the names of variables that were.
        prints: what was printed now.
        raised: the exception raised now, or None.
        goes_to: the offset that a jump or an exception leads to, or None.
    """

    kind: str
    step: Step
    words: Words
    stack: tuple[str, ...]
    callers: tuple[Step, ...]
    printed: str
    gone: tuple[tuple[int, str], ...] = ()
    new: frozenset[int] = frozenset()
    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    prints: str = ""
    raised: Raised | None = None
    goes_to: int | None = None

    @property
    def locals(self) -> Mapping[str, str]:
        """The variables by name."""
        return self.step.locals

    @property
    def cells(self) -> Mapping[str, str]:
        """The variables that are shared with other functions, by name."""
        return self.step.cells

    @property
    def line(self) -> int | None:
        """Return the line of the source."""
        return self.step.line


def events(trace: Trace, called_with: str = "") -> tuple[Event, ...]:
    """Return the events of a trace, one or more."""
    return tuple(_Walk(trace, called_with).events())


class _Walk:
    """Goes through the steps and remembers which functions have not ended."""

    def __init__(self, trace: Trace, called_with: str) -> None:
        self.steps = trace.steps
        self.ended = trace.value is not None or trace.exception is not None
        self.called_with = called_with
        self.open: list[Step] = []
        self.driven: list[Step] = []
        self.printed = ""

    def events(self) -> Iterator[Event]:
        yield self._start()
        for place, step in enumerate(self.steps):
            after = self.steps[place + 1] if place + 1 < len(self.steps) else None
            del self.open[step.depth :]
            self.open.append(step)
            if after is not None and after.depth > step.depth and step.called is None:
                # It makes a generator run; what it did itself shows when that pauses.
                self.driven.append(step)
                yield self._asks(step)
            else:
                yield self._step(step, after)
            yield from self._arrivals(step, after)
        if not self.ended:
            yield self._stopped()

    def _arrivals(self, step: Step, after: Step | None) -> Iterator[Event]:
        """Yield what a caller sees when `step` was the last of a function that it called."""
        depth = -1 if after is None else after.depth
        if after is None and not self.ended:
            return
        while self.driven and self.driven[-1].depth >= depth and self.driven[-1] is not step:
            waiting = self.driven.pop()
            del self.open[waiting.depth + 1 :]
            yield self._step(waiting, None if waiting.depth > depth else after)
            step = waiting
        if after is None or after.depth >= step.depth or after.depth >= len(self.open):
            return
        call = self.open[after.depth]
        del self.open[after.depth + 1 :]
        if call.called is None:
            return
        if step.returned is not None:
            yield self._back(call, after)
        elif step.raised is not None and after.offset != call.offset:
            yield self._lands(call, after, step.raised)

    def _start(self) -> Event:
        first = self.steps[0]
        words: Words = [
            f"{self.called_with or first.function} is called: its arguments are in the values "
            "array, the value stack is empty, and nothing has been executed yet"
        ]
        return self._event("start", first, words, ())

    def _asks(self, step: Step) -> Event:
        of_class = "<builtin __build_class__>" in step.stack_before
        runs = "runs the body of the class" if of_class else "makes a generator run until it pauses"
        words: Words = [("op", str(step.instruction)), f" {runs}"]
        # What the step itself does comes later.
        return self._event("step", step, words, step.stack_before)

    def _step(self, step: Step, after: Step | None) -> Event:
        words = instruction_words(step)
        if step.raised is not None:
            words = [*words, "; ", *self._where_caught(step, after)]
        elif step.returned is not None and step.depth and step.opname in _HANDED_BACK:
            caller = self.open[step.depth - 1].function if step.depth <= len(self.open) else ""
            words = [*words, f" to {caller}"] if caller else words
        low = len(step.stack_before) - step.popped
        gone = tuple(enumerate(step.stack_before[low:], low))
        pairs = zip(step.stack_before[:low], step.stack_after, strict=False)
        changed = {level for level, (old, new) in enumerate(pairs) if old != new}
        read, written = locals_named(step)
        event = self._event(
            "step",
            step,
            words,
            step.stack_after,
            gone=gone,
            new=frozenset(changed | set(range(low, len(step.stack_after)))),
            read=read,
            written=written,
            prints=step.printed,
            raised=step.raised,
            goes_to=step.jumped_to,
        )
        self.printed += step.printed
        return event

    def _where_caught(self, step: Step, after: Step | None) -> Words:
        handler = step.jumped_to
        # A handler that follows directly is no jump.
        if handler is None and step.guard is not None and after is not None:
            here = (after.depth, after.offset) == (step.depth, step.guard.target)
            handler = after.offset if here else None
        if handler is not None:
            return [f"caught: the exception table leads to {handler}"]
        if after is None or after.depth >= step.depth:
            return [f"nothing here catches it: it leaves {step.function}"]
        left = [each.function for each in reversed(self.open[after.depth + 1 :])]
        where = "" if after.line is None else f" (line {after.line})"
        return [f"it leaves {' and '.join(left)}; caught in {after.function} at {after.offset}",
                where]  # fmt: skip

    def _back(self, call: Step, after: Step) -> Event:
        put = after.stack_before[len(call.stack_after) :]
        words: Words = [f"Back in {call.function}: ", ("op", str(call.instruction)), " pushes "]
        # A class gives the object that it made, and not what its __init__ returned.
        made = (call.called or "").endswith(".__init__") and put and put[-1] != "None"
        what = "the object that was made, " if made else f"what {call.called} returned, "
        words += [what, ("new", named(put[-1]))] if put else ["nothing"]
        new = frozenset(range(len(call.stack_after), len(after.stack_before)))
        return self._event("back", call, words, after.stack_before, new=new)

    def _lands(self, call: Step, after: Step, raised: Raised) -> Event:
        kept = call.guard.depth if call.guard is not None else 0
        words: Words = [
            f"Back in {call.function}: the ", ("bad", raised.type), " arrives; the exception table "
            f"cuts the stack to {_counted(kept, 'value')}, pushes the exception and goes on at "
            f"{after.offset}",
        ]  # fmt: skip
        stack = after.stack_before
        gone = tuple(enumerate(call.stack_after[kept:], kept))
        return self._event(
            "lands", call, words, stack, gone=gone, new=frozenset(range(kept, len(stack))),
            goes_to=after.offset,
        )  # fmt: skip

    def _stopped(self) -> Event:
        last = self.steps[-1]
        count = _counted(len(self.steps), "instruction")
        words: Words = [
            f"Stopped here, after {count}: the program had not ended. To see more of it, "
            f"allow more with max_steps={2 * len(self.steps)}; or look for a loop that does not end"
        ]
        return self._event("stopped", last, words, last.stack_after)

    def _event(
        self, kind: str, step: Step, words: Words, stack: Sequence[str], **more: Any
    ) -> Event:
        waiting = tuple(self.open[: step.depth])
        return Event(kind, step, words, tuple(stack), waiting, self.printed, **more)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
