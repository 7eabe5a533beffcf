"""Moving a program: one source, compiled for Boost.Interprocess and for Perdure by the same interface."""

from measuring import interleave, median, run


def measure(options, report):
    words = 20000 if options.quick else 3000000
    programs = {"Boost.Interprocess": "bench_migration_boost", "Perdure": "bench_migration_perdure"}

    def sample(program):
        def take():
            store = report.directory / "migration.store"
            built = run(options.bin / program, ["build", store, words])
            scanned = run(options.bin / program, ["scan", store, words])
            run(options.bin / program, ["remove", store, words])
            return {**built, **scanned}
        return take

    samples = interleave({name: sample(program) for name, program in programs.items()}, options.rounds,
                         report.progress)
    report.samples["migration"] = samples
    lines = []
    for phase, title in (("build", "build"), ("flush", "flush, durable"), ("close", "close"), ("open", "open and find"),
                         ("scan", "scan")):
        for measure in ("wall", "cpu"):
            cost = {name: median(taken, f"{phase}.{measure}") for name, taken in samples.items()}
            ratio = cost["Perdure"] / cost["Boost.Interprocess"]
            lines.append([f"{title}, {measure}", *(f"{cost[name] * 1e3:.2f}" for name in programs), f"{ratio:.2f}"])
    report.table(f"An index of {words} words, one source by either library, ms (flush: until it is on the "
                 "device; Perdure's is an atomic checkpoint)",
                 ["", *programs, "Perdure / Boost"], lines)
