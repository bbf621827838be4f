"""Convert a trace to the events that a stepper shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from hpml.bytecode.machine import Raised, Step, Trace
from hpml.widgets.stepper.captions import (
    Words,
    accessed_variables,
    instruction_words,
    without_brackets,
)

MOST_STEPS = 1000
"""Most instructions that a stepper shows."""

_RETURNS = ("RETURN_VALUE", "RETURN_CONST")


@dataclass(frozen=True)
class Event:
    """The state shown in one keyframe, after `step`.

    `kind` is "start", "step", "back" (a call's value arrives), "lands" (an exception arrives) or
    "stopped" (the limit of steps was reached). `callers` are the steps of the waiting calls, the
    outermost first. `gone` has levels and values taken off the stack, `new` the pushed or changed
    levels of `stack`. `printed` is earlier output, `prints` that of this event. `goes_to` is the
    offset of the target of a jump or an exception.
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


def events(trace: Trace) -> tuple[Event, ...]:
    """Return the events of a trace with one or more steps."""
    return tuple(_EventMaker(trace).events())


class _EventMaker:
    """Makes the events of a trace; `active` has the latest step of each call in progress."""

    def __init__(self, trace: Trace) -> None:
        self.steps = trace.steps
        self.ended = trace.value is not None or trace.exception is not None
        self.call_text = trace.call
        self.active: list[Step] = []
        self.resuming: list[Step] = []  # steps that resumed a generator that has not yielded yet
        self.printed = ""

    def events(self) -> Iterator[Event]:
        yield self._start()
        for index, step in enumerate(self.steps):
            after = self.steps[index + 1] if index + 1 < len(self.steps) else None
            del self.active[step.depth :]
            self.active.append(step)
            if after is not None and after.depth > step.depth and step.called is None:
                # It resumes a generator; its own effect follows after the generator's steps.
                self.resuming.append(step)
                yield self._resumes(step)
            else:
                yield self._step(step, after)
            yield from self._arrivals(step, after)
        if not self.ended:
            yield self._stopped()

    def _arrivals(self, step: Step, after: Step | None) -> Iterator[Event]:
        """Yield the events in the caller if `step` was the last of a call."""
        depth = -1 if after is None else after.depth
        if after is None and not self.ended:
            return
        while self.resuming and self.resuming[-1].depth >= depth and self.resuming[-1] is not step:
            waiting = self.resuming.pop()
            del self.active[waiting.depth + 1 :]
            yield self._step(waiting, None if waiting.depth > depth else after)
            step = waiting
        if after is None or after.depth >= step.depth or after.depth >= len(self.active):
            return
        call = self.active[after.depth]
        del self.active[after.depth + 1 :]
        if call.called is None:
            return
        if step.returned is not None:
            yield self._back(call, after)
        elif step.raised is not None and after.offset != call.offset:
            yield self._lands(call, after, step.raised)

    def _start(self) -> Event:
        first = self.steps[0]
        words: Words = [
            f"{self.call_text} is called: its arguments are in the values "
            "array, the value stack is empty, and nothing has been executed yet"
        ]
        return self._event("start", first, words, ())

    def _resumes(self, step: Step) -> Event:
        is_class = "<builtin __build_class__>" in step.stack_before
        effect = "runs the body of the class" if is_class else "runs a generator until it yields"
        words: Words = [("op", str(step.instruction)), f" {effect}"]
        return self._event("step", step, words, step.stack_before)

    def _step(self, step: Step, after: Step | None) -> Event:
        words = instruction_words(step)
        if step.raised is not None:
            words = [*words, "; ", *self._handler_words(step, after)]
        elif step.returned is not None and step.depth and step.opname in _RETURNS:
            caller = self.active[step.depth - 1].function if step.depth <= len(self.active) else ""
            words = [*words, f" to {caller}"] if caller else words
        low = len(step.stack_before) - step.popped
        gone = tuple(enumerate(step.stack_before[low:], low))
        pairs = zip(step.stack_before[:low], step.stack_after, strict=False)
        changed = {level for level, (old, new) in enumerate(pairs) if old != new}
        read, written = accessed_variables(step)
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

    def _handler_words(self, step: Step, after: Step | None) -> Words:
        handler = step.jumped_to
        # A handler that follows directly is not recorded as a jump.
        if handler is None and step.guard is not None and after is not None:
            is_next = (after.depth, after.offset) == (step.depth, step.guard.target)
            handler = after.offset if is_next else None
        if handler is not None:
            return [f"caught: the exception table leads to {handler}"]
        if after is None or after.depth >= step.depth:
            return [f"nothing here catches it: it leaves {step.function}"]
        left = [each.function for each in reversed(self.active[after.depth + 1 :])]
        where = "" if after.line is None else f" (line {after.line})"
        return [
            f"it leaves {' and '.join(left)}; caught in {after.function} at {after.offset}",
            where,
        ]

    def _back(self, call: Step, after: Step) -> Event:
        pushed = after.stack_before[len(call.stack_after) :]
        words: Words = [f"Back in {call.function}: ", ("op", str(call.instruction)), " pushes "]
        # Calling a class pushes the new object, not the value returned by __init__.
        is_object = (call.called or "").endswith(".__init__") and pushed and pushed[-1] != "None"
        what = "the new object, " if is_object else f"the value returned by {call.called}, "
        words += [what, ("new", without_brackets(pushed[-1]))] if pushed else ["nothing"]
        new = frozenset(range(len(call.stack_after), len(after.stack_before)))
        return self._event("back", call, words, after.stack_before, new=new)

    def _lands(self, call: Step, after: Step, raised: Raised) -> Event:
        kept = call.guard.depth if call.guard is not None else 0
        words: Words = [
            f"Back in {call.function}: the ",
            ("bad", raised.type),
            " arrives; the exception table "
            f"cuts the stack to {_counted(kept, 'value')}, pushes the exception and continues at "
            f"{after.offset}",
        ]
        stack = after.stack_before
        gone = tuple(enumerate(call.stack_after[kept:], kept))
        return self._event(
            "lands",
            call,
            words,
            stack,
            gone=gone,
            new=frozenset(range(kept, len(stack))),
            goes_to=after.offset,
        )

    def _stopped(self) -> Event:
        last, steps = self.steps[-1], len(self.steps)
        more = f"pass max_steps={min(2 * steps, MOST_STEPS)}, or "
        words: Words = [
            f"Stopped after {_counted(steps, 'instruction')}, before the program ended. To see "
            f"more, {more if steps < MOST_STEPS else ''}use a smaller input, or look for an "
            "endless loop"
        ]
        return self._event("stopped", last, words, last.stack_after)

    def _event(
        self, kind: str, step: Step, words: Words, stack: Sequence[str], **more: Any
    ) -> Event:
        waiting = tuple(self.active[: step.depth])
        return Event(kind, step, words, tuple(stack), waiting, self.printed, **more)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
