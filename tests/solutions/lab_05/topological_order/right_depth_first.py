def topological_order(edges: dict[str, list[str]]) -> list[str]:
    done, open_, order = set(), set(), []
    for start in edges:
        stack = [(start, iter(edges[start]))] if start not in done else []
        open_.update(name for name, _ in stack)
        while stack:
            name, targets = stack[-1]
            for target in targets:
                if target in open_:
                    raise ValueError(f"a cycle through {target}")
                if target not in done:
                    open_.add(target)
                    stack.append((target, iter(edges.get(target, ()))))
                    break
            else:
                stack.pop()
                open_.discard(name)
                done.add(name)
                order.append(name)
    return order[::-1]
