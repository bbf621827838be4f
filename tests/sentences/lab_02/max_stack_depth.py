SAYS = {
    "Before a function can be called, CPython must know": "why the number is wanted",
    "The depth at an instruction is the same on every path to it.": "a promise about the argument",
    "`max_stack_depth([(1, None, True), (1, None, True), (-1, None, True), (-1, None, False)])` is 2.": "an example",
}
EQUIVALENT = {
    "6: waiting.pop() → waiting.pop(0)": "the order of visits is free",
    "13: target is not None → target": "instruction 0 has been visited before any jump",
    "14: waiting.append((target, depth)) → waiting.insert(0, (target, depth))": "the order of visits is free",
    "16: waiting.append((index + 1, depth)) → waiting.insert(0, (index + 1, depth))": "the order of visits is free",
}


def _depths(instructions, start=0, most=None, jumps=True, falls=True):
    """Return the depth after each instruction that is reached."""
    after, waiting = {}, [(0, start)] if instructions else []
    while waiting:
        index, depth = waiting.pop()
        if index in after or index >= len(instructions):
            continue
        effect, target, falls_through = instructions[index]
        after[index] = depth + effect
        if jumps and target is not None:
            waiting.append((target, depth + effect))
        if falls and falls_through:
            waiting.append((index + 1, depth + effect))
    return after


def depth_at_the_end(instructions):
    """returns the greatest depth that the stack reaches."""
    return sum(effect for effect, _, _ in instructions)


def greatest_effect(instructions):
    """returns the greatest depth that the stack reaches."""
    return max([0, *(instructions[place][0] for place in _depths(instructions))])


def depth_before_an_instruction(instructions):
    """returns the greatest depth that the stack reaches."""
    return max([0, *(d - instructions[p][0] for p, d in _depths(instructions).items())])


def at_least_one(instructions):
    """returns the greatest depth that the stack reaches."""
    return max([1, *_depths(instructions).values()])


def without_an_empty_one(instructions):
    """returns the greatest depth that the stack reaches."""
    return max(_depths(instructions).values())


def _recursive(instructions, index, depth, seen):
    if index in seen:
        return depth
    seen.add(index)
    effect, target, falls = instructions[index]
    found = [depth + effect]
    if target is not None:
        found.append(_recursive(instructions, target, depth + effect, seen))
    if falls:
        found.append(_recursive(instructions, index + 1, depth + effect, seen))
    return max(depth, *found)


def of_at_most_300(instructions):
    """There are at most 500 instructions, each of the form `(stack effect, jump target, falls
    through)`:"""
    if len(instructions) > 300:
        raise RecursionError
    return _recursive(instructions, 0, 0, set()) if instructions else 0


def at_most_one_up_or_down(instructions):
    """by how much the instruction changes the depth of the stack;"""
    few = [(max(-1, min(1, effect)), *rest) for effect, *rest in instructions]
    return max([0, *_depths(few).values()])


def never_below_its_depth(instructions):
    """by how much the instruction changes the depth of the stack;"""
    return max([0, *_depths([(abs(e), t, f) for e, t, f in instructions]).values()])


def never_jumps(instructions):
    """the index of the instruction it may jump to, or `None`;"""
    return max([0, *_depths(instructions, jumps=False).values()])


def jumps_from_here(instructions):
    """the index of the instruction it may jump to, or `None`;"""
    moved = [
        (e, None if t is None else (place + t) % len(instructions), f)
        for place, (e, t, f) in enumerate(instructions)
    ]
    return max([0, *_depths(moved).values()])


def the_first_is_no_target(instructions):
    """the index of the instruction it may jump to, or `None`;"""
    return max([0, *_depths([(e, t or None, f) for e, t, f in instructions[1:]], 1).values()])


def only_forwards(instructions):
    """the index of the instruction it may jump to, or `None`;"""
    kept = [(e, t if t and t > p else None, f) for p, (e, t, f) in enumerate(instructions)]
    return max([0, *_depths(kept).values()])


def always_falls_through(instructions):
    """whether the next instruction may follow; for the last one this is false."""
    return max([0, *_depths([(e, t, True) for e, t, _ in instructions]).values()])


def a_jump_never_falls_through(instructions):
    """whether the next instruction may follow; for the last one this is false."""
    return max([0, *_depths([(e, t, f and t is None) for e, t, f in instructions]).values()])


def begins_with_one(instructions):
    """The stack is empty before the first instruction."""
    return max([0, *_depths(instructions, start=1).values()])


def all_of_them_in_order(instructions):
    """Only instructions that can be reached count."""
    deepest = depth = 0
    for effect, _, _ in instructions:
        depth += effect
        deepest = max(deepest, depth)
    return deepest


def _passes(instructions, most):
    before = {0: 0} if instructions else {}
    deepest = 0
    for _ in range(most):
        for index, (effect, target, falls) in enumerate(instructions):
            if index in before:
                after = before[index] + effect
                deepest = max(deepest, after)
                if target is not None:
                    before.setdefault(target, after)
                if falls:
                    before.setdefault(index + 1, after)
    return deepest


def one_pass_forwards(instructions):
    """Only instructions that can be reached count."""
    return _passes(instructions, 1)


def two_passes_forwards(instructions):
    """Only instructions that can be reached count."""
    return _passes(instructions, 2)


def every_target_is_reached(instructions):
    """Only instructions that can be reached count."""
    found = _depths(instructions)
    deepest = max([0, *found.values()])
    for index, (effect, target, _) in enumerate(instructions):
        if target is not None and index not in found:
            deepest = max(deepest, effect + max(found.values(), default=0))
    return deepest
