import collections


def loop_invariant(edges, varying):
    waits = collections.Counter(reader for readers in edges.values() for reader in readers)
    values = frozenset(edges) | frozenset(waits)
    ready = collections.deque(value for value in values if not waits[value])
    varies = set(varying)
    while ready:
        value = ready.popleft()
        for reader in edges.get(value, ()):
            if value in varies:
                varies.add(reader)
            waits[reader] -= 1
            if not waits[reader]:
                ready.append(reader)
    return values - varies
