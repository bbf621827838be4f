"""The collector is off afterwards, for good. Put it back as it was."""

LIKE = "not_after_an_error"
CHANGES = {"    if was_on:\n        gc.enable()\n": ""}
