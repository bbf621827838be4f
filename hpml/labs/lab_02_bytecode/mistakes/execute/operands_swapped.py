"""The operands are swapped: what was pushed last is popped first, and it is the right operand.
Addition does not notice; subtraction does."""

LIKE = "jump_leaves_the_value"
CHANGES = {
    "place = place if stack[-1] else arg": "place = place if stack.pop() else arg",
    "right, left = stack.pop(), stack.pop()": "left, right = stack.pop(), stack.pop()",
}
