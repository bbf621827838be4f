"""It returns one number. All five samples are asked for: whoever has them can take the best, and see
how far they lie apart."""

LIKE = "always_on"
CHANGES = {"return samples": "return min(samples)"}
