#!/usr/bin/env python3
"""Counts words over all its runs, from Python with nothing but ctypes.

PERDURE_LIBRARY names the shared library, unless the system finds it by itself.
"""
import ctypes
import ctypes.util
import os
import struct
import sys

perdure = ctypes.CDLL(os.environ.get("PERDURE_LIBRARY") or ctypes.util.find_library("perdure"))
perdure.perdure_last_error_message.restype = ctypes.c_char_p

STORE = ctypes.c_void_p  # an opaque handle
NAME = ctypes.c_char_p
TYPE = ctypes.c_char_p
LENGTH = ctypes.c_uint64
SIZE = ctypes.c_size_t
PLACE = ctypes.POINTER(ctypes.c_void_p)

NOT_FOUND = 1


def function(name, *argument_types):
    """A function of the library that raises what it reports."""
    symbol = getattr(perdure, "perdure_" + name)
    symbol.argtypes = argument_types

    def call(*arguments):
        status = symbol(*arguments)
        if status == NOT_FOUND:
            raise KeyError(perdure.perdure_last_error_message().decode())
        if status != 0:
            raise RuntimeError(perdure.perdure_last_error_message().decode())

    return call


open_or_create = function("store_open_or_create", NAME, ctypes.c_void_p, PLACE)
close = function("store_close", STORE)
data_create = function("data_create", STORE, NAME, TYPE, LENGTH, SIZE, PLACE)
data_find = function("data_find", STORE, NAME, TYPE, PLACE, ctypes.POINTER(LENGTH))

store = STORE()
open_or_create(b"words.store", None, ctypes.byref(store))


def counter(word):
    """The eight bytes of a word's counter, in the store itself."""
    data = ctypes.c_void_p()
    try:
        data_find(store, word, b"int64", ctypes.byref(data), None)
    except KeyError:
        data_create(store, word, b"int64", 1, 0, ctypes.byref(data))
    return memoryview((ctypes.c_char * 8).from_address(data.value)).cast("B")


for text in sys.stdin.read().split():
    bytes_of_counter = counter(text.encode())
    struct.pack_into("q", bytes_of_counter, 0, struct.unpack_from("q", bytes_of_counter)[0] + 1)

for text in ("to", "that"):
    print(text, struct.unpack_from("q", counter(text.encode()))[0])
close(store)
