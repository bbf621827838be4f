"""It counts as if every layer were trained. The input is needed for the gradient of a weight; a
frozen weight has none. And where nothing before a layer is trained, no gradient passes through it.
"""

LIKE = "counts_parameters"
CHANGES = {
    "if layer.weight.requires_grad:": "if layer.weight is not None:",
    "elif x.requires_grad:": "elif kept:",
    " + parameters": "",
}
