def list_bytes(n):
    empty_list, pointer, small_int = 56, 8, 28
    room = n + n % 2
    return empty_list + room * pointer + n * small_int
