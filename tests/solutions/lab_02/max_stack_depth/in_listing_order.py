def max_stack_depth(instructions):
    deepest = depth = 0
    for effect, _target, _falls_through in instructions:
        depth += effect
        deepest = max(deepest, depth)
    return deepest
