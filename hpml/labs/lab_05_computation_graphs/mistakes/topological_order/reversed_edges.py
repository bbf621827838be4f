"""The order is right for the edges turned around: here `edges['a'] == ['b']` means that `a` comes
first."""


def topological_order(edges: dict[str, list[str]]) -> list[str]:
    back = {name: [] for name in edges}
    for name, targets in edges.items():
        for target in targets:
            back.setdefault(target, []).append(name)
    waits = dict.fromkeys(back, 0)
    for targets in back.values():
        for target in targets:
            waits[target] += 1
    order = [name for name, count in waits.items() if count == 0]
    for name in order:
        for target in back[name]:
            waits[target] -= 1
            if waits[target] == 0:
                order.append(target)
    if len(order) < len(waits):
        raise ValueError("the graph has a cycle")
    return order
