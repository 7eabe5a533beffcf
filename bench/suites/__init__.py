"""What is measured: a module each, with `measure(options, report)`, and `add_options(parser)` where it has options."""

from suites import (
    adjacency, alloc, append, arrays, bfs, distributed_graph, graph, key_table, kinds, kmer, malloc, migration, paged, pager,
    python, rank_arrays, store)

# In the order in which they run.
SUITES = {
    "alloc": alloc,
    "kinds": kinds,
    "malloc": malloc,
    "migration": migration,
    "adjacency": adjacency,
    "store": store,
    "key_table": key_table,
    "pager": pager,
    "graph": graph,
    "bfs": bfs,
    "append": append,
    "arrays": arrays,
    "rank_arrays": rank_arrays,
    "distributed_graph": distributed_graph,
    "paged": paged,
    "kmer": kmer,
    "python": python,
}
