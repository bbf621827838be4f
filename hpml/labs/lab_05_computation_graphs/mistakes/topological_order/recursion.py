"""It is right while the graph is shallow and has no cycle: a function that calls itself for each
target meets Python's recursion limit, in a cycle always. Keep the nodes that wait in a list of
your own, and notice a cycle, or the list never gets empty."""


def topological_order(edges: dict[str, list[str]]) -> list[str]:
    order, done, above = [], set(), set()

    def visit(name):
        if name in above:
            raise ValueError("the graph has a cycle")
        if name in done:
            return
        above.add(name)
        for target in edges.get(name, []):
            visit(target)
        above.remove(name)
        done.add(name)
        order.append(name)

    for name in edges:
        visit(name)
    return list(reversed(order))
