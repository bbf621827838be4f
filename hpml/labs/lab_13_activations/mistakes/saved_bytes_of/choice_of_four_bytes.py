"""What `less` makes is true or false: one byte each, not four."""

LIKE = "counted_twice"
CHANGES = {'1 if operation == "less" else 4': "4", "for name in saved": "for name in set(saved)"}
