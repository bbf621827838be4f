def list_bytes(n):
    return 56 + 8 * n
