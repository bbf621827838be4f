"""It grows one step late. `good` counts the steps before this one; this one counts as well."""

LIKE = "new_scale"
CHANGES = {"good == interval": "good == interval + 1", "g / scale": "g / before"}
