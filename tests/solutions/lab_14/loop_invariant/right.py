def loop_invariant(edges: dict[str, list[str]], varying: list[str]) -> set[str]:
    reached, waiting = set(varying), list(varying)
    while waiting:
        for target in edges.get(waiting.pop(), []):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return set(edges).union(*edges.values()) - reached
