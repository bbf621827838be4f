"""It stops where the listing is left: a jump is followed as well."""


def max_stack_depth(instructions):
    deepest = depth = 0
    for effect, _target, falls_through in instructions:
        depth += effect
        deepest = max(deepest, depth)
        if not falls_through:
            break
    return deepest
