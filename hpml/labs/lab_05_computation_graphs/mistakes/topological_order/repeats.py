"""A node that can be reached in more than one way is written down more than once."""


def topological_order(edges: dict[str, list[str]]) -> list[str]:
    nodes = set(edges).union(*edges.values())
    targets = set().union(*edges.values())
    order = [name for name in edges if name not in targets]
    for name in order:
        order.extend(edges.get(name, []))
        if len(order) > 500_000:
            raise ValueError("the graph has a cycle")
    if set(order) != nodes:
        raise ValueError("the graph has a cycle")
    return order
