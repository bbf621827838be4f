"""The collector is off afterwards, for good. Put it back as it was."""

LIKE = "always_on"
CHANGES = {"        gc.enable()": "        pass"}
