import math

SAYS: dict[str, str] = {
    "Write `bytes_moved(ops, shapes, fused)`.": "the name and the parameters, as in the stub",
    "is 100 for arrays of five numbers": "an example: the case of an input that two operations read",
}


def _size(shape):
    return 4 * math.prod(shape)


def _one_by_one(ops):
    return [name for result, operands in ops for name in [result, *set(operands)]]


def _in_one_loop(ops):
    results = [result for result, _ in ops]
    return [*({name for _, operands in ops for name in operands} - set(results)), results[-1]]


def _moved(ops, shapes, fused, alone=_one_by_one, together=_in_one_loop, size=_size):
    return sum(size(shapes[name]) for name in (together if fused else alone)(ops))


def two_operands_at_most(ops, shapes, fused):
    """its result's name and the list of its operands"""
    return _moved([(result, operands[:2]) for result, operands in ops], shapes, fused)


def one_operand_at_least(ops, shapes, fused):
    """its result's name and the list of its operands"""
    return _moved([(result, [operands[0], *operands]) for result, operands in ops], shapes, fused)


def names_found_in_a_text(ops, shapes, fused):
    """its result's name and the list of its operands"""

    def together(ops):
        results = ",".join(result for result, _ in ops)
        read = {name for _, operands in ops for name in operands if name not in results}
        return [*read, ops[-1][0]]

    return _moved(ops, shapes, fused, together=together)


def names_of_one_letter(ops, shapes, fused):
    """its result's name and the list of its operands"""
    short = {name[0]: shape for name, shape in shapes.items()}
    cut = [(result[0], [name[0] for name in operands]) for result, operands in ops]
    return _moved(cut, short, fused)


def one_shape_for_all(ops, shapes, fused):
    """The dictionary `shapes` has the shape of each array."""
    return _moved(ops, dict.fromkeys(shapes, next(iter(shapes.values()))), fused)


def shape_of_the_result(ops, shapes, fused):
    """The dictionary `shapes` has the shape of each array."""
    return _moved(ops, dict.fromkeys(shapes, shapes[ops[-1][0]]), fused)


def two_axes(ops, shapes, fused):
    """The dictionary `shapes` has the shape of each array."""
    return _moved(ops, {name: shape[:2] for name, shape in shapes.items()}, fused)


def first_and_last_axis(ops, shapes, fused):
    """The dictionary `shapes` has the shape of each array."""
    return _moved(ops, {name: {*shape[:1], *shape[-1:]} for name, shape in shapes.items()}, fused)


def no_length_is_0(ops, shapes, fused):
    """The dictionary `shapes` has the shape of each array."""
    return _moved(ops, {name: [n or 1 for n in shape] for name, shape in shapes.items()}, fused)


def one_axis_at_least(ops, shapes, fused):
    """The dictionary `shapes` has the shape of each array."""
    return _moved(ops, {name: shape or (0,) for name, shape in shapes.items()}, fused)


def numbers_of_32_bits(ops, shapes, fused):
    """The dictionary `shapes` has the shape of each array."""
    return _moved(ops, shapes, fused, size=lambda shape: _size(shape) % 2**32)


def eight_bytes(ops, shapes, fused):
    """Numbers have four bytes."""
    return 2 * _moved(ops, shapes, fused)


def at_least_four_bytes(ops, shapes, fused):
    """Numbers have four bytes."""
    return _moved(ops, shapes, fused, size=lambda shape: max(4, _size(shape)))


def written_if_not_read(ops, shapes, fused):
    """the last one is the final result"""

    def together(ops):
        results = [result for result, _ in ops]
        read = {name for _, operands in ops for name in operands}
        return [*(read - set(results)), *(set(results) - read)]

    return _moved(ops, shapes, fused, together=together)


def last_by_name(ops, shapes, fused):
    """the last one is the final result"""

    def together(ops):
        return [*_in_one_loop(ops)[:-1], max(result for result, _ in ops)]

    return _moved(ops, shapes, fused, together=together)


def last_of_the_shapes(ops, shapes, fused):
    """the last one is the final result"""

    def together(ops):
        return [*_in_one_loop(ops)[:-1], [*shapes][-1]]

    return _moved(ops, shapes, fused, together=together)


def distinct_if_adjacent(ops, shapes, fused):
    """each reads every distinct operand once and writes its result"""

    def alone(ops):
        for result, operands in ops:
            yield result
            for before, name in zip([None, *operands], operands, strict=False):
                if name != before:
                    yield name

    return _moved(ops, shapes, fused, alone=alone)


def distinct_over_all_operations(ops, shapes, fused):
    """each reads every distinct operand once and writes its result"""

    def alone(ops):
        read = {name for _, operands in ops for name in operands}
        return [*(result for result, _ in ops), *read]

    return _moved(ops, shapes, fused, alone=alone)


def each_array_once(ops, shapes, fused):
    """each reads every distinct operand once and writes its result"""
    return _moved(ops, shapes, fused, alone=lambda ops: set(_one_by_one(ops)))


def equal_shapes_once(ops, shapes, fused):
    """each reads every distinct operand once and writes its result"""
    if fused:
        return _moved(ops, shapes, fused)
    sizes = [[_size(shapes[result]), *{_size(shapes[n]) for n in each}] for result, each in ops]
    return sum(map(sum, sizes))


def every_operand(ops, shapes, fused):
    """each reads every distinct operand once and writes its result"""

    def alone(ops):
        return [name for result, operands in ops for name in [result, *operands]]

    return _moved(ops, shapes, fused, alone=alone)


def results_stay_in_the_cache(ops, shapes, fused):
    """each reads every distinct operand once and writes its result"""

    def alone(ops):
        before = None
        for result, operands in ops:
            yield from {result, *operands} - {before}
            before = result

    return _moved(ops, shapes, fused, alone=alone)


def only_what_is_read_is_written(ops, shapes, fused):
    """each reads every distinct operand once and writes its result"""

    def alone(ops):
        read = {name for _, operands in ops for name in operands} | {ops[-1][0]}
        for result, operands in ops:
            yield from {result} & read
            yield from set(operands)

    return _moved(ops, shapes, fused, alone=alone)


def every_input_of_shapes(ops, shapes, fused):
    """each array that an operation reads but no operation makes is read once"""

    def together(ops):
        return [*(set(shapes) - {result for result, _ in ops}), ops[-1][0]]

    return _moved(ops, shapes, fused, together=together)


def inputs_of_the_first(ops, shapes, fused):
    """each array that an operation reads but no operation makes is read once"""
    return _moved(ops, shapes, fused, together=lambda ops: [*set(ops[0][1]), ops[-1][0]])


def input_for_each_operation(ops, shapes, fused):
    """each array that an operation reads but no operation makes is read once"""

    def together(ops):
        results = {result for result, _ in ops}
        return [*(name for _, each in ops for name in set(each) - results), ops[-1][0]]

    return _moved(ops, shapes, fused, together=together)


def made_by_the_operation_before(ops, shapes, fused):
    """each array that an operation reads but no operation makes is read once"""

    def together(ops):
        read, before = set(), None
        for result, operands in ops:
            read |= {*operands} - {before}
            before = result
        return [*read, before]

    return _moved(ops, shapes, fused, together=together)


def equal_inputs_once(ops, shapes, fused):
    """each array that an operation reads but no operation makes is read once"""
    if not fused:
        return _moved(ops, shapes, fused)
    *read, last = _in_one_loop(ops)
    return sum({_size(shapes[name]) for name in read}) + _size(shapes[last])


def nothing_is_written(ops, shapes, fused):
    """The last result is written."""
    return _moved(ops, shapes, fused, together=lambda ops: _in_one_loop(ops)[:-1])


def every_result_is_written(ops, shapes, fused):
    """The last result is written."""

    def together(ops):
        return [*_in_one_loop(ops)[:-1], *(result for result, _ in ops)]

    return _moved(ops, shapes, fused, together=together)


def written_as_large_as_an_input(ops, shapes, fused):
    """The last result is written."""

    def together(ops):
        *read, last = _in_one_loop(ops)
        return [*read, (ops[-1][1] or [last])[0]]

    return _moved(ops, shapes, fused, together=together)
