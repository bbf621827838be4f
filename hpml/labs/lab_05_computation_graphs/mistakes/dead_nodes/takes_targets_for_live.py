"""It knows only the nodes that have an entry in `edges`. One that appears only as a target is a
node as well."""


def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    dead: set[str] = set()
    for _ in edges:
        dead |= {name for name in edges if name not in outputs and dead.issuperset(edges[name])}
    return dead
