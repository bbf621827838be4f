from numba import jit


@jit
def sum2d(arr):
    numbers = arr.ravel()
    result = 0
    for i in range(len(numbers)):
        result += numbers[i]
    return result
