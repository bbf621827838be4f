"""That is what the numbers take in C or in a NumPy array. In a list, what do the eight bytes
hold, and where is the number?"""


def list_bytes(n):
    return 8 * n
