"""It knows only the nodes that have an entry in `edges`. One that appears only as a target is a
node as well."""


def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    live, changed = set(outputs), True
    while changed:
        changed = False
        for name, targets in edges.items():
            if name not in live and live.intersection(targets):
                live.add(name)
                changed = True
    return {name for name in edges if name not in live}
