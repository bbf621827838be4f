"""It saves an operation's result where its operand is needed: `hardswish` and `clamp` have one
slope on the left and one on the right, and which it is stands in what they were given."""

LIKE = "counted_twice"
CHANGES = {
    '("clamp", "hardswish", "where"):': '("clamp", "hardswish"):\n            saved.append(result)\n        elif operation == "where":',
    "for name in saved": "for name in set(saved)",
}
