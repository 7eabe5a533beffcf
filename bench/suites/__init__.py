"""What is measured: a module each, with `measure(options, report)`, and `add_options(parser)` where it has options."""

from suites import adjacency, alloc, append, arrays, bfs, kinds, malloc, migration, paged, pager, store

# In the order in which they run.
SUITES = {
    "alloc": alloc,
    "kinds": kinds,
    "malloc": malloc,
    "migration": migration,
    "adjacency": adjacency,
    "store": store,
    "pager": pager,
    "bfs": bfs,
    "append": append,
    "arrays": arrays,
    "paged": paged,
}
