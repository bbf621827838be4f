"""Functions of the standard library that are written in Python, on inputs of their own kind.

Where a C version usually hides the Python one, the Python one is imported without it.
"""

from __future__ import annotations

import difflib
import fractions
import importlib.util
import json
import json.decoder
import json.scanner
import statistics
import sys
import textwrap
from types import FunctionType, ModuleType

from tests.bytecode import library_tools

_TEXT = """The quick brown fox jumps over the lazy dog.
    It had been raining for several days, and the ground was soft.
Every word counts:   spaces    too."""


def _without(accelerator: str, name: str) -> ModuleType:
    """Import the module `name` anew while the C module `accelerator` cannot be imported."""
    missing = object()
    before = sys.modules.get(accelerator, missing)
    sys.modules[accelerator] = None  # type: ignore[assignment]
    try:
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        if before is missing:
            del sys.modules[accelerator]
        else:
            sys.modules[accelerator] = before  # type: ignore[assignment]
    return module


heapq = _without("_heapq", "heapq")
bisect = _without("_bisect", "bisect")


def statistics_of_numbers():
    data = [3, 1.5, 4, 1, 5, 9.25, 2, 6]
    return (
        statistics.mean(data),
        statistics.fmean(data),
        statistics.median(data),
        statistics.stdev(data),
        statistics.pvariance([fractions.Fraction(1, 3), fractions.Fraction(2, 3)]),
        statistics.quantiles(data, n=5),
        statistics.mode("aabbb"),
        statistics.multimode("aabbc"),
        statistics.harmonic_mean([40, 60]),
        statistics.geometric_mean([54, 24, 36]),
        statistics.linear_regression([1, 2, 3], [2, 4, 7]),
        statistics.correlation([1, 2, 3, 4], [1, 3, 2, 5]),
        statistics.NormalDist(100, 15).cdf(110),
    )


def statistics_of_nothing():
    return statistics.mean([])


def heaps():
    heap: list[int] = []
    for number in (5, 1, 8, 3, 9, 2, 7):
        heapq.heappush(heap, number)
    first = [heapq.heappop(heap) for _ in range(3)]
    other = [9, 4, 7, 1, 0]
    heapq.heapify(other)
    replaced = heapq.heapreplace(other, 5), heapq.heappushpop(other, 2)
    return (
        first,
        heap,
        other,
        replaced,
        heapq.nlargest(3, [1, 9, 3, 7], key=lambda n: -n),
        heapq.nsmallest(2, "hello"),
        list(heapq.merge([1, 4, 6], [2, 3, 7], [0, 9], reverse=False)),
        list(heapq.merge(["aaa", "c"], ["bb"], key=len, reverse=True)),
    )


def bisection():
    data = [1, 3, 3, 5, 8]
    bisect.insort(data, 4)
    bisect.insort_left(data, 3)
    return (
        data,
        bisect.bisect_left(data, 3),
        bisect.bisect_right(data, 3),
        bisect.bisect(["a", "bb", "dddd"], 3, key=len),
    )


def _decoder() -> json.JSONDecoder:
    decoder = json.JSONDecoder()
    decoder.parse_string = json.decoder.py_scanstring
    decoder.scan_once = json.scanner.py_make_scanner(decoder)
    return decoder


def json_decoding():
    text = '{"a": [1, -2.5e3, true, null, "\\u00e9\\n\\ud83d\\ude00"], "b": {"c": {}}, "d": []}'
    return _decoder().decode(text), _decoder().raw_decode("[1, 2] and more")


def json_decoding_of_broken_text():
    errors = []
    for text in ('{"a": 1,}', "[1, 2", '"\\x"', '{"a" 1}', "nul", '"open', "[1] 2", "[1,,2]"):
        try:
            _decoder().decode(text)
        except json.JSONDecodeError as error:
            errors.append((str(error), error.pos, error.lineno, error.colno))
    return errors


def json_decoding_that_fails():
    return _decoder().decode('{"a": [1, 2, }')


def json_encoding():
    value = {"a": [1, 2.5, None, True, "é\n"], "b": {"c": ()}, 3: "x"}
    return json.dumps(value, indent=2, sort_keys=False), json.dumps(value, ensure_ascii=False)


def text_wrapping():
    return (
        textwrap.wrap(_TEXT, width=30),
        textwrap.fill(_TEXT, width=40, initial_indent="* ", subsequent_indent="  "),
        textwrap.dedent("    a\n      b\n    c\n"),
        textwrap.shorten(_TEXT, width=50, placeholder="..."),
        textwrap.indent("a\n\nb", "> "),
        textwrap.wrap("averyveryverylongword-that-breaks", width=8, break_on_hyphens=True),
    )


def fractions_of_numbers():
    a, b = fractions.Fraction(3, 4), fractions.Fraction("-5/6")
    return (
        a + b,
        a - b,
        a * b,
        a / b,
        a // b,
        a % b,
        a**3,
        a**-2,
        -a,
        abs(b),
        a < b,
        a == 0.75,
        fractions.Fraction(0.125),
        fractions.Fraction("1.25e2"),
        a.limit_denominator(3),
        fractions.Fraction(3.14159).limit_denominator(100),
        round(fractions.Fraction(7, 2)),
        float(a),
        int(b),
        hash(a) == hash(0.75),
        str(a),
        repr(b),
        fractions.Fraction.from_float(0.5),
    )


def fraction_of_nonsense():
    return fractions.Fraction("one half")


def differences_of_texts():
    old = ["one\n", "two\n", "three\n", "four\n", "five\n"]
    new = ["one\n", "2\n", "three\n", "4our\n", "five\n", "six\n"]
    matcher = difflib.SequenceMatcher(None, "private volatile", "privately volcanic")
    return (
        list(difflib.unified_diff(old, new, "old", "new", n=1)),
        list(difflib.context_diff(old, new, n=1)),
        list(difflib.ndiff(old, new)),
        matcher.ratio(),
        matcher.get_matching_blocks(),
        matcher.get_opcodes(),
        difflib.get_close_matches("appel", ["ape", "apple", "peach", "puppy"]),
    )


CASES = {
    f"{module.__name__.rpartition('.')[2]}.{name}": function
    for module in (sys.modules[__name__], library_tools)
    for name, function in list(vars(module).items())
    if isinstance(function, FunctionType)
    and not name.startswith("_")
    and function.__module__ == module.__name__
}
