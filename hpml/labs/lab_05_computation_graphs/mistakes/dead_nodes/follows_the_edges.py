"""It starts at the outputs and goes the way of the edges, to what follows an output. What an
output needs stands before it."""


def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    live, waiting = set(outputs), list(outputs)
    while waiting:
        for target in edges.get(waiting.pop(), []):
            if target not in live:
                live.add(target)
                waiting.append(target)
    return set(edges).union(*edges.values()) - live
