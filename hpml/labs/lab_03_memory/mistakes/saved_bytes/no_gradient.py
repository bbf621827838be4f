"""It counts for a layer through which no gradient passes. The input needs none, nor does what frozen
layers alone have computed from it: `y.requires_grad` says so."""

LIKE = "counts_parameters"
CHANGES = {"elif x.requires_grad:": "else:", " + parameters": ""}
