"""It asks for who is needed with a function that calls itself, once for each call of a network.
One loop from the last call backwards does the same at any depth."""


def generate_forward(
    inputs: list[str], calls: list[tuple[str, int, list[str]]], output: str
) -> str:
    made_by = {name: arguments for name, _, arguments in calls}
    needed = set()

    def need(name):
        if name not in needed:
            needed.add(name)
            for argument in made_by.get(name, []):
                need(argument)

    need(output)
    lines = [f"def forward(self, {', '.join(inputs)}):", "    l = self._execution_order_layers"]
    for name, layer, arguments in calls:
        if name in needed:
            lines.append(f"    {name} = l[{layer}]({', '.join(arguments)})")
    return "\n".join([*lines, f"    return {output}"])
