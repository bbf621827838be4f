"""Those are the nodes that an output needs. The others are dead."""


def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    live, size = set(outputs), -1
    while len(live) > size:
        size = len(live)
        for name in edges:
            if any(target in live for target in edges[name]):
                live.add(name)
    return live
