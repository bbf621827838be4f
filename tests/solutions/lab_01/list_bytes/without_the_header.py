def list_bytes(n):
    return (8 + 28) * n
