def max_stack_depth(instructions):
    return sum(effect for effect, _target, _falls_through in instructions)
