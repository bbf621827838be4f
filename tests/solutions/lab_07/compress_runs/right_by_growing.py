def compress_runs(calls, output, min_length):
    runs, first = [], 0
    while first < len(calls):
        end = first + 1
        if len(calls[first][2]) == 1:
            while end < len(calls):
                result = calls[end - 1][0]
                readers = [names for _, _, names in calls if result in names]
                if result == output or calls[end][2] != [result] or len(readers) > 1:
                    break
                end += 1
            if end - first >= min_length:
                runs.append([first, end])
        first = end
    return runs
