def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    nodes = set(edges).union(*edges.values())
    return {name for name in nodes if not edges.get(name) and name not in outputs}
