"""``match`` with all patterns."""

from __future__ import annotations

import collections
import dataclasses


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Named:
    __match_args__ = ("name",)

    def __init__(self, name):
        self.name = name


class Colour:
    RED = "red"


def literals():
    def f(v):
        match v:
            case 0:
                return "zero"
            case -1 | 1:
                return "one"
            case "a" | "b":
                return "letter"
            case None:
                return "none"
            case True:
                return "true"
            case 2.5 | 1 + 2j:
                return "number"
            case b"x":
                return "bytes"
            case Colour.RED:
                return "red"
            case _:
                return "other"

    return [f(v) for v in (0, 1, -1, "b", None, True, 2.5, 1 + 2j, b"x", "red", "z")]


def sequences():
    def f(v):
        match v:
            case []:
                return "empty"
            case [x]:
                return ("one", x)
            case [1, 2, *rest]:
                return ("from 1, 2", rest)
            case (first, *_, last) if first == last:
                return ("same ends", first)
            case [[a, b], c]:
                return ("nested", a, b, c)
            case [*init, 9]:
                return ("to 9", init)
            case [_, _]:
                return "two"
            case x:
                return ("else", x)

    return [
        f(v)
        for v in ([], [5], (1, 2, 3, 4), [7, 1, 7], [[1, 2], 3], [3, 4, 9], (3, 4), "ab", range(1))
    ]


def mappings():
    def f(v):
        match v:
            case {"kind": "circle", "r": r}:
                return ("circle", r)
            case {"kind": kind, **rest}:
                return (kind, rest)
            case {1: [a, _], "x": {"y": y}}:
                return (a, y)
            case {}:
                return "some mapping"
            case _:
                return "no mapping"

    return [
        f(v)
        for v in (
            {"kind": "circle", "r": 2, "z": 0},
            {"kind": "box", "w": 1},
            {1: [2, 3], "x": {"y": 4}},
            {"other": 1},
            collections.OrderedDict(),
            [1],
        )
    ]


def classes():
    def f(v):
        match v:
            case Point(0, y):
                return ("on y", y)
            case Point(x=px, y=0):
                return ("on x", px)
            case Point(x, y) if x == y:
                return ("diagonal", x)
            case Point():
                return "point"
            case Named("Ada"):
                return "Ada"
            case Named(name=str(n)):
                return ("named", n)
            case int(n) | float(n):
                return ("number", n)
            case str() as text:
                return ("text", text)
            case list([a, b]):
                return ("pair", a, b)
            case {"p": Point(x=1)}:
                return "mapping of a point"
            case _:
                return "other"

    return [
        f(v)
        for v in (
            Point(0, 5),
            Point(3, 0),
            Point(2, 2),
            Point(1, 2),
            Named("Ada"),
            Named("Bo"),
            Named(3),
            4,
            2.5,
            "s",
            [1, 2],
            {"p": Point(1, 1)},
            None,
        )
    ]


def too_many_positional_patterns():
    match Point(1, 2):
        case Point(1, 2, 3):
            return "never"


def pattern_is_no_class():
    kind = 3
    match 1:
        case kind():
            return "never"
