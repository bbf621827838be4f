"""It compares the means. Noise and a few wild samples move them, and some difference there always
is; how large must it be to be believed?"""

LIKE = "minimum"
CHANGES = {"min(a), min(b)": "sum(a), sum(b)"}
