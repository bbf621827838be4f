"""It looks at the two ends only. Between them the activation may do anything."""

LIKE = "somewhere"
CHANGES = {"1001": "2", ".any()": ".all()"}
