"""It refuses what it does not know, as it should. But the message must say the instruction's name, or
nobody can tell which one it was."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
    'raise ValueError(f"{opname} is no instruction of this machine")': 'raise ValueError("bad instruction")',
}
