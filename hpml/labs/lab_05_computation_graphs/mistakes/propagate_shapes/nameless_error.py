"""Where a layer does not fit, its ValueError does not say which; it may come by accident, as from
`min()` of nothing. Check each layer first, and name it as `layer 2 (linear)`."""

LIKE = "counts_from_one"
CHANGES = {
    "for position, (kind, parameters) in enumerate(layers):": "for kind, parameters in layers:",
    'raise ValueError(f"layer {position + 1} ({kind}) does not fit")': 'raise ValueError(f"{kind} does not fit")',
}
