def lazy_forward(parents, operations, inputs, output):
    order, seen, stack = [], set(inputs), [(output, False)]
    while stack:
        name, ready = stack.pop()
        if ready:
            order.append(name)
        elif name not in seen:
            seen.add(name)
            stack.append((name, True))
            stack.extend((parent, False) for parent in parents[name])
    values = {**inputs}
    for name in order:
        values[name] = operations[name](*[values[parent] for parent in parents[name]])
    return values[output]
