"""Random programs from a seed: expressions, branches, loops, ``try`` blocks, calls, closures.

The programs fail often and in many ways (types that do not fit, divisions by zero, names without a
value), which is what they are for: whatever they do, the machine must do the same.
"""

from __future__ import annotations

import random

_HELPERS = """
def clip(value):
    if isinstance(value, int):
        return value % 1000 - 100
    if isinstance(value, (str, list, tuple)):
        return value[:6]
    return value

def helper(x, y=3, *rest, flag=False, **named):
    if flag:
        raise KeyError("flag", x)
    return clip(x) if rest else [x, y, sorted(named)]

class Plain(Exception):
    pass

class Coded(Plain):
    def __init__(self, code=None):
        super().__init__("coded", code)
        self.code = code

@dataclasses.dataclass(frozen=True)
class Frozen(ValueError):
    code: object = None

class Watched(Coded):
    def __setattr__(self, name, value):
        print("set", name)
        super().__setattr__(name, value)

class Leaving:
    def __init__(self, swallow=False):
        self.swallow = swallow
    def __enter__(self):
        return 3
    def __exit__(self, kind, error, entries):
        print("leaving", kind and kind.__name__)
        return self.swallow

def in_a_thread(call, *arguments):
    found = []
    def work():
        try:
            found.append(call(*arguments))
        except Exception as error:
            found.append(type(error).__name__)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return found

def count(n):
    try:
        for i in range(n):
            got = yield i * 2
            if got:
                print("got", got)
    finally:
        print("closing")
    return n

"""
_ERRORS = (
    "ZeroDivisionError",
    "TypeError",
    "(KeyError, IndexError)",
    "NameError",
    "Exception",
    "Plain",
    "(Frozen, Watched)",
)
_NAMES = ("a", "b", "c", "d", "e")


class _Writer:
    """Writes the lines of one function."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.indent = 1
        self.in_loop = 0
        self.budget = self.random.randint(6, 22)

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def name(self) -> str:
        return self.pick(*_NAMES)

    def expression(self, depth: int = 0) -> str:
        """Return an expression of any type; most are numbers, or programs would end at once."""
        if self.random.random() < 0.8:
            return self.number(depth)
        one, two, three = (self.number(depth + 1) for _ in range(3))
        return self.pick(
            self.name(),
            "'xy'",
            "None",
            f"[{one}, {two}]",
            f"({one}, *[{two}])",
            f"{{{one}: {two}, 'k': {three}}}",
            f"[q + {one} for q in ({two}, 3) if q {self.pick('>', '%', '-')} {three}]"
            if ":=" not in two
            else "[]",
            f"[(q, r) for q in 'ab' for r in range({self.pick('2', 'a % 3')})]",
            f"f'{{{self.name()}!r:>4}}-{{{self.name()}}}'",
            f"helper({one}, {two})",
            f"helper(*[{one}], flag={self.pick('False', 'False', two)}, k={three})",
            f"list(count({self.pick('2', '3', self.name())}))",
            f"{self.pick('d', 'e')}[{self.pick('1:', '::2', ':a')}]",
            f"(lambda x, y={one}: (x, y))({two})",
            f"in_a_thread(helper, {one}, {two})",
            f"in_a_thread(lambda x: list(count(x % 3)), {one})",
        )

    def number(self, depth: int = 0) -> str:
        """Return an expression that is a number if all goes well."""
        if depth > 2 or self.random.random() < 0.3:
            return self.pick("a", "b", "c", "a", "b", "c", "0", "1", "2", "3", "(-5)", "17")
        one, two, three = (self.number(depth + 1) for _ in range(3))
        operator = self.pick("+", "-", "*", "//", "%", "+", "-", "*", "/", "|" if depth else "+")
        comparison = self.pick("<", "<=", "==", "!=", ">", ">=", "is not", "in")
        right = f"({two}, {three})" if comparison == "in" else self.pick(two, two, "None")
        return self.pick(
            f"({one} {operator} {two})",
            f"({one} {operator} {two})",
            f"({one} {operator} {two})",
            f"({one} {comparison} {right})" if ":=" not in right else f"(not {one})",
            f"({one} < {two} <= {three})",
            f"({one} {self.pick('and', 'or')} {two})",
            f"({one} if {two} else {three})",
            f"({self.pick('-', 'not ', '+')}{one})",
            f"sum(q for q in range({self.pick('3', '4', 'a % 4')}))",
            f"len({self.pick('d', 'e', repr('xyz'))})",
            f"{self.pick('d', 'e')}[{self.pick('0', '-1', 'a')}]",
            f"clip({one})",
            f"({self.pick('a', 'b', 'c')} := {one})",
        )

    def block(self, depth: int) -> None:
        self.indent += 1
        before = len(self.lines)
        for _ in range(self.random.randint(1, 3)):
            self.statement(depth + 1)
        if len(self.lines) == before:
            self.line("pass")
        self.indent -= 1

    def statement(self, depth: int) -> None:
        self.budget -= 1
        if depth > 4 or self.budget < 0:
            self.line(f"{self.pick('a', 'b', 'c')} = clip({self.number(1)})")
            return
        simple = (
            self.assignment,
            self.assignment,
            self.assignment,
            self.augmented,
            self.printing,
            self.unpacking,
            self.item,
            self.deletion,
            self.leaving,
            self.raising,
        )
        compound = (
            self.branch,
            self.loop,
            self.loop,
            self.while_loop,
            self.trying,
            self.trying,
            self.with_block,
            self.closure,
            self.matching,
        )
        self.random.choice(simple if self.random.random() < 0.55 else compound)(depth)

    def assignment(self, depth: int) -> None:
        value = self.number() if (name := self.name()) in "abc" else self.expression()
        self.line(f"{name} = clip({value})")

    def augmented(self, depth: int) -> None:
        name = self.pick("a", "b", "c")
        self.line(f"{name} {self.pick('+=', '-=', '//=', '%=', '*=')} {self.number(1)}")
        self.line(f"{name} = clip({name})")

    def printing(self, depth: int) -> None:
        self.line(f"print({self.expression(1)}, {self.name()}, sep='/')")

    def unpacking(self, depth: int) -> None:
        left = self.pick("a, b", "c, a", "b, *d", "*e, c", "d, e", "(a, b), c")
        self.line(
            f"{left} = {self.pick(self.expression(1), '(b, c)', '[1, c]', 'd, e', '(a, b), 4')}"
        )

    def item(self, depth: int) -> None:
        self.line(f"{self.pick('d', 'e')}[{self.pick('0', 'a', repr('k'))}] = {self.number(1)}")

    def deletion(self, depth: int) -> None:
        self.line(
            self.pick(f"del {self.name()}", "del d[0]", "del e[-1:]", "d = [a, b]", "e = [c]")
        )

    def leaving(self, depth: int) -> None:
        if self.in_loop and self.random.random() < 0.7:
            self.line(f"if {self.expression(1)}: {self.pick('break', 'continue')}")
        elif self.random.random() < 0.5:
            self.line(f"if {self.expression(1)}: return {self.expression(1)}")

    def raising(self, depth: int) -> None:
        error = self.pick(
            "ValueError('v', a)",
            "KeyError(b)",
            "TypeError",
            "IndexError('i')",
            "Coded(a)",
            "Frozen(b)",
            "Watched(c)",
            "Plain",
        )
        cause = self.pick("", "", " from None", " from OSError(1)")
        self.line(f"if {self.expression(1)}: raise {error}{cause}")

    def branch(self, depth: int) -> None:
        self.line(f"if {self.expression()}:")
        self.block(depth)
        if self.random.random() < 0.4:
            self.line(f"elif {self.expression(1)}:")
            self.block(depth)
        if self.random.random() < 0.5:
            self.line("else:")
            self.block(depth)

    def loop(self, depth: int) -> None:
        target, source = self.random.choice(
            (
                ("a", "range(3)"),
                ("i", "'abc'"),
                ("b", "[a, 2]"),
                ("c", "count(3)"),
                ("i", "d"),
                ("i, b", "enumerate((a, 7))"),
                ("a", "[q for q in (b, c)]"),
                ("c", "e"),
                ("i", "range(a % 4)"),
            )
        )
        self.line(f"for {target} in {source}:")
        self.in_loop += 1
        self.block(depth)
        self.in_loop -= 1
        if self.random.random() < 0.3:
            self.line("else:")
            self.block(depth)

    def while_loop(self, depth: int) -> None:
        counter = f"n{len(self.lines)}"
        self.line(f"{counter} = 0")
        self.line(f"while {counter} < 3 and {self.pick('True', self.expression(1))}:")
        self.indent += 1
        self.line(f"{counter} += 1")
        self.indent -= 1
        self.in_loop += 1
        self.block(depth)
        self.in_loop -= 1

    def trying(self, depth: int) -> None:
        self.line("try:")
        self.block(depth)
        handlers = self.random.randint(0, 2)
        for _ in range(handlers):
            self.line(f"except {self.pick(*_ERRORS)}{self.pick('', ' as error')}:")
            self.block(depth)
            if self.random.random() < 0.3:
                self.indent += 1
                self.line(self.pick("raise", "print(sys.exc_info()[0].__name__)", "a = 1"))
                self.indent -= 1
        if handlers and self.random.random() < 0.3:
            self.line("else:")
            self.block(depth)
        if not handlers or self.random.random() < 0.4:
            self.line("finally:")
            in_loop, self.in_loop = self.in_loop, 0
            self.block(depth)
            self.in_loop = in_loop

    def with_block(self, depth: int) -> None:
        suppress = f"contextlib.suppress({self.pick('TypeError', 'KeyError', 'ValueError')})"
        leaving = f"Leaving({self.pick('True', 'False')}) as {self.name()}"
        self.line(f"with {self.pick(suppress, leaving, f'{leaving}, {suppress}')}:")
        self.block(depth)

    def closure(self, depth: int) -> None:
        name = f"f{len(self.lines)}"
        self.line(f"def {name}(x, y={self.expression(1)}):")
        self.indent += 1
        if self.random.random() < 0.6:
            shared = self.pick("a", "b")
            self.line(f"nonlocal {shared}")
            self.line(f"{shared} = clip(x)")
        self.line(f"return {self.pick('x', 'y', 'a', 'c')}, {self.expression(1)}")
        self.indent -= 1
        self.line(f"{self.pick('d', 'e')} = {name}({self.number(1)})")

    def matching(self, depth: int) -> None:
        self.line(f"match {self.expression(1)}:")
        self.indent += 1
        for pattern in self.random.sample(
            ("0 | 1", "int(d)", "[b, *e]", "str()", "{'k': a}", "(_, _)", "None"), 2
        ):
            self.line(f"case {pattern}:")
            self.block(depth)
        if self.random.random() < 0.5:
            self.line("case _:")
            self.block(depth)
        self.indent -= 1


def program(seed: int) -> str:
    """Return the source of a module whose function ``program`` takes three arguments."""
    writer = _Writer(seed)
    writer.line("d, e = [a, b, 3], [c, 1]")
    while writer.budget > 0:
        writer.statement(0)
    writer.line("return a, b, c, d, e")
    body = "\n".join(writer.lines)
    return (
        f"import contextlib, dataclasses, sys, threading\n{_HELPERS}def program(a, b, c):\n{body}\n"
    )


def arguments(seed: int) -> tuple[object, ...]:
    """Return the arguments that go with `program`."""
    chosen = random.Random(-seed)
    return tuple(chosen.choice((0, 1, 2, 3, 5, 8, -3, 12, 40, 100, 2.5, "ab")) for _ in "abc")
