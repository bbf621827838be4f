"""It follows a loop round and round. The depth before an instruction is known after the first
visit: remember where you have been."""


def max_stack_depth(instructions, index=0, depth=0):
    if index >= len(instructions):
        return depth
    effect, target, falls_through = instructions[index]
    deepest = depth = depth + effect
    if target is not None:
        deepest = max(deepest, max_stack_depth(instructions, target, depth))
    if falls_through:
        deepest = max(deepest, max_stack_depth(instructions, index + 1, depth))
    return max(deepest, 0)
