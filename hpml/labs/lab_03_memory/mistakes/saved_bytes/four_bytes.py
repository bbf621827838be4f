"""It takes every number for four bytes. A float64 has eight and a float16 two: `element_size()` or
`nbytes` knows."""

LIKE = "counts_parameters"
CHANGES = {
    "tensor.nbytes for tensor in kept.values()) + parameters": "4 * tensor.numel() for tensor in kept.values())",
}
