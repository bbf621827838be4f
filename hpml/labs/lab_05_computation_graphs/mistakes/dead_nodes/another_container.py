"""The nodes are the right ones; the result must be a `set`."""


def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    nodes = list(dict.fromkeys([*edges, *(t for targets in edges.values() for t in targets)]))
    live = set(outputs)
    while True:
        new = {name for name in nodes if live & set(edges.get(name, []))} - live
        if not new:
            return [name for name in nodes if name not in live]
        live |= new
