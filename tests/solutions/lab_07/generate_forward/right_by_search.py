import textwrap


def generate_forward(inputs, calls, output):
    made = {name: arguments for name, _, arguments in calls}
    needed, waiting = set(), [output]
    while waiting:
        name = waiting.pop()
        if name in made and name not in needed:
            needed.add(name)
            waiting.extend(made[name])
    body = ["l = self._execution_order_layers"]
    body += [f"{n} = l[{i}]({', '.join(given)})" for n, i, given in calls if n in needed]
    body.append(f"return {output}")
    head = f"def forward({', '.join(['self', *inputs])}):"
    return head + "\n" + textwrap.indent("\n".join(body), "    ") + "\n"
