"""The table of bench_key_table as a dictionary that Python pickles.

usage: key_table_pickle.py make|first|all PATH KEYS
"""

import json
import os
import pickle
import sys
import time


def key_of(number):
    return (number + 1) * 0x9E3779B97F4A7C15 & 0xFFFFFFFFFFFFFFFF


def main():
    what, path, keys = sys.argv[1], sys.argv[2], int(sys.argv[3])
    begin = time.perf_counter()
    if what == "make":
        table = {key_of(i): i for i in range(keys)}
        with open(path, "wb") as file:
            pickle.dump(table, file, protocol=pickle.HIGHEST_PROTOCOL)
            file.flush()
            os.fsync(file.fileno())
    else:
        with open(path, "rb") as file:
            table = pickle.load(file)
        count = 1 if what == "first" else keys
        found = sum(table[key_of(i * 370003 % keys)] for i in range(count))
        if what == "all" and found != keys * (keys - 1) // 2:
            raise SystemExit("the table has other values")
    print(json.dumps({"seconds": time.perf_counter() - begin}))


main()
