import operator

SAYS = {
    "The slide's example returns": "an example, which is a case",
}
EQUIVALENT = {
    "21: opname in OPERATORS → OPERATORS.get(opname)": "an operator is a function, and a function is true",
}

_OPERATORS = {
    "BINARY_ADD": operator.add,
    "BINARY_SUBTRACT": operator.sub,
    "BINARY_MULTIPLY": operator.mul,
    "COMPARE_LESS": operator.lt,
}


class _Machine:
    """The right machine; a form replaces one of its steps."""

    operators = _OPERATORS

    def run(self, instructions, values):
        self.values, self.stack, self.place = self.begin(values), [], 0
        self.instructions = instructions
        while self.place < len(instructions):
            name, arg = instructions[self.place]
            self.place += 1
            self.step(name, arg)
        return self.values

    def begin(self, values):
        return list(values)

    def pop(self):
        return self.stack.pop()

    def is_false(self, value):
        return not value

    def target(self, arg):
        return arg

    def unknown(self, name):
        raise ValueError(name)

    def step(self, name, arg):
        if name == "LOAD_FAST":
            self.stack.append(self.values[arg])
        elif name == "LOAD_CONST":
            self.stack.append(arg)
        elif name == "STORE_FAST":
            self.values[arg] = self.pop()
        elif name == "JUMP":
            self.place = self.target(arg)
        elif name == "POP_JUMP_IF_FALSE":
            if self.is_false(self.pop()):
                self.place = self.target(arg)
        elif name in self.operators:
            right, left = self.pop(), self.pop()
            self.stack.append(self.operators[name](left, right))
        else:
            self.unknown(name)


def _run(instructions, values, **changed):
    return type("Machine", (_Machine,), changed)().run(instructions, values)


def a_queue(instructions, values):
    """Execute the instructions on a stack that is empty at first."""
    return _run(instructions, values, pop=lambda self: self.stack.pop(0))


def the_caller_s_list(instructions, values):
    """as a new list; do not change the caller's `values`."""
    return _run(instructions, values, begin=lambda self, given: given)


def the_same_list_if_nothing_changed(instructions, values):
    """Return the values array as it is at the end, as a new list"""
    found = _run(instructions, values)
    return values if found == values else found


def the_values_at_the_beginning(instructions, values):
    """Return the values array as it is at the end"""
    _run(instructions, values)
    return list(values)


def the_last_value(instructions, values):
    """Return the values array as it is at the end"""
    return _run(instructions, values)[-1:]


def adds_in_place(instructions, values):
    """do not change the caller's `values`."""
    return _run(instructions, values, operators={**_OPERATORS, "BINARY_ADD": operator.iadd})


def subtracts_in_place(instructions, values):
    """do not change the caller's `values`."""
    return _run(instructions, values, operators={**_OPERATORS, "BINARY_SUBTRACT": operator.isub})


def multiplies_in_place(instructions, values):
    """do not change the caller's `values`."""
    return _run(instructions, values, operators={**_OPERATORS, "BINARY_MULTIPLY": operator.imul})


def three_to_an_instruction(instructions, values):
    """Each instruction is a pair `(opname, arg)`:"""
    return _run([(name, arg) for name, arg, *_, _last in instructions], values)


def loads_from_the_next(instructions, values):
    """`LOAD_FAST i` pushes `values[i]`"""
    moved = [(n, a + 1 if n == "LOAD_FAST" and a + 1 < len(values) else a) for n, a in instructions]
    return _run(moved, values)


def loads_what_it_was(instructions, values):
    """`LOAD_FAST i` pushes `values[i]`"""

    def step(self, name, arg):
        if name == "LOAD_FAST":
            self.stack.append(values[arg])
        else:
            _Machine.step(self, name, arg)

    return _run(instructions, values, step=step)


def constants_are_ints(instructions, values):
    """`LOAD_CONST c` pushes `c`"""
    instructions = [(n, a or 0 if n == "LOAD_CONST" else a) for n, a in instructions]
    return _run(instructions, values)


def a_constant_is_an_index(instructions, values):
    """`LOAD_CONST c` pushes `c`"""
    instructions = [("LOAD_FAST" if n == "LOAD_CONST" else n, a) for n, a in instructions]
    return _run(instructions, values)


def stores_and_keeps(instructions, values):
    """`STORE_FAST i` pops into `values[i]`"""

    def step(self, name, arg):
        if name == "STORE_FAST":
            self.values[arg] = self.stack[-1]
        else:
            _Machine.step(self, name, arg)

    return _run(instructions, values, step=step)


def the_left_one_first(instructions, values):
    """pop the right operand, then the left one"""
    swapped = {n: lambda a, b, do=do: do(b, a) for n, do in _OPERATORS.items()}
    return _run(instructions, values, operators=swapped)


def less_or_equal(instructions, values):
    """`COMPARE_LESS` pop the right operand, then the left one, and push the result"""
    return _run(instructions, values, operators={**_OPERATORS, "COMPARE_LESS": operator.le})


def unequal(instructions, values):
    """`COMPARE_LESS` pop the right operand, then the left one, and push the result"""
    return _run(instructions, values, operators={**_OPERATORS, "COMPARE_LESS": operator.ne})


def a_result_of_0_or_1(instructions, values):
    """and push the result; their arg is `None`;"""
    less = {**_OPERATORS, "COMPARE_LESS": lambda a, b: int(a < b)}
    return _run(instructions, values, operators=less)


def the_operands_stay(instructions, values):
    """pop the right operand, then the left one, and push the result"""

    def step(self, name, arg):
        if name in _OPERATORS:
            self.stack.append(_OPERATORS[name](self.stack[-2], self.stack[-1]))
        else:
            _Machine.step(self, name, arg)

    return _run(instructions, values, step=step)


def counted_from_one(instructions, values):
    """`JUMP k` continues at instruction `k`, counted from 0"""
    return _run(instructions, values, target=lambda self, arg: arg - 1)


def counted_from_here(instructions, values):
    """`JUMP k` continues at instruction `k`, counted from 0"""
    return _run(instructions, values, target=lambda self, arg: self.place + arg)


def never_back(instructions, values):
    """`JUMP k` continues at instruction `k`, counted from 0"""
    return _run(instructions, values, target=lambda self, arg: max(arg, self.place))


def only_0_is_false(instructions, values):
    """jumps if it is false in the sense of `if`;"""
    return _run(instructions, values, is_false=lambda self, value: value == 0)


def only_false_and_0_and_none(instructions, values):
    """jumps if it is false in the sense of `if`;"""
    return _run(instructions, values, is_false=lambda self, value: value in (False, None))


def an_empty_dict_is_true(instructions, values):
    """jumps if it is false in the sense of `if`;"""
    return _run(
        instructions, values, is_false=lambda self, value: not value and type(value) is not dict
    )


def an_empty_set_is_true(instructions, values):
    """jumps if it is false in the sense of `if`;"""
    return _run(
        instructions, values, is_false=lambda self, value: not value and type(value) is not set
    )


def a_small_number_is_false(instructions, values):
    """jumps if it is false in the sense of `if`;"""

    def is_false(self, value):
        return not value or (type(value) is float and abs(value) < 1e-9)

    return _run(instructions, values, is_false=is_false)


def all_zeros_are_false(instructions, values):
    """jumps if it is false in the sense of `if`;"""

    def is_false(self, value):
        return not value or (type(value) is list and not any(value))

    return _run(instructions, values, is_false=is_false)


def pops_only_if_it_jumps(instructions, values):
    """`POP_JUMP_IF_FALSE k` pops a value and jumps"""

    def step(self, name, arg):
        if name != "POP_JUMP_IF_FALSE":
            _Machine.step(self, name, arg)
        elif not self.stack[-1]:
            self.stack.pop()
            self.place = arg

    return _run(instructions, values, step=step)


def jumps_if_true(instructions, values):
    """`POP_JUMP_IF_FALSE k` pops a value and jumps if it is false"""
    return _run(instructions, values, is_false=lambda self, value: bool(value))


def ends_before_the_last(instructions, values):
    """the program ends after its last instruction."""
    return _run(instructions[:-1], values)


def needs_an_instruction_to_jump_to(instructions, values):
    """the program ends after its last instruction."""

    def target(self, arg):
        if arg >= len(self.instructions):
            raise IndexError(arg)
        return arg

    return _run(instructions, values, target=target)


def passes_over_others(instructions, values):
    """Any other name, when it is reached, raises `ValueError` with the name in its message."""
    return _run(instructions, values, unknown=lambda self, name: None)


def a_key_error(instructions, values):
    """Any other name, when it is reached, raises `ValueError`"""

    def unknown(self, name):
        raise KeyError(name)

    return _run(instructions, values, unknown=unknown)


def without_the_name(instructions, values):
    """raises `ValueError` with the name in its message."""

    def unknown(self, name):
        raise ValueError("unknown instruction")

    return _run(instructions, values, unknown=unknown)


def without_the_whole_name(instructions, values):
    """raises `ValueError` with the name in its message."""

    def unknown(self, name):
        raise ValueError(name[:8])

    return _run(instructions, values, unknown=unknown)


def before_it_is_reached(instructions, values):
    """Any other name, when it is reached, raises"""
    known = ["LOAD_FAST", "LOAD_CONST", "STORE_FAST", "JUMP", "POP_JUMP_IF_FALSE", *_OPERATORS]
    for name, _ in instructions:
        if name not in known:
            raise ValueError(name)
    return _run(instructions, values)


def known_by_its_beginning(instructions, values):
    """Any other name, when it is reached, raises"""

    def unknown(self, name):
        known = ["LOAD_FAST", "LOAD_CONST", "STORE_FAST", "JUMP", "POP_JUMP_IF_FALSE", *_OPERATORS]
        for each in known:
            if name.startswith(each):
                return self.step(each, self.place if "JUMP" in each else 0)
        raise ValueError(name)

    return _run(instructions, values, unknown=unknown)


def in_capitals_or_not(instructions, values):
    """Any other name, when it is reached, raises"""
    return _run([(name.upper(), arg) for name, arg in instructions], values)


def any_binary_is_an_addition(instructions, values):
    """Any other name, when it is reached, raises"""

    def unknown(self, name):
        if not name.startswith("BINARY"):
            raise ValueError(name)
        right, left = self.pop(), self.pop()
        self.stack.append(left + right)

    return _run(instructions, values, unknown=unknown)


def not_greater_is_less(instructions, values):
    """`COMPARE_LESS` pop the right operand, then the left one, and push the result"""
    less = {**_OPERATORS, "COMPARE_LESS": lambda a, b: not a >= b}
    return _run(instructions, values, operators=less)
