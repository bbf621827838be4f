"""The collector was on during the runs: it may fall into any of them."""

LIKE = "always_on"
CHANGES = {"    gc.disable()\n": "", "gc.enable()": "pass"}
