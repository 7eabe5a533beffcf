"""The micro-benchmark of memkind's paper, for kinds and their peers."""

from measuring import find_library
from suites.allocator_phases import process_mallocs, time_allocators

SIZES = ("128", "32-512", "8k", "2m", "1k-2m")


def measure(options, report):
    allocators = process_mallocs(report)
    files = report.directory / "kind-files"
    memkind = find_library("libmemkind.so.0")
    if memkind is None:
        report.say("memkind is not installed and is left out")
    else:
        allocators["memkind"] = (None, ["--allocator", "memkind", "--library", memkind])
        allocators["memkind PMEM"] = (None, ["--allocator", "memkind-pmem", "--library", memkind, "--store", files])
    pmemobj = find_library("libpmemobj.so.1")
    if pmemobj is None:
        report.say("libpmemobj is not installed and is left out")
    else:
        allocators["libpmemobj"] = (None, ["--allocator", "pmemobj", "--library", pmemobj, "--store", files])
    ours = {
        "perdure default kind": ["--allocator", "kind"],
        "perdure node 0": ["--allocator", "node-kind"],
        "perdure file kind": ["--allocator", "file-kind", "--store", files],
    }
    same_interface = options.bin.parent / "bench/libbench_memkind.so"
    if same_interface.exists():
        ours["perdure by memkind's interface"] = ["--allocator", "memkind", "--library", same_interface]
    for name, arguments in ours.items():
        allocators[name] = (None, arguments)
    for threads in options.threads or (1, 2, 4, 8):
        time_allocators(options, report, "kinds", allocators, ours, SIZES, threads,
                        dict.fromkeys(SIZES, 1.15))
