"""`STORE_FAST` copies the value and leaves it on the stack, where the next instruction takes it
for its own. To pop is to take away."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "values[arg] = stack.pop()": "values[arg] = stack[-1]",
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
}
