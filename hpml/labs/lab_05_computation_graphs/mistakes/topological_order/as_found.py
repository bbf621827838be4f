"""It writes nodes down in the order in which a search finds them. A node found early may still
have another node before it: when is it certain that none is left?"""

from collections import deque


def topological_order(edges: dict[str, list[str]]) -> list[str]:
    targets = {target for few in edges.values() for target in few}
    waiting = deque(name for name in edges if name not in targets)
    seen, order = set(waiting), []
    while waiting:
        name = waiting.popleft()
        order.append(name)
        for target in edges.get(name, []):
            if target not in seen:
                seen.add(target)
                waiting.append(target)
    return order
