"""It sorts the calls, so that a value is used before it is made. They stand in an order that works:
keep it.
"""

LIKE = "counts_the_calls"
CHANGES = {
    "reversed(calls):": "reversed(sorted(calls)):",
    "layer, (name, _, arguments) in enumerate(calls):": "name, layer, arguments in sorted(calls):",
}
