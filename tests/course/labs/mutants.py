"""Small faults put into a right solution: check and grader refuse each that changes what it does.

A case too few shows itself as a mutant that passes. ``survivors("01", "horner")`` returns the
mutants of ``tests/solutions/lab_01/horner/right.py`` that are called right, each as what was there
and what it became; ``EQUIVALENT`` in the exercise's file of ``tests/sentences`` lists those that
are right indeed, with the reason.
"""

from __future__ import annotations

import ast
import copy
import gc
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

from hpml.course.labs.catalogue import find
from hpml.course.lesson.exercises.check import run, visible_cases
from hpml.course.lesson.exercises.judging import judge
from hpml.course.lesson.exercises.outcomes import NoAnswer, Outcome

SOLUTIONS = Path(__file__).parents[2] / "solutions"
SECONDS = 1
"""For one case: a mutant that goes round for ever is a wrong answer like any other."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,),
    ast.Sub: (ast.Add,),
    ast.Mult: (ast.Add,),
    ast.Div: (ast.Mult, ast.FloorDiv),
    ast.FloorDiv: (ast.Div, ast.Mult),
    ast.Mod: (ast.FloorDiv,),
    ast.Pow: (ast.Mult,),
}
_COPIES = ("list", "dict", "set", "tuple", "sorted", "reversed")
_ONE_SIDE = ("abs", "max", "min", "round", "int", "float", "ceil", "floor", "fabs", "bool")


def mutants(source: str) -> Iterator[tuple[str, str]]:
    """Yield (what was changed, the changed source) for each small fault in a source text.

    >>> [text for text, _ in mutants("def f(a):\\n    return a < 1")][:4]
    ['2: return a < 1 → pass', '2: a < 1 → a <= 1', '2: a < 1 → a > 1', '2: 1 → 2']
    """
    tree = ast.parse(source)
    seen = {ast.unparse(tree)}
    for path in _paths(tree):
        for fault in _faults(_at(tree, path)):
            changed = copy.deepcopy(tree)
            parent, key = _at(changed, path[:-1]), path[-1]
            if isinstance(parent, list):
                parent[key] = fault
            else:
                setattr(parent, key, fault)
            text = ast.unparse(ast.fix_missing_locations(changed))
            try:
                compile(text, "<mutant>", "exec")
            except SyntaxError:
                continue
            if text not in seen:
                seen.add(text)
                was = _at(tree, path)
                before, after = _first_line(was), _first_line(fault)
                if before == after:  # it differs further down
                    after = f"... {_last_line(fault)}"
                yield f"{was.lineno}: {before} → {after}", text


def survivors(lab: str, name: str, solution: str = "right") -> dict[str, str]:
    """Return the mutants that the check or the grader calls right, with which of them did."""
    exercise = find(name, lab)
    source = (SOLUTIONS / f"lab_{lab}" / name / f"{solution}.py").read_text(encoding="utf-8")
    tried = {"check": visible_cases(exercise)}
    tried["grader"] = exercise.cases(random.Random(1), True)
    found: dict[str, str] = {}
    for what, text in mutants(source):
        namespace: dict[str, Any] = {"__name__": "submission"}
        try:
            exec(compile(text, "<mutant>", "exec"), namespace)
        except Exception:  # noqa: BLE001 - it does not get as far as being called
            continue
        passed = []
        for who, cases in tried.items():
            outcomes: list[Outcome] = []
            for case in cases:
                outcomes += _outcome(exercise, namespace.get(name), case)
                # One wrong case decides; the others need not be waited for.
                if not judge(exercise, cases[: len(outcomes)], outcomes).right:
                    break
            else:
                passed.append(who)
        if passed:
            found[what] = " and ".join(passed)
    return found


def _outcome(exercise: Any, function: Any, case: Any) -> list[Outcome]:
    def stop(signum: int, frame: FrameType | None) -> None:
        while frame is not None:  # an exception within a compilation would break LLVM's memory
            if frame.f_globals.get("__name__", "").partition(".")[0] in ("numba", "llvmlite"):
                return  # the timer tries again
            frame = frame.f_back
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, stop)
    gc.disable()  # raised in a callback of the collector, it would be swallowed
    signal.setitimer(signal.ITIMER_REAL, SECONDS, SECONDS)
    try:
        return list(run(exercise, function, [case]))
    except KeyboardInterrupt:
        return [NoAnswer("too slow", "It took too long.")]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        gc.enable()


def _paths(tree: ast.AST) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each node, as the fields and places that lead there."""

    def below(node: Any, path: tuple[Any, ...]) -> Iterator[tuple[Any, ...]]:
        if isinstance(node, list):
            for place, item in enumerate(node):
                yield from below(item, (*path, place))
        elif isinstance(node, ast.AST):
            if path:
                yield path
            for field, value in ast.iter_fields(node):
                if field not in ("decorator_list", "annotation", "returns", "ctx"):
                    yield from below(value, (*path, field))

    return below(tree, ())


def _at(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key] if isinstance(key, int) else getattr(tree, key)
    return tree


def _faults(node: ast.AST) -> Iterator[ast.AST]:
    """Yield what a careless student might have written in place of a node."""
    if isinstance(node, ast.stmt) and not isinstance(node, ast.FunctionDef | ast.Import | ast.Pass):
        yield ast.Pass()
    if isinstance(node, ast.If):
        yield _with(node, test=ast.Constant(True))
        if node.orelse:
            yield _with(node, test=ast.Constant(False))
            yield _with(node, orelse=[])
    elif isinstance(node, ast.For):
        rest = ast.Call(ast.Name("list", ast.Load()), [node.iter], [])
        yield _with(node, body=[*node.body, ast.Break()])
        for low, high in ((1, None), (None, -1)):
            ends = [None if end is None else ast.Constant(end) for end in (low, high)]
            yield _with(node, iter=ast.Subscript(rest, ast.Slice(*ends), ast.Load()))
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.BoolOp):
        yield _with(node, op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
        yield from node.values
    elif isinstance(node, ast.UnaryOp):
        yield node.operand
    elif isinstance(node, ast.Compare):
        yield from _comparisons(node)
    elif isinstance(node, ast.BinOp):
        for operator in _OPERATORS.get(type(node.op), ()):
            yield _with(node, op=operator())
        if not isinstance(node.op, ast.Add | ast.Mult):
            yield _with(node, left=node.right, right=node.left)
        yield from (node.left, node.right)
    elif isinstance(node, ast.AugAssign) and type(node.op) in _OPERATORS:
        for operator in _OPERATORS[type(node.op)]:
            yield _with(node, op=operator())
        yield ast.Assign([node.target], node.value)
    elif isinstance(node, ast.Assign):
        yield from _in_place(node)
    elif isinstance(node, ast.Subscript):
        whole = isinstance(node.slice, ast.Slice) and not (node.slice.lower or node.slice.upper)
        if whole and isinstance(node.ctx, ast.Load):
            yield node.value  # a copy, or a copy in the other order
    elif isinstance(node, ast.List | ast.Set | ast.Dict):
        yield from _unpacked(node)
    elif isinstance(node, ast.Constant):
        if type(node.value) is int:
            yield from (ast.Constant(node.value + 1), ast.Constant(node.value - 1))
        elif type(node.value) is bool:
            yield ast.Constant(not node.value)
        elif type(node.value) is float:
            yield from (ast.Constant(node.value * 1.001 + 1e-9), ast.Constant(-node.value or 1.0))
    elif isinstance(node, ast.Call):
        yield from _calls(node)
    elif isinstance(node, ast.Starred):
        yield node.value


def _comparisons(node: ast.Compare) -> Iterator[ast.AST]:
    for place, operator in enumerate(node.ops):
        for other in _COMPARISONS.get(type(operator), ()):
            yield _with(node, ops=[*node.ops[:place], other(), *node.ops[place + 1 :]])
    sides = [node.left, *node.comparators]
    if len(node.ops) > 1:  # only one of the two sides
        for place, operator in enumerate(node.ops):
            yield ast.Compare(sides[place], [operator], [sides[place + 1]])
        return
    if isinstance(node.ops[0], ast.IsNot):
        yield node.left
    elif isinstance(node.ops[0], ast.Is):
        yield ast.UnaryOp(ast.Not(), node.left)
    elif isinstance(node.ops[0], ast.In | ast.NotIn):
        # Whether the entry is there, or is true: None, 0 and [] are not.
        entry = ast.Call(ast.Attribute(sides[1], "get", ast.Load()), [node.left], [])
        yield entry if isinstance(node.ops[0], ast.In) else ast.UnaryOp(ast.Not(), entry)
    elif isinstance(node.ops[0], ast.Eq | ast.NotEq):  # nearly equal, or one side only
        yield from (_with(node, ops=[operator()]) for operator in (ast.LtE, ast.GtE))


def _in_place(node: ast.Assign) -> Iterator[ast.AST]:
    """Yield ``x += y`` for ``x = x + y``: it changes an object that another name may have."""
    (target, *others), value = node.targets, node.value
    if not isinstance(value, ast.BinOp) or not isinstance(target, ast.Name) or others:
        return
    if isinstance(value.left, ast.Name) and value.left.id == target.id:
        yield ast.AugAssign(target, value.op, value.right)


def _unpacked(node: ast.List | ast.Set | ast.Dict) -> Iterator[ast.AST]:
    """Yield ``x`` for ``[*x]``, ``{*x}`` and ``{**x}``, which are copies."""
    if isinstance(node, ast.Dict):
        if node.keys == [None]:
            yield node.values[0]
    elif len(node.elts) == 1 and isinstance(node.elts[0], ast.Starred):
        yield node.elts[0].value


def _calls(node: ast.Call) -> Iterator[ast.AST]:
    if isinstance(node.func, ast.Name) and node.func.id in _COPIES and len(node.args) == 1:
        yield node.args[0]
    name = getattr(node.func, "id", getattr(node.func, "attr", ""))
    if name in _ONE_SIDE and isinstance(node.func, ast.Name | ast.Attribute):
        yield from (each for each in node.args if not isinstance(each, ast.Starred))
    if isinstance(node.func, ast.Attribute):
        if node.func.attr == "copy":
            yield node.func.value
        elif node.func.attr == "pop" and not node.args:
            yield _with(node, args=[ast.Constant(0)])
        elif node.func.attr == "append":
            front = ast.Attribute(node.func.value, "insert", ast.Load())
            yield ast.Call(front, [ast.Constant(0), *node.args], [])


def _with(node: ast.AST, **fields: Any) -> ast.AST:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _first_line(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()[0]


def _last_line(node: ast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(copy.deepcopy(node))).splitlines()[-1].strip()
