"""Branches, loops, comprehensions and imports."""

from __future__ import annotations

counter = 0


def for_with_else():
    found = []
    for n in range(2, 20):
        for d in range(2, n):
            if n % d == 0:
                break
        else:
            found.append(n)
    return found


def while_nothing_is_found():
    values = iter([None, None, 3])
    found, tries = None, 0
    while found is None:
        found = next(values)
        tries += 1
    while found is not None:
        found = None if found == 0 else found - 1
    return found, tries


def comprehension_with_closures():
    fs = [lambda: (x, y) for x in range(2) for y in "ab"]
    return [f() for f in fs], (lambda z: [z + i for i in range(3)])(10)


def looks_at_its_variables():
    a = 1
    b = [a]

    def inner():
        return b

    here = sorted(locals())
    return here, sorted(vars()), sorted(dir()), "counter" in globals(), inner() is b


def imports():
    import json.decoder
    import os.path as path
    from collections import OrderedDict
    from collections import deque as queue
    from math import pi

    return json.decoder.__name__, path.basename("a/b"), OrderedDict(a=1), queue([1]), pi


def import_of_a_missing_module():
    import surely_not_there_at_all


def loops_over_every_kind_of_sequence():
    growing, seen = [1, 2], []
    for item in growing:
        seen.append(item)
        if len(growing) < 5:
            growing.append(item + 2)
    for things in ("añ𝄞", b"ab", (1, 2), range(2), {3: 4}, {5}, bytearray(b"c")):
        for item in things:
            seen.append(item)
        for item in things:
            seen.append(item)
            break
    shrinking = [1, 2, 3]
    for item in shrinking:
        shrinking.pop()
    return seen, shrinking, [c for c in "xy"], list(letters("abc"))


def letters(text):
    yield from text
    received = yield from [1, (2, 3)]
    yield received


def short_forms():
    names = {word: len(word) for word in ("a", "bc", "")}
    counted = 0
    while not counted > 2:
        counted += 1
    chosen = [name for name in names if not name]
    return names, counted, chosen, [name or "empty" for name in names], [n and 1 for n in names]
