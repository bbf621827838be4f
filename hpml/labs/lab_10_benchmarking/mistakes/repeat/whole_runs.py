"""These are the seconds of whole runs. A sample is seconds for each call: divide by the number."""

LIKE = "always_on"
CHANGES = {"(clock() - start) / number": "clock() - start"}
