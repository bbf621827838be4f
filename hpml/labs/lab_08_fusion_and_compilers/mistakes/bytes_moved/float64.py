"""It takes eight bytes for a number. The numbers here are float32, with four."""

LIKE = "operand_twice"
CHANGES = {"sum(4 * math": "sum(8 * math", "[result, *operands]": "[result, *set(operands)]"}
