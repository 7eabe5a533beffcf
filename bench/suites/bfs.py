"""Searches of a graph of which all, half, or a quarter fits in memory, with the arrays of the search."""

from measuring import interleave, median, run


def add_options(parser):
    parser.add_argument("--bfs-scale", type=int, default=22, help="R-MAT scale of the external search (default 22)")


def measure(options, report):
    program = options.bin / "bench_external_bfs"
    scale = 14 if options.quick else options.bfs_scale
    threads = (options.threads or [2])[0]
    arguments = ["--file", report.directory / "graph.csr", "--scale", scale, "--threads", threads]
    report.progress("making the graph")
    run(program, arguments)
    shares = {"ordinary memory": 0, "all": 1, "1/2": 2, "1/4": 4}
    samples = interleave({name: lambda share=share: run(program, [*arguments, "--share", share])
                          for name, share in shares.items()}, options.rounds, report.progress)
    report.samples[f"bfs/{scale}"] = samples
    first = {name: median(taken, "first_seconds") for name, taken in samples.items()}
    later = {name: median(taken, "later_seconds") for name, taken in samples.items()}
    mebibytes = {name: 0 if name == "ordinary memory" else median(taken, "pager.bytes_read") / 2**20
                 for name, taken in samples.items()}
    size = samples["all"][0]["bytes"] / 2**20
    report.table(f"External BFS: R-MAT of scale {scale}, {size:.0f} MiB with the arrays of the search, {threads} threads; "
                 "the first search reads the graph, later ones what does not stay in memory",
                 ["in memory", "first", "/ all", "later", "MiB read"],
                 [[name, f"{first[name]:.3f} s", "" if name == "ordinary memory" else f"{first[name] / first['all']:.2f}",
                   f"{later[name]:.3f} s", f"{mebibytes[name]:.0f}"] for name in shares])
    for name, goal in (("1/2", 1.25), ("1/4", 1.5)):
        report.figure(f"external BFS, {name} in memory: time / all's, graph on the device",
                      first[name] / first["all"], goal)
