"""It counts the same for one loop as for many. What one operation makes for the next stays in a
register there: it is neither written nor read."""

LIKE = "operand_twice"
CHANGES = {"if fused:": "if False:", "[result, *operands]": "[result, *set(operands)]"}
