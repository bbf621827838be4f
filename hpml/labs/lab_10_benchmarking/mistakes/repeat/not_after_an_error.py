"""After an error the collector stays off: what must happen in any case belongs into `finally`."""

LIKE = "always_on"
CHANGES = {
    "    gc.disable()\n    try:": "    was_on = gc.isenabled()\n    gc.disable()\n    if True:",
    "        return samples\n    finally:\n        gc.enable()": (
        "    if was_on:\n        gc.enable()\n    return samples"
    ),
}
