"""In one loop an input is fetched once, however many operations use it."""

LIKE = "operand_twice"
CHANGES = {
    "read = {name for _, operands in ops for name in operands}": "read = [name for _, operands in ops for name in set(operands) - set(results)]",
    "*(read - set(results))": "*read",
    "[result, *operands]": "[result, *set(operands)]",
}
