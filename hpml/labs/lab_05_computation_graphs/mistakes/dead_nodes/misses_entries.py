"""It knows only the nodes that have an entry in `edges`. One that appears only as a target is a
node as well."""


def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    before: dict[str, list[str]] = {name: [] for name in edges}
    for name, targets in edges.items():
        for target in targets:
            before[target].append(name)
    live, waiting = set(outputs), list(outputs)
    while waiting:
        for name in before[waiting.pop()]:
            if name not in live:
                live.add(name)
                waiting.append(name)
    return set(edges) - live
