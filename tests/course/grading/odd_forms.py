"""The forms in which students write one and the same function: the cells of a notebook each."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Callable
from dataclasses import dataclass

from tests.course.grading.in_a_kernel import MODULE


@dataclass(frozen=True)
class Answer:
    """An answer to an exercise: the source of a program that defines its function."""

    name: str
    source: str
    given: tuple[str, ...]  # the names of the parameters

    @property
    def check(self) -> str:
        """The cell that checks it."""
        return f"checked = check({self.name})"

    @property
    def parameters(self) -> str:
        """The parameters as they are written."""
        return ", ".join(self.given)

    @property
    def renamed(self) -> str:
        """The source, with `solution` in place of the exercise's name."""
        return ast.unparse(_Renamed(self.name).visit(ast.parse(self.source))) + "\n"

    @property
    def calls(self) -> str:
        """A function of the exercise's name that calls `solution`."""
        return f"def {self.name}({self.parameters}):\n    return solution({self.parameters})\n"


class _Renamed(ast.NodeTransformer):
    """Calls a function `solution`."""

    def __init__(self, name: str) -> None:
        self._name = name

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.name = "solution" if node.name == self._name else node.name
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.Name:
        node.id = "solution" if node.id == self._name else node.id
        return node


def answer(name: str, source: str) -> Answer:
    """Return the answer that a program is."""
    function = next(
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.FunctionDef) and node.name == name
    )
    return Answer(name, source, tuple(each.arg for each in function.args.args))


Form = Callable[[Answer], list[str]]


def _own_names(a: Answer) -> list[str]:
    names = {name: f"{name}_of_mine" for name in a.given}
    inner = ", ".join(names.values())
    return [a.renamed, f"def {a.name}({inner}):\n    return solution({inner})", a.check]


def _method(a: Answer, decorator: str, first: str, taken: str) -> list[str]:
    parameters = ", ".join(filter(None, (first, a.parameters)))
    body = f"    {decorator}\n    def solve({parameters}):\n        return solution({a.parameters})"
    return [a.renamed, f"class Tools:\n{body}\n\n{a.name} = {taken}.solve", a.check]


def _in_block(a: Answer, head: str, tail: str = "") -> list[str]:
    return [a.renamed, f"{head}\n{textwrap.indent(a.calls, '    ')}{tail}", a.check]


MODULE_OF_HELPERS = f"helpers{MODULE}"
FORMS: dict[str, Form] = {
    "as it is": lambda a: [a.source, a.check],
    "a lambda": lambda a: [
        a.renamed, f"{a.name} = lambda {a.parameters}: solution({a.parameters})", a.check
    ],
    "a partial": lambda a: [
        a.renamed, f"import functools\n{a.name} = functools.partial(solution)", a.check
    ],
    "another name for it": lambda a: [a.renamed, f"{a.name} = solution", a.check],
    "an object that is called": lambda a: [
        a.renamed,
        f"class Solution:\n    def __call__(self, {a.parameters}):\n"
        f"        return solution({a.parameters})\n\n{a.name} = Solution()",
        a.check,
    ],
    "other parameters": _own_names,
    "decorated": lambda a: [
        a.renamed,
        "import functools\n\ndef traced(function):\n    @functools.wraps(function)\n"
        "    def inner(*given, **named):\n        return function(*given, **named)\n"
        f"    return inner\n\n@traced\n{a.calls}",
        a.check,
    ],
    "a static method": lambda a: _method(a, "@staticmethod", "", "Tools"),
    "a class method": lambda a: _method(a, "@classmethod", "cls", "Tools"),
    "a bound method": lambda a: _method(a, "", "self", "Tools()"),
    "a timed cell": lambda a: [f"%%time\n{a.source}", a.check],
    "a cell that captures": lambda a: [f"%%capture printed\n{a.source}", a.check],
    "a written module": lambda a: [
        f"%%writefile {MODULE_OF_HELPERS}.py\n{a.renamed}",
        f"from {MODULE_OF_HELPERS} import solution\n{a.calls}",
        a.check,
    ],
    "a written file that is run": lambda a: [
        f"%%writefile {MODULE_OF_HELPERS}.py\n{a.renamed}",
        f"%run {MODULE_OF_HELPERS}.py",
        a.calls,
        a.check,
    ],
    "a helper that a later cell defines again": lambda a: [
        a.renamed,
        f"def helper({a.parameters}):\n    return solution({a.parameters})",
        f"def {a.name}({a.parameters}):\n    return helper({a.parameters})",
        a.check,
        "def helper(values, x, count):\n    return values",
    ],
    "a constant that a later cell sets again": lambda a: [
        a.renamed,
        f"WHICH = 0\ndef {a.name}({a.parameters}):\n"
        f"    return (solution, len)[WHICH]({a.parameters})",
        a.check,
        "WHICH = 1",
    ],
    "defined again": lambda a: [f"def {a.name}(*given):\n    return 1", a.source, a.check],
    "the stub below it": lambda a: [
        a.source, a.check, f"def {a.name}({a.parameters}):\n    \"\"\"Do it.\"\"\"\n    return None"
    ],
    "in an if": lambda a: _in_block(a, "if len('x') == 1:"),
    "in a try": lambda a: _in_block(a, "try:", "except NameError:\n    pass"),
    "a cell that waits": lambda a: [
        f"import asyncio\nawait asyncio.sleep(0)\n{a.renamed}",
        f"await asyncio.sleep(0)\n{a.calls}",
        a.check,
    ],
    "a star import": lambda a: [
        f"from math import *\n{a.renamed}",
        f"def {a.name}({a.parameters}):\n    floor(1.5)\n    return solution({a.parameters})",
        a.check,
    ],
    "a tuple": lambda a: [a.renamed, f"{a.name}, other = solution, 1", a.check],
    "a walrus": lambda a: [a.renamed, f"print({a.name} := solution)", a.check],
    "a loop binds it": lambda a: [a.renamed, f"for {a.name} in [solution]:\n    pass", a.check],
    "a name of the dictionary": lambda a: [
        a.renamed, f"globals()['{a.name}'] = solution", a.check
    ],
    "executed from a text": lambda a: [a.renamed, f"exec({a.calls!r})", a.check],
    "after a syntax error": lambda a: ["def broken(:\n    pass", a.source, a.check],
    "after a cell that fails": lambda a: ["1 / 0", a.source, a.check],
    "line ends of Windows": lambda a: [a.source.replace("\n", "\r\n"), a.check],
    "blank lines and blanks": lambda a: [
        "\n\n\n" + textwrap.indent(a.renamed, "    ") + "   \n\n", a.calls, a.check
    ],
    "made by a function": lambda a: [
        a.renamed,
        f"def make():\n{textwrap.indent(a.calls, '    ')}    return {a.name}\n\n{a.name} = make()",
        a.check,
    ],
    "it counts its calls": lambda a: [
        a.renamed,
        f"how_often = 0\nseen = []\ndef {a.name}({a.parameters}):\n    global how_often\n"
        f"    how_often += 1\n    seen.append(how_often)\n    return solution({a.parameters})",
        a.check,
    ],
    "annotations of what follows": lambda a: [
        "from __future__ import annotations",
        a.renamed,
        f"def {a.name}({', '.join(f'{name}: Later' for name in a.given)}) -> dict[Later, Never]:\n"
        f"    return solution({a.parameters})",
        a.check,
    ],
    "more parameters than asked for": lambda a: [
        a.renamed,
        f"def {a.name}({a.parameters}, *, verbose=False, **others):\n"
        f"    if verbose:\n        print(others)\n    return solution({a.parameters})",
        a.check,
    ],
    "it prints": lambda a: [
        a.renamed,
        f"def {a.name}({a.parameters}):\n    print('working', {a.given[0]!r})\n"
        f"    return solution({a.parameters})",
        a.check,
    ],
    "a guard of scripts": lambda a: _in_block(a, "if __name__ == '__main__':"),
    "a builtin's name, assigned later": lambda a: [
        a.renamed,
        f"def {a.name}({a.parameters}):\n    assert isinstance(sum([1]), int)\n"
        f"    return solution({a.parameters})",
        a.check,
        "sum = 3\nlist = dict = [1]",
    ],
    "the cells of the notebook around it": lambda a: [
        "import hpml\nimport numpy as np\nimport matplotlib.pyplot as plt\n%matplotlib inline",
        f"#@title A form {{ run: \"auto\" }}\n{a.source}",
        a.check,
        "explanation = None\nexplain(explanation)",
    ],
}  # fmt: skip
