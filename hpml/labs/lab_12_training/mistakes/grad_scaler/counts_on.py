"""After an overflow it goes on counting where it was. Asked for are good steps in a row: the row begins anew."""

LIKE = "new_scale"
CHANGES = {"scale / 2, 0": "scale / 2, good", "g / scale": "g / before"}
