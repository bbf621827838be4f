"""The array is right. It is to be returned as well, as PyTorch's functions with an underscore do,
so that calls can be chained."""

LIKE = "variance"
CHANGES = {"np.dot(x, x) / len(x)": "np.sqrt(np.dot(x, x) / len(x))", "    return x\n": ""}
