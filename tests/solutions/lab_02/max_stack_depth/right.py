def max_stack_depth(instructions):
    deepest = 0
    seen = set()
    waiting = [(0, 0)] if instructions else []
    while waiting:
        index, depth = waiting.pop()
        if index in seen:
            continue
        seen.add(index)
        effect, target, falls_through = instructions[index]
        depth += effect
        deepest = max(deepest, depth)
        if target is not None:
            waiting.append((target, depth))
        if falls_through:
            waiting.append((index + 1, depth))
    return deepest
