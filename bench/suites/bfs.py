"""Searches of a graph of which all, half, or a quarter fits in memory, with the arrays of the search (fully external) or
without them (semi-external), and of the kernel's mapping of the same file in a control group with as little memory."""

import json

from measuring import interleave, median, run, run_process
from memory_group import MemoryGroup

# Of the process itself and of the kernel for it, beside what is mapped.
OWN_BYTES = 32 << 20


def add_options(parser):
    parser.add_argument("--bfs-scale", type=int, default=22, help="R-MAT scale of the external search (default 22)")
    parser.add_argument("--bfs-share", type=int, action="append",
                        help="only with 1/N in memory, and with all of it (may be repeated; default 2 and 4)")


def measure(options, report):
    program = options.bin / "bench_external_bfs"
    scale = 14 if options.quick else options.bfs_scale
    threads = (options.threads or [2])[0]
    arguments = ["--file", report.directory / "graph.csr", "--scale", scale, "--threads", threads]
    report.progress("making the graph")
    size = run(program, arguments)["bytes"]
    shares = options.bfs_share or [2, 4]
    variants = {"ordinary memory": lambda: run(program, [*arguments, "--share", 0]),
                "all": lambda: run(program, [*arguments, "--share", 1])}
    for share in shares:
        variants[f"1/{share}"] = lambda share=share: run(program, [*arguments, "--share", share])
        variants[f"1/{share}, semi-external"] = lambda share=share: run(
            program, [*arguments, "--share", share, "--semi-external"])
    least = max(shares)
    kernel = f"1/{least}, the kernel's mapping"
    with MemoryGroup(size // least + OWN_BYTES) as group:
        if group:
            variants[kernel] = lambda: json.loads(run_process(group.command(program, *arguments, "--kernel-mapping"))[0])
        else:
            report.say("the kernel's mapping is left out, as no control group with a memory limit can be made here")
        samples = interleave(variants, options.rounds, report.progress)
    report.samples[f"bfs/{scale}"] = samples
    first = {name: median(taken, "first_seconds") for name, taken in samples.items()}
    rows = []
    for name, taken in samples.items():
        read = f"{median(taken, 'pager.bytes_read') / 2**20:.0f}" if "pager" in taken[0] else ""
        rows.append([name, f"{first[name]:.3f} s", f"{first[name] / first['all']:.2f}",
                     f"{median(taken, 'first_teps') / 1e6:.0f}", f"{median(taken, 'later_seconds'):.3f} s", read])
    report.table(f"External BFS: R-MAT of scale {scale}, {size / 2**20:.0f} MiB with the arrays of the search, {threads} threads; "
                 "the first search reads the graph, later ones what does not stay in memory",
                 ["in memory", "first", "/ all", "MTEPS", "later", "MiB read"], rows)
    for share in shares:
        goal = 1.25 if share < 4 else 1.5
        for name in (f"1/{share}", f"1/{share}, semi-external"):
            report.figure(f"external BFS, {name} in memory: time / all's, graph on the device",
                          first[name] / first["all"], goal)
    if kernel in first:
        report.figure(f"external BFS, 1/{least} in memory: time / the kernel's mapping",
                      first[f"1/{least}"] / first[kernel], 0.5)
