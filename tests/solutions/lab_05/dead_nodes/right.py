def dead_nodes(edges: dict[str, list[str]], outputs: list[str]) -> set[str]:
    before = {name: [] for name in edges}
    for name, targets in edges.items():
        for target in targets:
            before.setdefault(target, []).append(name)
    live, waiting = set(outputs), list(outputs)
    while waiting:
        for name in before.get(waiting.pop(), []):
            if name not in live:
                live.add(name)
                waiting.append(name)
    return set(before) - live
