"""The samples are sorted. In the order taken they show a drift; sorted, nobody will see it."""

LIKE = "always_on"
CHANGES = {"return samples": "return sorted(samples)"}
