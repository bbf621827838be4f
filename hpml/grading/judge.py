"""One exercise of one submission: its cases made, a worker asked that knows none, and judged."""

from __future__ import annotations

import platform
import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from hpml.base.errors import describe
from hpml.course.exercises.exercise import Case, Choice, Exercise, Forbidden
from hpml.course.exercises.judging import Verdict, diagnosed, judge
from hpml.course.exercises.outcomes import NOT_TRIED, NoAnswer, Outcome, Raised, outcome_of
from hpml.grading import speed
from hpml.grading.report import Item, blank, harmless
from hpml.grading.run import Submitted
from hpml.grading.worker_client import Printed, WorkerClient
from hpml.sandbox.harness import harness_source
from hpml.sandbox.plain import decode, encode

_TEXT = 2000
_STARTS = 3  # of workers for an exercise, where some cases give no answer


def cases_of(exercise: Exercise, seed: int) -> Sequence[Case]:
    """Return the cases that grading with `seed` tries."""
    # Text seeds a generator in the same way on every machine and in every run.
    return exercise.cases(random.Random(f"{seed} {exercise.lab} {exercise.name} cases"), True)


def grade_entry(submitted: Submitted, entry: Exercise | Choice) -> Item:
    """Return what a submission earns in one exercise, or for its explanation."""
    item = blank(entry)
    printed = Printed(submitted.limits.printed)
    if submitted.left(1.0) <= 0:
        text = "The time limit of the whole submission was reached before this exercise."
        return item.without_points("no answer", text)
    if isinstance(entry, Exercise):
        item = grade_exercise(submitted, entry, printed)
    else:
        item = grade_choice(submitted, entry, printed)
    text = harmless(item.text[:_TEXT] + " ..." * (len(item.text) > _TEXT))
    return replace(item, text=text, printed=harmless(printed.text))


def grade_choice(submitted: Submitted, choice: Choice, printed: Printed) -> Item:
    """Return what a submission earns for its explanation."""
    item, found = blank(choice), submitted.chosen
    if found is None:  # no worker of an exercise has read the notebook
        with submitted.worker(printed) as worker:
            answer = _prepared(submitted, worker, choice)
        if isinstance(answer, NoAnswer):
            return item.without_points("no answer", answer.text)
        if "unreadable" in answer:
            return item.without_points("unreadable", str(answer["unreadable"]))
        found = answer["chosen"]
    if not found:
        text = f"No cell assigns a plain value to `{choice.name}`."
        return item.without_points("missing", text)
    return chosen(item, choice, decode(found[0]))


def grade_exercise(submitted: Submitted, exercise: Exercise, printed: Printed) -> Item:
    """Return what a submission earns in one exercise: with its last definition, or a better one."""
    found: list[Item] = []
    for version in range(_STARTS):
        item, versions = _graded(submitted, exercise, printed, version)
        found.append(item)
        if item.right or version + 1 >= versions or submitted.left(1.0) <= 0:
            break
    best = max(found, key=lambda each: each.score)
    if best is found[0]:
        return best
    return best.with_note("The last definition fails, so an earlier, better one counts.")


def _graded(
    submitted: Submitted, exercise: Exercise, printed: Printed, version: int
) -> tuple[Item, int]:
    """Return what one definition of the function earns, and how many definitions there are."""
    item, versions = blank(exercise), 1
    cases = cases_of(exercise, submitted.seed)
    outcomes: list[Outcome] = [NOT_TRIED] * len(cases)
    failures = broken = ""
    only = False  # whether cells that the function does not need are left out
    for _ in range(_STARTS):
        # After a case that gave no answer, a new worker tries those of the parts not yet lost.
        lost = {
            case.part
            for case, outcome in zip(cases, outcomes, strict=True)
            if isinstance(outcome, NoAnswer) and outcome is not NOT_TRIED
        }
        waiting = [
            place
            for place, outcome in enumerate(outcomes)
            if outcome is NOT_TRIED and cases[place].part not in lost
        ]
        if not waiting or submitted.left(1.0) <= 0:
            break
        with submitted.worker(printed, exercise) as worker:
            answer = _prepared(submitted, worker, exercise)
            if not isinstance(answer, NoAnswer):
                if "unreadable" in answer:
                    return item.without_points("unreadable", str(answer["unreadable"])), 1
                submitted.chosen = answer["chosen"]
                broken = _no_python(answer["broken"])
                if not answer["found"]:
                    text = f"No cell of the notebook defines a function `{exercise.name}`.{broken}"
                    return item.without_points("missing", text), 1
                versions = len(answer["versions"])
                uses = [str(use) for use in answer["versions"][version]]
                if answer["stub"] or uses:
                    verdict = judge(exercise, cases, [], stub=bool(answer["stub"]), forbidden=uses)
                    item = _item(item, verdict, "not done" if verdict.not_done else "forbidden")
                    if verdict.not_done:  # what was done may be in a cell that cannot be read
                        item = replace(item, text=item.text + broken)
                    return item, versions
            question = {"do": "load", "version": version, "only": only}
            loaded = worker.ask(question, submitted.left(submitted.limits.load))
            if isinstance(loaded, NoAnswer):
                if not only:  # a cell may have ended the worker
                    only = True
                    continue
            else:
                failures = _failures(loaded)
            tried = _outcomes(submitted, exercise, worker, [cases[place] for place in waiting])
            for place, outcome in zip(waiting, tried, strict=True):
                outcomes[place] = outcome
            if not any(isinstance(outcome, NoAnswer) for outcome in outcomes):
                item = _described(submitted, item, exercise, cases, outcomes, failures, broken)
                return speed.add(submitted, item, exercise, worker), versions
    item = _described(submitted, item, exercise, cases, outcomes, failures, broken)
    return speed.add(submitted, item, exercise, None), versions


def _prepared(
    submitted: Submitted, worker: WorkerClient, entry: Exercise | Choice
) -> dict[str, Any] | NoAnswer:
    forbids = entry.forbids if isinstance(entry, Exercise) else Forbidden()
    names = ("modules", "names", "calls", "inside")
    question = {
        "do": "prepare",
        "cells": dict(submitted.cells),
        "name": entry.name,
        "choice": submitted.choice.name,
        "forbids": {each: list(getattr(forbids, each)) for each in names},
    }
    return worker.ask(question, submitted.left(submitted.limits.start))


def _outcomes(
    submitted: Submitted, exercise: Exercise, worker: WorkerClient, cases: Sequence[Case]
) -> list[Outcome]:
    """Return the outcome of each case, up to the first that gives no answer."""
    outcomes: list[Outcome] = []
    harness = harness_source(exercise.arguments, exercise.observe)
    if worker.ended is not None:  # while it was loaded
        return [worker.ended] * len(cases)
    for case in cases:
        question = {"do": "call", "data": encode(dict(case.data)), "harness": harness}
        answer = worker.ask(question, submitted.left(exercise.seconds))
        if isinstance(answer, NoAnswer):
            slow = answer.reason in ("too slow", "ended")
            rest = [NOT_TRIED if slow else answer] * (len(cases) - len(outcomes) - 1)
            return [*outcomes, answer, *rest]
        outcomes.append(outcome_of(answer.get("outcome")))
    return outcomes


def _described(
    submitted: Submitted,
    item: Item,
    exercise: Exercise,
    cases: Sequence[Case],
    outcomes: Sequence[Outcome],
    failures: str,
    broken: str,
) -> Item:
    run = partial(submitted.wrong_answers.run, exercise)
    verdict = diagnosed(judge(exercise, cases, outcomes), exercise, cases, outcomes, run)
    lost = any(isinstance(outcome, NoAnswer) for outcome in outcomes)
    item = _item(item, verdict, "no answer" if lost else "wrong")
    if verdict.right:
        return item
    if failures:
        item = item.with_note("A cell that it needs failed.")
    text = f"{item.text}{failures}\n{broken.strip()}".rstrip()
    return replace(item.with_note(broken.strip()), text=text)


def _item(item: Item, verdict: Verdict, otherwise: str) -> Item:
    item = replace(item, parts=dict(verdict.parts), note=verdict.note)
    some = "partly right" if item.score > 0 else otherwise
    return replace(
        item,
        status="right" if verdict.right else some,
        text="" if verdict.right else verdict.text,
        mistake="" if verdict.diagnosis is None else verdict.diagnosis.key,
    )


def chosen(item: Item, choice: Choice, value: object) -> Item:
    """Return the item with the points for the experiment of that number."""
    wanted = f"a number from 1 to {choice.experiments}"
    if value is None:
        return item.without_points("not done", f"`{choice.name}` is still None.")
    if type(value) is not int or not 1 <= value <= choice.experiments:
        text = f"`{choice.name}`: expected {wanted}, got {describe(value)}."
        return item.without_points("wrong", text)
    if value != choice.best:
        text = f"Experiment {value} does not tell the hypotheses apart."
        return item.without_points("wrong", text)
    return replace(item, parts={"right": float(choice.points)}, status="right")


def _no_python(broken: Sequence[Mapping[str, Any]]) -> str:
    if not broken:
        return ""
    cells = "; ".join(f"cell {entry['cell']}: {entry['message']}" for entry in broken[:3])
    version = platform.python_version().rpartition(".")[0]
    return f" Cells that are not valid Python {version}: {cells}."


def _failures(loaded: Mapping[str, Any]) -> str:
    """Return what failed while the submission was loaded, as text; it is the worker's claim."""
    failed = loaded.get("failed")
    lines = []
    for entry in failed[:3] if type(failed) is list else ():
        outcome = outcome_of(entry.get("outcome")) if type(entry) is dict else None
        if isinstance(outcome, Raised):
            where = f"cell {str(entry.get('cell'))[:8]}, line {str(entry.get('line'))[:8]}"
            message = " ".join(outcome.message[:200].split())
            lines.append(f"In {where}: {outcome.type}: {message}")
    return "\n" + "\n".join(lines) if lines else ""
