"""It calls `run(1)` again and again. `run(number)` does the loop; a loop of yours around it would be
timed as well."""

LIKE = "for_each_call"
CHANGES = {
    "run(number)": "[run(1) for _ in range(number)]",
    "seconds / number": "seconds",
}
