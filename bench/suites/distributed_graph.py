"""Graphs that ranks of an MPI program make, keep, open again and cluster, beside one process."""

import os
import shutil
import time

from measuring import interleave, median, run


def add_options(parser):
    parser.add_argument("--distributed-vertices", type=int, default=1 << 20,
                        help="of the graph that ranks cluster (default 1,048,576)")
    parser.add_argument("--all-pairs-vertices", type=int, default=1 << 16,
                        help="of the largest graph that is also made by comparing all pairs of points (default 65,536)")


def written_at_once(path, size):
    """Seconds to write so many bytes and to have them on the device."""
    started = time.monotonic()
    with open(path, "wb") as file:
        block = os.urandom(1 << 20)
        for begin in range(0, size, len(block)):
            file.write(block[:min(len(block), size - begin)])
        file.flush()
        os.fsync(file.fileno())
    seconds = time.monotonic() - started
    path.unlink()
    return seconds


def allocated_bytes(folder):
    return sum(os.stat(os.path.join(place, name)).st_blocks * 512
               for place, _, names in os.walk(folder) for name in names)


class Suite:
    def __init__(self, options, report):
        self.options = options
        self.report = report
        self.program = options.bin / "run_perdure_mpi"
        self.folder = report.directory / "distributed"

    def by(self, ranks, *arguments):
        return run(self.program, [ranks, "graph", *arguments, "--json"])

    def take(self, variants):
        return interleave(variants, self.options.rounds, self.report.progress)

    def generate(self, name, ranks, vertices, *more):
        """A function that makes a set anew."""
        def sample():
            shutil.rmtree(self.folder / name, ignore_errors=True)
            return self.by(ranks, "generate", "rgg", "--vertices", vertices, "--seed", 5, *more, "-o", self.folder / name)
        return sample

    def louvain(self, ranks, name, *more):
        return lambda: self.by(ranks, "louvain", self.folder / name, "--starts", 1, *more)

    def one_process(self, name, *more):
        return lambda: run(self.options.bin / "perdure",
                           ["graph", "louvain", self.folder / name, "--threads", 1, "--starts", 1, *more, "--json"])

    def opening(self, ranks, name, *more):
        return lambda: self.by(ranks, "bfs", self.folder / name, "--source", 0, *more)

    def beside_all_pairs(self, largest):
        """What is saved by keeping a graph, for generators with and without cells."""
        sizes = [size for size in (largest // 4, largest // 2, largest) if size > 1]
        rows = []
        for size in sizes:
            taken = self.take({
                "all pairs": lambda size=size: run(self.options.bin / "bench_rgg_all_pairs",
                                                   ["--vertices", size, "--seed", 5]),
                "cells": self.generate(f"pairs-{size}", 1, size),
            })
            taken |= self.take({f"{ranks} ranks": self.opening(ranks, f"pairs-{size}", *(["--repartition"] if ranks > 1 else []))
                                for ranks in (1, 2)})
            self.report.samples[f"distributed graph/{size} vertices"] = taken
            all_pairs = median(taken["all pairs"], "generate_seconds")
            cells = median(taken["cells"], "generate_seconds")
            opened = median(taken["1 ranks"], "attach_seconds")
            rows.append([f"{size:,}", f"{all_pairs * 1e3:.0f}", f"{cells * 1e3:.1f}",
                         f"{median(taken['cells'], 'store_seconds') * 1e3:.1f}", f"{opened * 1e3:.2f}",
                         f"{median(taken['2 ranks'], 'attach_seconds') * 1e3:.2f}",
                         f"{all_pairs / opened:.0f}", f"{cells / opened:.1f}"])
        self.report.table("Random geometric graphs, 1 rank: making them, and opening them again, ms",
                          ["vertices", "all pairs", "cells", "store", "open", "open, 2 ranks", "all pairs / open",
                           "cells / open"], rows)

    def making(self, vertices):
        made = self.take({ranks: self.generate(f"made-{ranks}", ranks, vertices) for ranks in (1, 2, 4)})
        self.report.samples["distributed graph/made"] = made
        arrays = run(self.options.bin / "perdure", ["array", "ls", self.folder / "made-2", "--json"])["arrays"]
        held = sum(array["bytes"] for array in arrays)
        plain = self.take({"written": lambda: {"seconds": written_at_once(self.folder / "plain", held)}})["written"]
        self.report.table(f"Random geometric graph of {vertices:,} vertices: making and keeping it, s",
                          ["ranks", "generate", "store"],
                          [[ranks, f"{median(taken, 'generate_seconds'):.3f}", f"{median(taken, 'store_seconds'):.3f}"]
                           for ranks, taken in made.items()])
        self.report.figure("storing, bytes on the device / bytes of the arrays",
                           allocated_bytes(self.folder / "made-2") / held, 1.05)
        self.report.figure("storing, 1 rank / writing as many bytes to a file",
                           median(made[1], "store_seconds") / median(plain, "seconds"), 1.1)
        return made

    def clustering(self, vertices, made):
        clustered = self.take({
            "1 rank": self.louvain(1, "made-1"),
            "2 ranks": self.louvain(2, "made-2"),
            "2 ranks, of 4": self.louvain(2, "made-4", "--repartition"),
            "4 ranks, of 2": self.louvain(4, "made-2", "--repartition"),
            "perdure": self.one_process("made-1"),
        })
        self.report.samples["distributed graph/louvain"] = clustered
        opened = self.take({name: self.opening(ranks, f"made-{ranks}")
                            for ranks, name in ((1, "1 rank"), (2, "2 ranks"))})
        self.report.samples["distributed graph/open"] = opened

        def bytes_of(sample):
            return max((row["bytes_sent"] for row in sample.get("by_rank", [])), default=0)

        self.report.table("Opening and clustering it, s",
                          ["", "open", "Louvain", "modularity", "iterations", "sent by a rank, at most, MB"],
                          [[name, f"{median(taken, 'attach_seconds'):.3f}", f"{median(taken, 'seconds'):.3f}",
                            f"{taken[0]['modularity']:.4f}", taken[0]["iterations"],
                            f"{max(map(bytes_of, taken)) / 1e6:.1f}"]
                           for name, taken in clustered.items()])
        one = median(clustered["1 rank"], "seconds")
        self.report.figure("Louvain, 1 rank / perdure, 1 thread", one / median(clustered["perdure"], "seconds"), 1.25)
        self.report.figure("Louvain, 2 ranks / 1 rank", median(clustered["2 ranks"], "seconds") / one, 1 / 1.6)
        for name, taken in opened.items():
            self.report.figure(f"opening by {name}, ms", 1e3 * median(taken, "attach_seconds"), 10, "")
        for name, ranks in (("2 ranks, of 4", 2), ("4 ranks, of 2", 4)):
            self.report.figure(f"opening by {name} / generating", median(clustered[name], "attach_seconds") /
                               median(made[ranks], "generate_seconds"), 0.1)

    def numbered(self, vertices):
        """Orders of the vertices of a graph whose numbers are drawn at random."""
        orders = ("none", "hilbert", "rcm", "louvain")
        made = self.take({order: self.generate(f"order-{order}", 1, vertices, "--scramble", "--order", order)
                          for order in orders})
        taken = self.take({"by place": self.louvain(1, "made-1")} |
                          {order: self.louvain(1, f"order-{order}") for order in orders})
        self.report.samples["distributed graph/orders"] = made
        self.report.samples["distributed graph/louvain in orders"] = taken
        seconds = {order: median(samples, "seconds") for order, samples in taken.items()}
        self.report.table("The same graph numbered at random and then in an order, 1 rank, s",
                          ["order", "numbering", "Louvain", "modularity"],
                          [[order, f"{median(made[order], 'order_seconds') if order in made else 0:.3f}",
                            f"{seconds[order]:.3f}", f"{taken[order][0]['modularity']:.4f}"] for order in seconds])
        for order in orders[1:]:
            self.report.figure(f"Louvain, numbered at random and then by {order} / by place",
                               seconds[order] / seconds["by place"], 1.15)

    def within_budget(self):
        arrays = run(self.options.bin / "perdure", ["array", "ls", self.folder / "made-1", "--json"])["arrays"]
        budget = max(sum(array["bytes"] for array in arrays) // 4, 1 << 20)
        taken = self.take({"in memory": self.louvain(1, "made-1"),
                           "a quarter": self.louvain(1, "made-1", "--budget", budget)})
        self.report.samples["distributed graph/budget"] = taken
        self.report.figure("Louvain, 1 rank, with a quarter of the graph in memory / all of it",
                           median(taken["a quarter"], "seconds") / median(taken["in memory"], "seconds"), 3)

    def from_communities(self, vertices):
        """After a hundredth more edges, Louvain's method from the communities of before."""
        shutil.rmtree(self.folder / "grown", ignore_errors=True)
        whole, before, later = (self.folder / name for name in ("whole.txt", "before.txt", "later.txt"))
        run(self.options.bin / "perdure", ["graph", "generate", "rgg", "--vertices", vertices, "--seed", 5, "-o", whole,
                                           "--json"])
        with open(whole) as lines, open(before, "w") as most, open(later, "w") as rest:
            for number, line in enumerate(lines):
                (rest if number % 100 == 99 else most).write(line)
        self.by(1, "ingest", before, "-o", self.folder / "grown")
        self.by(1, "louvain", self.folder / "grown", "--starts", 1, "--store-as", "communities")
        self.by(1, "append", self.folder / "grown", later)
        taken = self.take({"from nothing": self.louvain(1, "grown"),
                           "from communities": lambda: self.by(1, "louvain", self.folder / "grown",
                                                               "--from", "communities")})
        self.report.samples["distributed graph/from"] = taken
        self.report.figure("Louvain after 1 % more edges, --from / from nothing",
                           median(taken["from communities"], "seconds") / median(taken["from nothing"], "seconds"), 1 / 4)
        self.report.figure("modularity lost by --from",
                           taken["from nothing"][0]["modularity"] - taken["from communities"][0]["modularity"], 0.003, "")


def measure(options, report):
    suite = Suite(options, report)
    if not suite.program.exists():
        report.say("distributed_graph: left out, as there is no MPI")
        return
    shutil.rmtree(suite.folder, ignore_errors=True)
    suite.folder.mkdir()
    vertices = 4096 if options.quick else options.distributed_vertices
    suite.beside_all_pairs(1024 if options.quick else options.all_pairs_vertices)
    made = suite.making(vertices)
    suite.clustering(vertices, made)
    suite.numbered(vertices)
    suite.within_budget()
    suite.from_communities(vertices // 4)
    shutil.rmtree(suite.folder)
