"""When the scale has grown, the count must begin anew. Else it runs past `interval` and the scale never grows again, or
grows at each step."""

LIKE = "new_scale"
CHANGES = {"scale, good = 2 * before, 0": "scale = 2 * before", "g / scale": "g / before"}
