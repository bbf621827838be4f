SAYS: dict[str, str] = {
    "Write `saved_bytes_of(operations)`.": "the name and the parameter, as in the stub",
    'For `[("a", "add", ["x", 3])': "an example: a product is a case",
}


def _saved(
    operations,
    *,
    result=("reciprocal", "relu", "exp"),
    first=("clamp", "hardswish", "where"),
    needs=("x",),
    without=("less",),
    both=False,
    own=False,
    every=False,
    any_operand=True,
):
    needs, saved = {*needs}, []
    for name, operation, operands in operations:
        read = operands if any_operand else operands[:1]
        if operation in without or not (every or needs.intersection(read)):
            continue
        needs.add(name)
        if operation == "mul":
            one, other = operands
            saved += [other] * (both or (other if own else one) in needs)
            saved += [one] * (both or (one if own else other) in needs)
        elif operation in result:
            saved.append(name)
        elif operation in first:
            saved.append(operands[0])
    return saved


def _bytes(operations, saved, four=4, one=1):
    size = {"x": four}
    size |= {name: one if operation == "less" else four for name, operation, _ in operations}
    return sum(size.get(name, 0) for name in saved)


def every_result(operations):
    """It returns how many bytes are saved per number of `x`."""
    return _bytes(operations, {name for name, _, _ in operations})


def numbers_saved(operations):
    """It returns how many bytes are saved per number of `x`."""
    return len({name for name in _saved(operations) if isinstance(name, str)})


def bits(operations):
    """It returns how many bytes are saved per number of `x`."""
    return 8 * _bytes(operations, {*_saved(operations)})


def a_float(operations):
    """It returns how many bytes are saved per number of `x`."""
    return float(_bytes(operations, {*_saved(operations)}))


def reciprocal_saves_its_input(operations):
    """It returns how many bytes are saved per number of `x`."""
    saved = _saved(operations, result=("relu", "exp"), first=("clamp", "hardswish", "where",
                                                              "reciprocal"))  # fmt: skip
    return _bytes(operations, {*saved})


def relu_saves_its_input(operations):
    """It returns how many bytes are saved per number of `x`."""
    saved = _saved(operations, result=("reciprocal", "exp"), first=("clamp", "hardswish", "where",
                                                                    "relu"))  # fmt: skip
    return _bytes(operations, {*saved})


def exp_saves_its_input(operations):
    """It returns how many bytes are saved per number of `x`."""
    saved = _saved(operations, result=("reciprocal", "relu"), first=("clamp", "hardswish", "where",
                                                                     "exp"))  # fmt: skip
    return _bytes(operations, {*saved})


def clamp_saves_its_result(operations):
    """It returns how many bytes are saved per number of `x`."""
    saved = _saved(operations, result=("reciprocal", "relu", "exp", "clamp"))
    return _bytes(operations, {*saved})


def hardswish_saves_its_result(operations):
    """It returns how many bytes are saved per number of `x`."""
    saved = _saved(operations, result=("reciprocal", "relu", "exp", "hardswish"))
    return _bytes(operations, {*saved})


def where_saves_nothing(operations):
    """It returns how many bytes are saved per number of `x`."""
    return _bytes(operations, {*_saved(operations, first=("clamp", "hardswish"))})


def where_saves_both_branches(operations):
    """It returns how many bytes are saved per number of `x`."""
    saved = {*_saved(operations)}
    for _, operation, operands in operations:
        if operation == "where":
            saved |= {each for each in operands[1:] if isinstance(each, str)}
    return _bytes(operations, saved)


def sums_save_their_operands(operations):
    """It returns how many bytes are saved per number of `x`."""
    saved = {*_saved(operations)}
    for _, operation, operands in operations:
        saved |= {each for each in operands if operation == "add" and isinstance(each, str)}
    return _bytes(operations, saved)


def own_factor(operations):
    """It returns how many bytes are saved per number of `x`."""
    return _bytes(operations, {*_saved(operations, own=True)})


def both_factors(operations):
    """It returns how many bytes are saved per number of `x`."""
    return _bytes(operations, {*_saved(operations, both=True)})


def numbers_are_saved(operations):
    """its own name, and its operands: names or numbers"""
    saved = {*_saved(operations)}
    return _bytes(operations, saved) + 4 * sum(not isinstance(each, str) for each in saved)


def numbers_stand_second(operations):
    """its own name, and its operands: names or numbers"""
    found = 0
    for _, operation, operands in operations:
        if operation == "mul" and not isinstance(operands[0], str):
            found += 4
    return _bytes(operations, {*_saved(operations)}) + found


def two_operands(operations):
    """its own name, and its operands: names or numbers"""
    cut = [(name, operation, operands[:2]) for name, operation, operands in operations]
    return _bytes(operations, {*_saved(cut)})


def names_begin_with_what_they_are(operations):
    """its own name, and its operands: names or numbers"""
    cut = {name: name[0] if name not in ("x", "low", "high") else name for name, _, _ in operations}
    short = [
        (cut[name], kind, [cut.get(each, each) for each in operands])
        for name, kind, operands in operations
    ]
    return _bytes(short, {*_saved(short)})


def names_are_operations(operations):
    """An operation is a tuple of its result's name, its own name, and its operands"""
    kinds = ("mul", "less", "exp")
    saved = {each for each in _saved(operations) if each not in kinds}
    return _bytes(operations, saved)


def one_operation_at_least(operations):
    """An operation is a tuple of its result's name, its own name, and its operands"""
    assert operations[0]
    return _bytes(operations, {*_saved(operations)})


def the_last_operations_only(operations):
    """An operation is a tuple of its result's name, its own name, and its operands"""
    return _bytes(
        operations,
        {*_saved(operations)} & {*operations[-1][2], operations[-1][0]} if operations else (),
    )


def uses_the_list_up(operations):
    """An operation is a tuple of its result's name, its own name, and its operands"""
    found = _bytes(operations, {*_saved(operations)})
    operations.clear()
    return found


def x_is_always_saved(operations):
    """Only `x` exists at the start, and it needs a gradient."""
    return _bytes(operations, {*_saved(operations), "x"})


def x_is_in_memory_anyway(operations):
    """Only `x` exists at the start, and it needs a gradient."""
    return _bytes(operations, {*_saved(operations)} - {"x"})


def x_needs_no_gradient(operations):
    """Only `x` exists at the start, and it needs a gradient."""
    return _bytes(operations, {*_saved(operations, needs=())})


def choices_need_a_gradient(operations):
    """A result needs one if one of its operands does, except for `less`."""
    return _bytes(operations, {*_saved(operations, without=())})


def every_result_needs_one(operations):
    """A result needs one if one of its operands does, except for `less`."""
    return _bytes(operations, {*_saved(operations, every=True)})


def by_the_first_operand(operations):
    """A result needs one if one of its operands does, except for `less`."""
    return _bytes(operations, {*_saved(operations, any_operand=False)})


def if_all_operands_do(operations):
    """A result needs one if one of its operands does, except for `less`."""
    needs = {"x"}
    left = []
    for name, operation, operands in operations:
        tensors = {each for each in operands if isinstance(each, str)}
        if operation != "less" and tensors <= needs:
            needs.add(name)
            left.append(name)
    kept = [each for each in operations if each[0] in left or each[1] == "less"]
    return _bytes(operations, {*_saved(kept)})


def directly_from_x(operations):
    """A result needs one if one of its operands does, except for `less`."""
    kept = [each for each in operations if each[1] == "less" or "x" in each[2]]
    return _bytes(operations, {*_saved(kept)})


def saves_without_a_gradient(operations):
    """An operation whose result needs none saves nothing."""
    saved = {*_saved(operations)}
    for name, operation, operands in operations:
        if operation in ("reciprocal", "relu", "exp"):
            saved.add(name)
        elif operation in ("clamp", "hardswish", "where"):
            saved.add(operands[0])
    return _bytes(operations, saved)


def choices_without_a_gradient_are_saved(operations):
    """An operation whose result needs none saves nothing."""
    choices = {operands[0] for _, operation, operands in operations if operation == "where"}
    return _bytes(operations, {*_saved(operations)} | choices)


def comparisons_save_their_operand(operations):
    """An operation whose result needs none saves nothing."""
    compared = {operands[0] for _, operation, operands in operations if operation == "less"}
    return _bytes(operations, {*_saved(operations)} | compared)


def choice_of_four_bytes(operations):
    """Tensors have 4 bytes per number, results of `less` 1 byte."""
    return _bytes(operations, {*_saved(operations)}, one=4)


def choice_of_a_bit(operations):
    """Tensors have 4 bytes per number, results of `less` 1 byte."""
    return _bytes(operations, {*_saved(operations)}, one=0)


def tensors_of_two_bytes(operations):
    """Tensors have 4 bytes per number, results of `less` 1 byte."""
    return _bytes(operations, {*_saved(operations)}, four=2)


def made_of_choices_is_one_byte(operations):
    """Tensors have 4 bytes per number, results of `less` 1 byte."""
    needs = {"x"}
    for name, operation, operands in operations:
        if operation != "less" and needs.intersection(operands):
            needs.add(name)
    return sum(4 if name in needs else 1 for name in {*_saved(operations)} if isinstance(name, str))


def counted_twice(operations):
    """A tensor that two operations save is kept once."""
    return _bytes(operations, _saved(operations))


def a_square_counts_twice(operations):
    """A tensor that two operations save is kept once."""
    squares = sum(each[1] == "mul" and each[2][0] == each[2][1] == "x" for each in operations)
    return _bytes(operations, {*_saved(operations)}) + 4 * squares


def once_if_one_after_the_other(operations):
    """A tensor that two operations save is kept once."""
    saved = _saved(operations)
    return _bytes(operations, [n for b, n in zip([None, *saved], saved, strict=False) if b != n])


def choices_count_twice(operations):
    """A tensor that two operations save is kept once."""
    choices = {name for name, operation, _ in operations if operation == "less"}
    saved = _saved(operations)
    return _bytes(operations, {*saved} - choices) + sum(each in choices for each in saved)


def inputs_count_twice(operations):
    """A tensor that two operations save is kept once."""
    saved = _saved(operations)
    return _bytes(operations, {*saved} - {"x"}) + 4 * saved.count("x")


def forbidden_torch(operations):
    """and `numpy`, but not"""
    import torch

    saved = {*_saved(operations)}
    return _bytes(operations, saved, four=torch.zeros(1).element_size())
