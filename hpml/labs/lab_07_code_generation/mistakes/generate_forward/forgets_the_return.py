"""The forward calls the right layers and returns nothing: its last line is missing, `return` and
the output's name."""

LIKE = "counts_the_calls"
CHANGES = {
    "for layer, (name, _, arguments) in enumerate(calls):": "for name, layer, arguments in calls:",
    'return "\\n".join([*lines, f"    return {output}"])': 'return "\\n".join(lines)',
}
