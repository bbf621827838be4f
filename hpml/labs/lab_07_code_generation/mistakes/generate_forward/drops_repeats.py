"""It hands each value to a layer once. A call may be given the same value twice, as in `a + a`, and
then both count.
"""

LIKE = "counts_the_calls"
CHANGES = {
    "for layer, (name, _, arguments) in enumerate(calls):": "for name, layer, arguments in calls:",
    "'.join(arguments)})\")": "'.join(dict.fromkeys(arguments))})\")",
}
