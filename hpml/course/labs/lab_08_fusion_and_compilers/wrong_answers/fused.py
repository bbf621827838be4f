"""Wrong answers to `fused`: each docstring is the diagnosis."""


def in_place(x, w, b, out):
    """Each number of `out` goes to memory and comes back before it is complete. Keep the sum in a
    variable, and store it once."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = b[j]
            for k in range(x.shape[1]):
                out[i, j] += x[i, k] * w[k, j]
            out[i, j] = max(out[i, j], 0.0)


def no_relu(x, w, b, out):
    """It is the linear layer without ReLU. ReLU replaces each negative number by 0."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = b[j]
            for k in range(x.shape[1]):
                total += x[i, k] * w[k, j]
            out[i, j] = total


def not_begun_anew(x, w, b, out):
    """The sum continues from the previous number. Reset it for each `i` and `j`."""
    total = 0.0
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(x.shape[1]):
                total += x[i, k] * w[k, j]
            out[i, j] = max(total + b[j], 0.0)


def stored_rows(x, w, b, out):
    """The sums were stored in a list first. That is the intermediate result that fusion
    avoids."""
    products = []
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = b[j]
            for k in range(x.shape[1]):
                total += x[i, k] * w[k, j]
            products.append(total)
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = max(products[i * out.shape[1] + j], 0.0)


def three_loops(x, w, b, out):
    """It runs one nest of loops after another, and the second reads what the first has stored. In a
    fused loop each number is finished before the next one begins."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            total = 0.0
            for k in range(x.shape[1]):
                total += x[i, k] * w[k, j]
            out[i, j] = total
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = max(out[i, j] + b[j], 0.0)
