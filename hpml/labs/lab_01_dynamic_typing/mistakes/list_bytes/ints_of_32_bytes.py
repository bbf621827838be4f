"""You counted 32 bytes for each int. Its header and its one digit of 30 bits take 28, and that is what
`sys.getsizeof` says."""


def list_bytes(n):
    return 56 + 8 * (n + n % 2) + 32 * n
