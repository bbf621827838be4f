def list_bytes(n):
    return 56 + 8 * (n + n % 2) + 24 * n
