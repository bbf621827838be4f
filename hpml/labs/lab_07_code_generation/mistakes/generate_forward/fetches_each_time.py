"""It works, but fetches the list of layers anew in every line, which is an attribute each time. Fetch
it once, in the first line."""


def generate_forward(
    inputs: list[str], calls: list[tuple[str, int, list[str]]], output: str
) -> str:
    needed = {output}
    for name, _, arguments in reversed(calls):
        if name in needed:
            needed.update(arguments)
    lines = [f"def forward(self, {', '.join(inputs)}):"]
    for name, layer, arguments in calls:
        if name in needed:
            given = ", ".join(arguments)
            lines.append(f"    {name} = self._execution_order_layers[{layer}]({given})")
    return "\n".join([*lines, f"    return {output}"])
