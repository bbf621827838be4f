"""Branches, loops, comprehensions and imports."""

from __future__ import annotations

counter = 0


def while_with_else():
    n, log = 5, []
    while n:
        n -= 1
        if n == 3:
            continue
        log.append(n)
    else:
        log.append("else")
    while True:
        if len(log) > 6:
            break
        log.append("more")
    else:
        log.append("never")
    return log


def for_with_else():
    found = []
    for n in range(2, 20):
        for d in range(2, n):
            if n % d == 0:
                break
        else:
            found.append(n)
    return found


def dictionary_that_changes_size():
    d = {1: 1}
    for k in d:
        d[k + 1] = k
    return d


def old_sequence_protocol():
    class Squares:
        def __getitem__(self, i):
            if i > 3:
                raise IndexError
            return i * i

    return list(Squares()), [x for x in Squares()], 4 in Squares(), max(*Squares())


def comprehensions():
    n = 3
    a = [i * n for i in range(5) if i % 2]
    b = {i: i**2 for i in range(4)}
    c = {c.lower() for c in "AbaB"}
    d = [(x, y) for x in range(3) for y in range(x) if (x + y) % 2]
    e = [[i * j for j in range(3)] for i in range(3)]
    f = [w for w in (v * 2 for v in range(3))]
    g = {k: [v for v in range(k)] for k in range(3)}
    return a, b, sorted(c), d, e, f, g


def comprehension_hides_its_variable():
    x = "outer"
    inner = [x for x in range(3)]
    return x, inner


def comprehension_with_walrus():
    found = [last := n for n in range(5) if n % 2]
    any_big = any((hit := n) > 2 for n in range(5))
    return found, last, any_big, hit


def comprehension_with_closures():
    fs = [lambda: (x, y) for x in range(2) for y in "ab"]
    return [f() for f in fs], (lambda z: [z + i for i in range(3)])(10)


def comprehension_that_raises():
    x = "kept"
    try:
        return [10 // x for x in (2, 0)]
    except ZeroDivisionError:
        return x


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


def import_of_a_submodule():
    from importlib import machinery, util

    return machinery.__name__, util.__name__


def while_nothing_is_found():
    values = iter([None, None, 3])
    found, tries = None, 0
    while found is None:
        found = next(values)
        tries += 1
    while found is not None:
        found = None if found == 0 else found - 1
    return found, tries
