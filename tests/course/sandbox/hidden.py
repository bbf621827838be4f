"""Programs whose function `f` measures with `sys.getsizeof`, which it gets in a hidden way."""

from __future__ import annotations

CALL = "def f(n):\n    return {}([257] * n) + 28 * n"


def program(before: str, call: str) -> str:
    return f"{before}\n{CALL.format(call)}"


SPELT = {
    "an item": program("import sys\nd = {}\nd['g'] = sys.getsizeof", "d['g']"),
    "an item below it": CALL.format("d['g']") + "\nimport sys\nd = {}\nd['g'] = sys.getsizeof",
    "an item of an item": program(
        "import sys\nd = {'a': {}}\nd['a']['g'] = sys.getsizeof", "d['a']['g']"
    ),
    "an item by another name": program(
        "import sys\nd = {}\ne = d\ne['g'] = sys.getsizeof", "d['g']"
    ),
    "an item of a part": program(
        "import sys\nd = {'a': []}\ne = d['a']\ne.append(sys.getsizeof)", "d['a'][0]"
    ),
    "append": program("import sys\ntools = []\ntools.append(sys.getsizeof)", "tools[0]"),
    "append, of the class": program(
        "import sys\ntools = []\nlist.append(tools, sys.getsizeof)", "tools[0]"
    ),
    "extend": program("import sys\ntools = []\ntools.extend([sys.getsizeof])", "tools[0]"),
    "a slice": program("import sys\ntools = [1]\ntools[:] = [sys.getsizeof]", "tools[0]"),
    "augmented": program("import sys\ntools = []\ntools += [sys.getsizeof]", "tools[0]"),
    "augmented, an item": program(
        "import sys\nd = {'t': []}\nd['t'] += [sys.getsizeof]", "d['t'][0]"
    ),
    "update": program("import sys\nd = {}\nd.update(g=sys.getsizeof)", "d['g']"),
    "setdefault": program("import sys\nd = {}\nd.setdefault('g', sys.getsizeof)", "d['g']"),
    "a union": program("import sys\nd = {}\nd |= {'g': sys.getsizeof}", "d['g']"),
    "an attribute of a class": program(
        "import sys\nclass T: pass\nT.g = sys.getsizeof", "T.g"
    ),
    "an attribute of an object": program(
        "import sys\nclass T: pass\nt = T()\nt.g = sys.getsizeof", "t.g"
    ),
    "an attribute of the function": program(
        "import sys", "f.g"
    ) + "\nf.g = sys.getsizeof",
    "an attribute of a module": program("import sys, math\nmath.g = sys.getsizeof", "math.g"),
    "setattr": program(
        "import sys\nclass T: pass\nsetattr(T, 'g', sys.getsizeof)", "T.g"
    ),
    "setattr of the function": program("import sys", "f.g")
    + "\nsetattr(f, 'g', sys.getsizeof)",
    "vars": program("import sys\nclass T: pass\nt = T()\nvars(t)['g'] = sys.getsizeof", "t.g"),
    "a namespace": program(
        "import sys, types\nt = types.SimpleNamespace(g=sys.getsizeof)", "t.g"
    ),
    "globals": program("import sys\nglobals()['g'] = sys.getsizeof", "g"),
    "globals, update": program("import sys\nglobals().update(g=sys.getsizeof)", "g"),
    "the builtins": program("import builtins, sys\nbuiltins.g = sys.getsizeof", "g"),
    "the main module": program("import __main__, sys\n__main__.g = sys.getsizeof", "g"),
    "the module of modules": program(
        "import sys\nsys.modules['__main__'].g = sys.getsizeof", "g"
    ),
    "a name that is its own": program("import sys\ngetsizeof = sys.getsizeof", "getsizeof"),
    "a parameter of another": program(
        "from sys import getsizeof\ndef other(getsizeof): pass", "getsizeof"
    ),
    "a default of a lambda": program(
        "import sys\ng = lambda x, size=sys.getsizeof: size(x)", "g"
    ),
    "a default, changed later": program("import sys", "g").replace("(n)", "(n, g=len)")
    + "\nf.__defaults__ = (sys.getsizeof,)",
    "the code of another": "import sys\ndef other(n): return sys.getsizeof([257] * n) + 28 * n\n"
    "def f(n): return 1\nf.__code__ = other.__code__",
    "attrgetter": program("import operator, sys\ng = operator.attrgetter('getsizeof')(sys)", "g"),
    "attrgetter, renamed": program(
        "import sys\nfrom operator import attrgetter as a\ng = a('getsizeof')(sys)", "g"
    ),
    "getattr, renamed": program("import sys\na = getattr\ng = a(sys, 'getsizeof')", "g"),
    "getattr, of a sum": program("import sys\ng = getattr(sys, 'get' + 'sizeof')", "g"),
    "getattr, inside": program("import sys", "getattr(sys, f'getsizeof')"),
    "the dictionary of the module": program("import sys\ng = vars(sys)['getsizeof']", "g"),
    "the dictionary, inside": program("import sys", "sys.__dict__['getsizeof']"),
    "the dictionary, get": program("import sys", "vars(sys).get('getsizeof')"),
    "a decorator": "import sys\ndef given(f): return lambda n: f(n, sys.getsizeof)\n"
    "@given\ndef f(n, g): return g([257] * n) + 28 * n",
    "a decorator with an argument": "import sys\ndef given(g):\n"
    "    return lambda f: (lambda n: f(n, g))\n"
    "@given(sys.getsizeof)\ndef f(n, g): return g([257] * n) + 28 * n",
    "a star import": program("from sys import *", "getsizeof"),
    "a star import, another name": program("from sys import *\ng = getsizeof", "g"),
    "a loop": program("import sys\nfor g in [sys.getsizeof]: pass", "g"),
    "a loop binds an item": program("import sys\nd = {}\nfor d['g'] in [sys.getsizeof]: pass",
                                    "d['g']"),
    "a comprehension binds an item": program(
        "import sys\nd = {}\n[0 for d['g'] in [sys.getsizeof]]", "d['g']"
    ),
    "with": program(
        "import contextlib, sys\nwith contextlib.nullcontext(sys.getsizeof) as g: pass", "g"
    ),
    "match": program("import sys\nmatch [sys.getsizeof]:\n    case [g]: pass", "g"),
    "except": "import sys\nclass E(Exception): pass\ntry:\n    raise E(sys.getsizeof)\n"
    f"except E as e:\n    g = e.args[0]\n{CALL.format('g')}",
    "a class body": program("import sys\nclass T:\n    g = sys.getsizeof", "T.g"),
    "a method": program(
        "import sys\nclass T:\n    def __call__(self, x): return sys.getsizeof(x)\ng = T()", "g"
    ),
    "a dataclass": program(
        "import sys\nfrom dataclasses import dataclass\n@dataclass\nclass T:\n"
        "    g: object = sys.getsizeof\nt = T()", "t.g"
    ),
    "an iterator": program("import sys\ng = iter([sys.getsizeof] * 999)", "next(g)"),
    "a generator": program(
        "import sys\ndef give():\n    while True: yield sys.getsizeof\ng = give()", "next(g)"
    ),
    "a conditional": program("import sys\ng = sys.getsizeof if sys else len", "g"),
    "or": program("import sys\ng = None or sys.getsizeof", "g"),
    "a function fills it": program(
        "import sys\ntools = []\ndef fill(): tools.append(sys.getsizeof)\nfill()", "tools[0]"
    ),
    "a table": "import sys\nt = {}\nfor n in range(99): t[n] = sys.getsizeof([257] * n) + 28 * n\n"
    "def f(n): return t[n]",
    "a table, appended": "import sys\nt = []\n"
    "for n in range(99): t.append(sys.getsizeof([257] * n) + 28 * n)\ndef f(n): return t[n]",
    "executed": program("import sys\nexec('g = sys.getsizeof')", "g"),
    "executed, inside": "import sys\ndef f(n): return eval('sys.getsizeof([257] * n) + 28 * n')",
    "a module of its own": "with open('h_of_this_notebook.py', 'w') as _file:\n"
    "    _file.write('import sys\\ng = sys.getsizeof\\n')\n"
    f"from h_of_this_notebook import g\n{CALL.format('g')}",
    "the method of the object": "def f(n): return ([257] * n).__sizeof__() + 16 + 28 * n",
    "the method of the class": program("g = list.__sizeof__", "16 + g"),
}  # fmt: skip
"""Found in the source."""

HELD = {
    "a function passes it on": program(
        "import sys\ntools = []\ndef put(a, b): a.append(b)\n"
        "def again(a, b): put(a, b)\nagain(tools, sys.getsizeof)",
        "tools[0]",
    ),
    "a function puts it there": program(
        "import sys\ntools = []\ndef put(a): a.append(sys.getsizeof)\nput(tools)", "tools[0]"
    ),
    "a search in the module": program(
        "import sys\ng = [v for k, v in vars(sys).items() if k.startswith('getsize')][0]", "g"
    ),
    "a text from pieces": program("import sys\ng = eval('sys.get%s' % 'sizeof')", "g"),
    "a name from a list": program(
        "import sys\ng = getattr(sys, 'size get of'.split()[1] + 'size' + 'of')", "g"
    ),
    "a builtin under another name": program(
        "import builtins as b, sys\nvars(b)['g'] = getattr(sys, ''.join(['getsize', 'of']))", "g"
    ),
}
"""Found by what the names hold, after the cells have run."""

ALLOWED = {
    "one value": "import sys\nE = sys.getsizeof([])\ndef f(n): return E + 28 * n",
    "one value, an item": "import sys\nd = {}\nd['e'] = sys.getsizeof([])\ndef f(n): return d['e']",
    "a table of its own": "t = {}\nfor n in range(99): t[n] = 56 + 8 * n\ndef f(n): return t[n]",
    "a test beside it": "import sys\ndef f(n): return 56 + n\n"
    "for n in range(9): print(f(n) == sys.getsizeof([0] * n))",
    "a test in a function": "import sys\ndef f(n): return 56 + n\n"
    "def test(f): return f(3) == sys.getsizeof([0] * 3)\ntest(f)",
    "a comparison by a function": "import sys\ndef f(n): return 56 + n\n"
    "def compare(f, g): return f(3) == g([0] * 3)\ncompare(f, sys.getsizeof)",
    "a comparison of a lambda": "import sys\nf = lambda n: 56 + n\n"
    "def compare(f, g): return f(3) == g([0] * 3)\ncompare(f, sys.getsizeof)",
    "a list of results": "import sys\nresults = []\ndef f(n): return 56 + n\n"
    "results.append((f(3), sys.getsizeof([0] * 3)))",
    "a helper of a test": "import sys\nSIZE = 56\ndef f(n): return SIZE + n\n"
    "def real(n): return sys.getsizeof([0] * n)\nprint(max(SIZE, real(3)))",
}


def named(source: str, name: str) -> str:
    """Return a program with the exercise's name for `f`."""
    import re

    return re.sub(r"\bf\b(?=[(.,)]| =)", name, source)
