class Machine:
    def __init__(self, values):
        self.values = [*values]
        self.stack = []
        self.place = 0

    def load_fast(self, arg):
        self.stack.append(self.values[arg])

    def load_const(self, arg):
        self.stack.append(arg)

    def store_fast(self, arg):
        self.values[arg] = self.stack.pop()

    def binary(self, operator):
        right = self.stack.pop()
        left = self.stack.pop()
        self.stack.append(operator(left, right))

    def jump(self, arg):
        self.place = arg

    def pop_jump_if_false(self, arg):
        if not self.stack.pop():
            self.place = arg


def execute(instructions, values):
    machine = Machine(values)
    methods = {
        "LOAD_FAST": machine.load_fast,
        "LOAD_CONST": machine.load_const,
        "STORE_FAST": machine.store_fast,
        "BINARY_ADD": lambda _: machine.binary(lambda left, right: left + right),
        "BINARY_SUBTRACT": lambda _: machine.binary(lambda left, right: left - right),
        "BINARY_MULTIPLY": lambda _: machine.binary(lambda left, right: left * right),
        "COMPARE_LESS": lambda _: machine.binary(lambda left, right: left < right),
        "JUMP": machine.jump,
        "POP_JUMP_IF_FALSE": machine.pop_jump_if_false,
    }
    while machine.place < len(instructions):
        name, arg = instructions[machine.place]
        if name not in methods:
            raise ValueError("unknown instruction: " + name)
        machine.place += 1
        methods[name](arg)
    return machine.values
