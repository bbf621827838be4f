"""Wrong answers to `max_stack_depth`: each docstring is the diagnosis."""


def depth_at_the_end(instructions):
    """This is the depth at the end. The exercise asks for the largest depth on the way."""
    return sum(effect for effect, _target, _falls_through in instructions)


def goes_round_for_ever(instructions, index=0, depth=0):
    """It follows a loop for ever. The depth before an instruction is known after the first
    visit: remember where you have been."""
    if index >= len(instructions):
        return depth
    effect, target, falls_through = instructions[index]
    deepest = depth = depth + effect
    if target is not None:
        deepest = max(deepest, goes_round_for_ever(instructions, target, depth))
    if falls_through:
        deepest = max(deepest, goes_round_for_ever(instructions, index + 1, depth))
    return max(deepest, 0)


def in_listing_order(instructions):
    """It adds up the effects from top to bottom. After a jump or a return the next line of the
    listing is not the next instruction; follow where execution can go."""
    deepest = depth = 0
    for effect, _target, _falls_through in instructions:
        depth += effect
        deepest = max(deepest, depth)
    return deepest
