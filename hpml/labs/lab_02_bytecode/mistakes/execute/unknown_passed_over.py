"""An instruction that the machine does not know is not refused. A machine that goes on gives a
wrong answer, or fails somewhere else for a reason that nobody understands: look at the name
first, and raise `ValueError` with it."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
    (
        "        else:\n"
        '            raise ValueError(f"{opname} is no instruction of this machine")\n'
    ): "",
}
