"""The warm-up is still in it: multiplied by all steps, one slow first step makes an epoch that nobody will see."""

LIKE = "median"
CHANGES = {
    "while seconds[0] > limit": "while False",
    "median(seconds)\n": "sum(seconds) / len(seconds)\n",
}
