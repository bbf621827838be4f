"""It takes from the wrong end: a stack gives back what was pushed last."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "values[arg] = stack.pop()": "values[arg] = stack.pop(0)",
    "place = place if stack[-1] else arg": "place = place if stack.pop(0) else arg",
    "right, left = stack.pop(), stack.pop()": "left, right = stack.pop(0), stack.pop(0)",
}
