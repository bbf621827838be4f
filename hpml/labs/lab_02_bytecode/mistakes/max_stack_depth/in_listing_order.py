"""It adds up the effects from top to bottom. After a jump or a return the next line of the
listing is not the next instruction; follow where execution can go."""


def max_stack_depth(instructions):
    deepest = depth = 0
    for effect, _target, _falls_through in instructions:
        depth += effect
        deepest = max(deepest, depth)
    return deepest
