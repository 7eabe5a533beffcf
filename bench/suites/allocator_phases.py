"""What allocating, both, and freeing cost with several allocators: for the suites that compare some."""

from suites.mallocs import installed_mallocs
from measuring import interleave, median, run


def process_mallocs(report):
    """name -> (library to preload, arguments of bench_alloc) for glibc and the peers that are installed."""
    return {name: (library, ["--allocator", "malloc"]) for name, library in installed_mallocs(report).items()}


def time_allocators(options, report, group, allocators, ours, sizes_tried, threads, goals):
    """Tables of all phases for one number of threads. `goals`: sizes -> goal of the mixed phase over the best peer."""
    program = options.bin / "bench_alloc"
    extra = ["--quick"] if options.quick else []
    peers = [name for name in ("jemalloc", "mimalloc", "tcmalloc") if name in allocators]
    taken = {name: {} for name in allocators}
    for sizes in sizes_tried:
        variants = {
            name: lambda library=library, arguments=arguments: run(
                program, [*arguments, "--sizes", sizes, "--threads", threads, "--json", *extra], library)
            for name, (library, arguments) in allocators.items()
        }
        samples = interleave(variants, options.rounds, lambda text: report.progress(f"{sizes}, {text}"))
        report.samples[f"{group}/{sizes}/{threads}"] = samples
        for name in allocators:
            taken[name][sizes] = samples[name]
    for clock in ("wall", "cpu"):
        worst = dict.fromkeys(ours, 0.0)
        for phase in ("malloc", "mixed", "free"):
            cost = {name: {sizes: median(taken[name][sizes], f"phases.{phase}.{clock}_ns") for sizes in sizes_tried}
                    for name in allocators}
            lines = [["glibc, ns"] + [f"{cost['glibc'][sizes]:.1f}" for sizes in sizes_tried]]
            for name in allocators:
                lines.append([name] + [f"{cost[name][s] / cost['glibc'][s]:.2f}" for s in sizes_tried])
            for name in ours:
                worst[name] = max([worst[name], *(cost[name][s] / cost["glibc"][s] for s in sizes_tried)])
                if not peers:
                    continue
                ratios = {s: cost[name][s] / min(cost[peer][s] for peer in peers) for s in sizes_tried}
                lines.append([f"{name} / best peer"] + [f"{ratios[s]:.2f}" for s in sizes_tried])
                if phase == "mixed" and clock == "wall":
                    for sizes, goal in goals.items():
                        report.figure(f"{group}, mixed, {sizes} bytes, {threads} threads, {name} / best peer",
                                      ratios[sizes], goal)
            report.table(f"{group}, {phase} phase, {threads} threads, {clock}, in units of glibc",
                         ["bytes a block", *sizes_tried], lines)
        if clock == "cpu":
            for name in ours:
                report.figure(f"{group}, CPU time, {threads} threads, {name} / glibc, worst phase and size",
                              worst[name], 1.0)
