"""That is how many numbers move. Each has four bytes."""

LIKE = "operand_twice"
CHANGES = {"sum(4 * math": "sum(math", "[result, *operands]": "[result, *set(operands)]"}
