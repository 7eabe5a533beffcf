"""A random geometric graph that ranks of an MPI program make, keep, open again and cluster, beside one process."""

import shutil

from measuring import interleave, median, run


def add_options(parser):
    parser.add_argument("--distributed-vertices", type=int, default=1 << 20,
                        help="of the graph that ranks cluster (default 1,048,576)")


def measure(options, report):
    program = options.bin / "run_perdure_mpi"
    if not program.exists():
        report.say("distributed_graph: left out, as there is no MPI")
        return
    vertices = 4096 if options.quick else options.distributed_vertices
    folder = report.directory / "distributed"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()

    def by(ranks, *arguments):
        return run(program, [ranks, "graph", *arguments, "--json"])

    def generate(ranks):
        def sample():
            path = folder / f"made-{ranks}"
            shutil.rmtree(path, ignore_errors=True)
            return by(ranks, "generate", "rgg", "--vertices", vertices, "--seed", 5, "-o", path)
        return sample

    made = interleave({ranks: generate(ranks) for ranks in (1, 2, 4)}, options.rounds, report.progress)
    report.samples["distributed graph/made"] = made

    def louvain(ranks, parts, *more):
        return lambda: by(ranks, "louvain", folder / f"made-{parts}", "--starts", 1, *more)

    clustered = interleave({
        "1 rank": louvain(1, 1),
        "2 ranks": louvain(2, 2),
        "2 ranks, of 4": louvain(2, 4, "--repartition"),
        "4 ranks, of 2": louvain(4, 2, "--repartition"),
        "perdure": lambda: run(options.bin / "perdure", ["graph", "louvain", folder / "made-1", "--threads", 1,
                                                         "--starts", 1, "--json"]),
    }, options.rounds, report.progress)
    report.samples["distributed graph/louvain"] = clustered

    def bytes_of(sample):
        return max((row["bytes_sent"] for row in sample.get("by_rank", [])), default=0)

    report.table(f"Random geometric graph of {vertices:,} vertices: making and keeping it, s",
                 ["ranks", "generate", "store"],
                 [[ranks, f"{median(taken, 'generate_seconds'):.3f}", f"{median(taken, 'store_seconds'):.3f}"]
                  for ranks, taken in made.items()])
    report.table("Opening and clustering it, s",
                 ["", "open", "Louvain", "modularity", "iterations", "sent by a rank, at most, MB"],
                 [[name, f"{median(taken, 'attach_seconds'):.3f}", f"{median(taken, 'seconds'):.3f}",
                   f"{taken[0]['modularity']:.4f}", taken[0]["iterations"],
                   f"{max(map(bytes_of, taken)) / 1e6:.1f}"]
                  for name, taken in clustered.items()])
    one = median(clustered["1 rank"], "seconds")
    report.figure("Louvain, 1 rank / perdure, 1 thread", one / median(clustered["perdure"], "seconds"), 1.25)
    report.figure("Louvain, 2 ranks / 1 rank", median(clustered["2 ranks"], "seconds") / one, 1 / 1.6)
    for name, ranks in (("2 ranks, of 4", 2), ("4 ranks, of 2", 4)):
        report.figure(f"opening by {name} / generating", median(clustered[name], "attach_seconds") /
                      median(made[ranks], "generate_seconds"), 0.1)
    shutil.rmtree(folder)
