"""It compares one number of each side, a mean or a median. Noise and a few wild samples move it, and some
difference there always is; how large must it be to be believed?"""

LIKE = "minimum"
CHANGES = {"min(a), min(b)": "sum(a), sum(b)"}
