"""It counts how many nodes a target waits for, but counts down once for each time that the target
is listed. A target that is listed twice is then let in too early.
"""


def topological_order(edges: dict[str, list[str]]) -> list[str]:
    waits = dict.fromkeys(edges, 0)
    for targets in edges.values():
        for target in set(targets):
            waits[target] = waits.get(target, 0) + 1
    ready = [name for name, count in waits.items() if count == 0]
    order = []
    while ready:
        name = ready.pop(0)
        order.append(name)
        for target in edges.get(name, []):
            waits[target] -= 1
            if waits[target] == 0:
                ready.append(target)
    if len(order) < len(waits):
        raise ValueError("a cycle")
    return order
