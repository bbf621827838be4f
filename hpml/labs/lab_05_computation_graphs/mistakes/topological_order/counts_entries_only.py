"""It notices a cycle by too few nodes, but compares with the number of entries in `edges`. Nodes that
are only targets stand in the order as well, and make up for those that are missing.
"""


def topological_order(edges: dict[str, list[str]]) -> list[str]:
    waits = dict.fromkeys(edges, 0)
    for targets in edges.values():
        for target in targets:
            waits[target] = waits.get(target, 0) + 1
    order = [name for name, count in waits.items() if count == 0]
    for name in order:
        for target in edges.get(name, []):
            waits[target] -= 1
            if waits[target] == 0:
                order.append(target)
    if len(order) < len(edges):
        raise ValueError("a cycle")
    return order
