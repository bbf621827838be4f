"""Functions as text, with their first version: 3.11 cannot read them, or 3.14 warns about them."""

from __future__ import annotations

FUNCTIONS = [
    (
        (3, 12),
        """
def generic_function():
    def first[T](values: list[T], default: T | None = None) -> T:
        return values[0] if values else default
    return first([1, 2]), first([], 3), [t.__name__ for t in first.__type_params__]
""",
    ),
    (
        (3, 12),
        """
def comprehension_inside_a_class_body():
    class Body:
        n = 3
        values = [i * 2 for i in range(n)]
        names = {k: v for k, v in zip("ab", values)}
        nested = [[j for j in range(i)] for i in values[:2]]
    return Body.values, Body.names, Body.nested, hasattr(Body, "i")
""",
    ),
    (
        (3, 12),
        """
def inlined_comprehension_shares_a_slot_with_a_free_variable():
    x = "outer"
    def inner():
        before = [x for x in range(2)]
        make = [lambda: x for x in range(2)]
        return x, before, [f() for f in make], {x: x for x in "ab"}
    return inner(), x
""",
    ),
    (
        (3, 11),
        """
def executed_text_without_the_future():
    import dataclasses, inspect
    space = {}
    exec("def f(a: int) -> str: pass", space)
    A = dataclasses.make_dataclass("A", [("x", int)])
    return space["f"].__annotations__, str(inspect.signature(A)), A.__doc__
""",
    ),
    (
        (3, 14),
        """
def annotations_are_computed_when_asked_for():
    def f(a: later, *b: int, c: "text" = 1) -> {a for a in "ab"}: return a
    try:
        f.__annotations__
    except NameError as error:
        print(error, error.name)
    later = float
    return f.__annotations__, f(3), f.__defaults__, f.__kwdefaults__
""",
    ),
    (
        (3, 14),
        """
def annotations_of_a_class():
    import annotationlib
    flag = True
    class A:
        x: int = 1
        if flag:
            y: missing
        else:
            z: str
        def f(self) -> A: pass
    found = annotationlib.get_annotations(A, format=annotationlib.Format.FORWARDREF)
    text = annotationlib.get_annotations(A, format=annotationlib.Format.STRING)
    return sorted(found), text, A.f.__annotations__["return"] is A, A.x
""",
    ),
    (
        (3, 14),
        """
def annotations_with_a_closure_and_defaults():
    def make(kind):
        seen = []
        def f(a: kind, b=seen, *, c: kind = None) -> list[kind]:
            seen.append(a)
            return kind, b
        return f
    f = make(int)
    return f(2), f.__annotations__, [cell.cell_contents for cell in f.__closure__]
""",
    ),
    (
        (3, 11),
        """
def finally_overrides_the_return():
    try:
        return "try"
    finally:
        return "finally"
""",
    ),
    (
        (3, 11),
        """
def finally_swallows_an_exception():
    for _ in range(2):
        try:
            raise ValueError("lost")
        finally:
            break
    return "went on"
""",
    ),
    (
        (3, 14),
        """
def several_exceptions_without_parentheses():
    try:
        {}["a"]
    except KeyError, ValueError:
        return "caught"
""",
    ),
    (
        (3, 14),
        """
def builtins_that_the_compiler_knows():
    numbers = [1, 0, 2]
    def shadowed(all): return all(n for n in numbers)
    return (all(n for n in numbers), any(n > 1 for n in numbers), tuple(n * n for n in numbers),
            shadowed(list))
""",
    ),
    (
        (3, 14),
        """
def with_without_its_methods():
    class Half:
        def __exit__(self, *_): print("left")
    class Later:
        async def __aenter__(self): ...
        async def __aexit__(self, *_): ...
    said = []
    for manager in (3, Half(), Later()):
        try:
            with manager: print("inside")
        except TypeError as error:
            said.append(str(error))
    return said
""",
    ),
    (
        (3, 14),
        """
def annotations_that_the_program_computes():
    class Point:
        x: int
        y: list[int]
    return Point.__annotate__(1)
""",
    ),
    (
        (3, 15),
        """
lazy import json
lazy from os import path as place

def names_that_are_imported_when_they_are_read():
    return json.dumps([1]), place.basename("a/b"), json.__name__
""",
    ),
]
