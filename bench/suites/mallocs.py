"""The mallocs that programs are run with: glibc's, and the peers that are installed."""

from measuring import find_library

PRELOADS = {
    "glibc": None,
    "jemalloc": "libjemalloc.so.2",
    "mimalloc": "libmimalloc.so.2*",
    "tcmalloc": "libtcmalloc_minimal.so.4",
}


def installed_mallocs(report):
    """name -> library to preload, None for glibc's."""
    found = {}
    for name, pattern in PRELOADS.items():
        library = find_library(pattern) if pattern else None
        if pattern and library is None:
            report.say(f"{name} is not installed and is left out")
            continue
        found[name] = library
    return found
