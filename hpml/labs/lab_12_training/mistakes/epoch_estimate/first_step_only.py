"""It drops the first step, whatever it took. A compiler may come back for a second and third one; and steps that were
warm from the start are all measurements."""

LIKE = "median"
CHANGES = {
    "while seconds[0] > limit:\n        seconds = seconds[1:]": "seconds = seconds[1:]",
    "median(seconds)\n": "sum(seconds) / len(seconds)\n",
}
