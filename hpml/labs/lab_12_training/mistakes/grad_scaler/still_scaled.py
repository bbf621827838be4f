"""The gradients come back scaled. The optimiser would take a step that is too large by the factor `scale`: divide by
it."""

LIKE = "new_scale"
CHANGES = {"[g / scale for g in scaled]": "list(scaled)"}
