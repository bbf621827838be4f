def max_stack_depth(instructions):
    seen = {}

    def visit(index, depth):
        if index in seen:
            return
        effect, target, falls_through = instructions[index]
        seen[index] = depth + effect
        if target is not None:
            visit(target, depth + effect)
        if falls_through:
            visit(index + 1, depth + effect)

    if instructions:
        visit(0, 0)
    return max(seen.values(), default=0) if max(seen.values(), default=0) > 0 else 0
