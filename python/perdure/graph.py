"""Graphs that stay in a store, and algorithms on them with results in NumPy arrays.

    >>> import numpy as np, perdure.graph as graph
    >>> web = graph.from_edges("web.store", [0, 0, 1, 3], [1, 2, 2, 2])
    >>> web
    <perdure.graph.Graph 'graph': 4 vertices, 4 edges, directed>
    >>> web.bfs(0).levels
    array([ 0,  1,  1, -1], dtype=int32)
    >>> web.indptr                                    # no copy: the store's own pages
    array([0, 2, 3, 3, 4])

The graph is there in a millisecond in the next process: ``graph.open("web.store")``.

Results are by vertex *number*, from 0 on. Where the input calls vertices otherwise, by other numbers (ids) or by
names, ``web.ids`` and ``web.names`` have what each number is called, and arguments such as ``source`` take ids or
names.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as _np

from perdure._handle import Handle as _Handle, files_of as _files_of, threads_of as _threads_of
from perdure._perdure import _graph

__all__ = [
    "Betweenness",
    "Bfs",
    "Clustering",
    "Communities",
    "Components",
    "Graph",
    "Path",
    "Trusses",
    "build",
    "freeze",
    "from_edges",
    "from_frame",
    "from_scipy",
    "ingest",
    "names",
    "open",
]


class Bfs(NamedTuple):
    """Result of a breadth-first search."""

    levels: _np.ndarray
    """By vertex: edges from the source; -1 where no path leads."""
    parents: _np.ndarray
    """By vertex: the vertex before it on a shortest path; -1 where there is none. The source's is itself."""


class Path(NamedTuple):
    """A shortest path."""

    vertices: _np.ndarray
    """Numbers of the vertices from the one to the other; empty if there is no path."""
    distance: float
    """Sum of the weights, or number of edges in a graph without weights; infinity if there is no path."""


class Components(NamedTuple):
    """Connected components."""

    labels: _np.ndarray
    """By vertex: the smallest vertex number in its component."""
    count: int
    """Number of components."""
    largest: int
    """Number of vertices in the largest component."""


class Communities(NamedTuple):
    """Communities of vertices."""

    labels: _np.ndarray
    """By vertex: the smallest vertex number in its community."""
    count: int
    """Number of communities."""
    modularity: float


class Clustering(NamedTuple):
    """Triangles, and how much neighbours are each other's neighbours."""

    triangles: _np.ndarray
    """By vertex: triangles with a corner there."""
    coefficients: _np.ndarray
    """By vertex: which part of the pairs of its neighbours are neighbours."""
    total: int
    """Number of triangles."""
    average: float
    """Mean of all coefficients."""
    transitivity: float
    """Which part of all pairs of a vertex's neighbours are neighbours."""


class Trusses(NamedTuple):
    """K-trusses: an element for each edge of the underlying simple graph."""

    sources: _np.ndarray
    targets: _np.ndarray
    trusses: _np.ndarray
    """The largest k of a k-truss that the edge is in."""


Betweenness = _np.ndarray


def _signed(numbers: _np.ndarray, vertices: int) -> _np.ndarray:
    """Returns vertex numbers with -1 for no vertex. Copies them only beyond 2^31 vertices."""
    if vertices < 2**31:
        return numbers.view(_np.int32)
    wide = numbers.astype(_np.int64)
    wide[numbers == _np.uint32(0xFFFFFFFF)] = -1
    return wide


class Graph(_Handle):
    """A graph in a store, which stays open as long as this object and the arrays that it gave.

    Make one with `open`, or by one of the functions that make graphs. All methods release the GIL, and Ctrl-C ends
    them.
    """

    __slots__ = ()
    _kind = "graph"

    def __repr__(self) -> str:
        kind = "directed" if self.directed else "undirected"
        return f"<perdure.graph.Graph {self.name!r}: {self.vertices} vertices, {self.edges} edges, {kind}>"

    def __len__(self) -> int:
        """Number of vertices."""
        return self.vertices

    def __reduce__(self):
        return open, self._path_and_name()

    @property
    def vertices(self) -> int:
        """Number of vertices."""
        return self._handle.vertices

    @property
    def edges(self) -> int:
        """Number of edges; an undirected edge counts once."""
        return self._handle.edges

    @property
    def directed(self) -> bool:
        """Whether edges have a direction."""
        return self._handle.directed

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self._handle.has_weights

    @property
    def grows(self) -> bool:
        """Whether edges can be added (`ingest`); else the graph is a CSR (`build`)."""
        return self._handle.grows

    @property
    def indptr(self) -> _np.ndarray:
        """Where the neighbours of each vertex begin in `indices`, and the end: a read-only view without a copy.

        Raises `ValueError` for a growing graph whose frozen form lacks edges; `to_scipy` and `rows` copy those.
        """
        return self._handle.indptr.view(_np.int64)

    @property
    def indices(self) -> _np.ndarray:
        """Neighbours of all vertices, one vertex after the other: a read-only view without a copy.

        An undirected edge is there from both ends. Elements are `int32`, or `uint32` beyond 2^31 vertices.
        """
        indices = self._handle.indices
        return indices.view(_np.int32) if self.vertices < 2**31 else indices

    @property
    def weights(self) -> _np.ndarray | None:
        """Weights in the order of `indices`, a read-only view without a copy; `None` if edges have none."""
        return self._handle.weights

    @property
    def ids(self) -> _np.ndarray:
        """What the input calls each vertex, as `uint64`."""
        return self._handle.ids()

    @property
    def names(self) -> list[str] | None:
        """The vertices' names, by number; `None` if they have ids only."""
        return self._handle.names() if self._handle.has_names else None

    def number(self, vertex: int | str) -> int:
        """Returns the number of the vertex with this id or name. Raises `KeyError`."""
        if isinstance(vertex, str):
            found = self._handle.find_name(vertex)
        elif isinstance(vertex, (bool, float)):
            raise TypeError(f"a vertex is an id (int) or a name (str), not {vertex!r}")
        else:
            number = int(vertex)
            found = self._handle.find(number) if 0 <= number < 2**64 else None
        if found is None:
            raise KeyError(f"the graph {self.name!r} has no vertex {vertex!r}")
        return found

    def numbers(self, ids: Any) -> _np.ndarray:
        """Returns the numbers of the vertices with these ids."""
        found = self._handle.find_all(_np.ascontiguousarray(ids, dtype=_np.uint64).ravel())
        return _signed(found, self.vertices).reshape(_np.shape(ids))

    def neighbours(self, vertex: int | str) -> _np.ndarray:
        """Returns the numbers of a vertex's neighbours, along the direction of the edges."""
        return _signed(self._handle.neighbours(self.number(vertex)), self.vertices)

    def neighbourhood(self, vertex: int | str, hops: int = 1) -> tuple[_np.ndarray, _np.ndarray]:
        """Returns the vertices that at most `hops` edges lead to, nearest first, and how many there are of each hop."""
        found, histogram = self._handle.neighbourhood(self.number(vertex), hops)
        return _signed(found, self.vertices), histogram

    def rows(self) -> tuple[_np.ndarray, _np.ndarray, _np.ndarray | None]:
        """Returns `indptr`, `indices` and `weights`: views of a CSR, copies of a growing graph."""
        try:
            return self.indptr, self.indices, self.weights
        except ValueError:
            offsets, targets, weights = self._handle.rows()
            return offsets.view(_np.int64), _signed(targets, self.vertices), weights if self.weighted else None

    def edge_arrays(self) -> tuple[_np.ndarray, _np.ndarray, _np.ndarray | None]:
        """Returns sources, targets and weights of all edges by vertex numbers; an undirected edge once."""
        indptr, targets, weights = self.rows()
        sources = _np.repeat(_np.arange(self.vertices, dtype=targets.dtype), _np.diff(indptr))
        if self.directed:
            return sources, targets, weights
        once = sources <= targets
        return sources[once], targets[once], None if weights is None else weights[once]

    # Algorithms. `threads=None` takes all processors.

    def bfs(self, source: int | str, *, threads: int | None = None) -> Bfs:
        """Breadth-first search along the direction of the edges.

        >>> import perdure.graph as graph
        >>> graph.from_edges("bfs.store", [0, 1, 3], [1, 2, 2]).bfs(0)
        Bfs(levels=array([ 0,  1,  2, -1], dtype=int32), parents=array([ 0,  0,  1, -1], dtype=int32))
        """
        levels, parents = self._handle.bfs(self.number(source), _threads_of(threads))
        return Bfs(levels.view(_np.int32), _signed(parents, self.vertices))

    def sssp(self, source: int | str, *, delta: float = 0, threads: int | None = None) -> _np.ndarray:
        """Returns distances from `source` by weights, or by edges in a graph without; infinity where no path leads.

        `delta` is the step of delta-stepping; 0 has it chosen.
        """
        return self._handle.sssp(self.number(source), delta, _threads_of(threads))

    def shortest_path(self, source: int | str, target: int | str, *, threads: int | None = None) -> Path:
        """Returns a shortest path between two vertices.

        >>> import perdure.graph as graph
        >>> roads = graph.from_edges("roads.store", ["a", "b", "a"], ["b", "c", "c"], [1.0, 1.0, 5.0])
        >>> found = roads.shortest_path("a", "c")
        >>> [roads.names[v] for v in found.vertices], found.distance
        (['a', 'b', 'c'], 2.0)
        """
        found, distance = self._handle.shortest_path(self.number(source), self.number(target), _threads_of(threads))
        return Path(_signed(found, self.vertices), distance if len(found) else float("inf"))

    def pagerank(
        self, *, damping: float = 0.85, tolerance: float = 1e-10, iterations: int = 1000, threads: int | None = None
    ) -> _np.ndarray:
        """Returns the PageRank of each vertex; the sum of all is 1.

        >>> import perdure.graph as graph
        >>> graph.from_edges("ranks.store", [0, 1, 2], [1, 2, 0]).pagerank().round(3)
        array([0.333, 0.333, 0.333])
        """
        return self._handle.pagerank(damping, tolerance, iterations, _threads_of(threads))

    def components(self, *, threads: int | None = None) -> Components:
        """Finds connected components; of a directed graph the weakly connected ones.

        >>> import perdure.graph as graph
        >>> graph.from_edges("parts.store", [0, 2], [1, 3]).components()
        Components(labels=array([0, 0, 2, 2], dtype=int32), count=2, largest=2)
        """
        labels, count, largest = self._handle.components(_threads_of(threads))
        return Components(_signed(labels, self.vertices), count, largest)

    def strong_components(self, *, threads: int | None = None) -> Components:
        """Finds strongly connected components: vertices that lead to each other."""
        labels, count, largest = self._handle.strong_components(_threads_of(threads))
        return Components(_signed(labels, self.vertices), count, largest)

    def core_numbers(self, *, threads: int | None = None) -> _np.ndarray:
        """Returns for each vertex the largest k of a k-core that it is in."""
        return self._handle.core_numbers(_threads_of(threads)).view(_np.int32)

    def trusses(self, *, threads: int | None = None) -> Trusses:
        """Returns for each edge the largest k of a k-truss that it is in."""
        a, b, truss = self._handle.trusses(_threads_of(threads))
        return Trusses(_signed(a, self.vertices), _signed(b, self.vertices), truss.view(_np.int32))

    def triangle_count(self, *, threads: int | None = None) -> int:
        """Returns the number of triangles."""
        return self._handle.triangle_count(_threads_of(threads))

    def clustering(self, *, threads: int | None = None) -> Clustering:
        """Counts triangles at each vertex, and computes clustering coefficients."""
        triangles, coefficients, total, average, transitivity = self._handle.clustering(_threads_of(threads))
        return Clustering(triangles.view(_np.int64), coefficients, total, average, transitivity)

    def betweenness(self, *, samples: int = 0, seed: int = 1, threads: int | None = None) -> _np.ndarray:
        """Returns on how many shortest paths each vertex lies; by `samples` random sources, or exactly with 0."""
        return self._handle.betweenness(samples, seed, _threads_of(threads))

    def louvain(
        self,
        *,
        resolution: float = 1.0,
        tolerance: float = 1e-4,
        starts: int = 0,
        start: Any = None,
        threads: int | None = None,
    ) -> Communities:
        """Finds communities by Louvain's method. The answer does not depend on the threads.

        `start` has a label for each vertex, such as those of an earlier result; the search begins from these
        communities.
        """
        if start is not None:
            start = _np.ascontiguousarray(start, dtype=_np.uint64)
        labels, count, modularity = self._handle.louvain(resolution, tolerance, starts, start, _threads_of(threads))
        return Communities(_signed(labels, self.vertices), count, modularity)

    def label_propagation(self, *, iterations: int = 100, threads: int | None = None) -> Communities:
        """Finds communities by label propagation: faster than `louvain`, and worse."""
        labels, count, modularity = self._handle.label_propagation(iterations, _threads_of(threads))
        return Communities(_signed(labels, self.vertices), count, modularity)

    def degrees(self) -> _np.ndarray:
        """Returns the number of neighbours of each vertex, along the direction of the edges."""
        return self._handle.degrees()[0].view(_np.int64)

    def in_degrees(self) -> _np.ndarray:
        """Returns for each vertex the number of edges that lead to it."""
        outgoing, incoming = self._handle.degrees()
        return (incoming if self.directed else outgoing).view(_np.int64)

    # Other libraries, which are imported when they are asked for.

    def to_scipy(self):
        """Returns the adjacency matrix as a `scipy.sparse.csr_array`. `indices` and weights are not copied.

        Without weights all elements are 1. Repeated edges stay repeated entries, which SciPy adds up. This needs SciPy.
        """
        import scipy.sparse

        indptr, indices, weights = self.rows()
        data = _np.ones(len(indices)) if weights is None else weights
        return scipy.sparse.csr_array((data, indices, indptr), shape=(self.vertices, self.vertices), copy=False)

    def _called(self) -> list:
        names = self.names
        return self.ids.tolist() if names is None else names

    def to_networkx(self):
        """Returns a NetworkX graph, whose nodes are the names or ids. Repeated edges become one."""
        import networkx

        called = self._called()
        made = networkx.DiGraph() if self.directed else networkx.Graph()
        made.add_nodes_from(called)
        sources, targets, weights = self.edge_arrays()
        ends = ([called[v] for v in column.tolist()] for column in (sources, targets))
        if weights is None:
            made.add_edges_from(zip(*ends))
        else:
            made.add_weighted_edges_from(zip(*ends, weights.tolist()))
        return made

    def to_igraph(self):
        """Returns an igraph graph with the same vertex numbers; `name` and `weight` are its attributes."""
        import igraph

        sources, targets, weights = self.edge_arrays()
        made = igraph.Graph(n=self.vertices, edges=_np.column_stack((sources, targets)).tolist(), directed=self.directed)
        made.vs["name"] = [str(one) for one in self._called()]
        if weights is not None:
            made.es["weight"] = weights.tolist()
        return made


def open(store: Any, name: str | None = None, *, budget: int = 0) -> Graph:
    """Opens a graph of a store for reading, in a millisecond whatever its size.

    `store` is a path; `STORE@LABEL` is a kept checkpoint. Without `name` it is the graph called ``graph``, or else
    the only one. `budget` is the number of bytes that the store's pages may take in memory; 0 sets no limit.
    """
    return Graph(store, _graph.open(store, name or "", budget))


def names(store: Any) -> list[str]:
    """Returns the names of the graphs in a store, sorted.

    >>> import perdure.graph as graph
    >>> for name in ("web", "roads"):
    ...     graph.from_edges("several.store", [0], [1], name=name).close()
    >>> graph.names("several.store")
    ['roads', 'web']
    """
    return _graph.names(store)


def ingest(
    store: Any,
    files: Any,
    *,
    name: str = "graph",
    directed: bool | None = None,
    duplicates: str = "keep",
    again: bool = False,
    checkpoint_every: int = 0,
    threads: int | None = None,
    **reading: Any,
) -> Graph:
    """Adds the edges of files to a growing graph, which is made if it is not there, and returns it.

    Each file is added once: a second time raises `OSError` (`EEXIST`), unless `again` is set. `directed` is needed only
    where a file does not say. `duplicates` is ``keep``, ``sum``, ``last`` or ``error``. `checkpoint_every` makes a
    checkpoint each time about so many edges were added.

    >>> import pathlib, perdure.graph as graph
    >>> _ = pathlib.Path("friends.txt").write_text("ada grace\\ngrace alan\\n")
    >>> graph.ingest("friends.store", "friends.txt", directed=False, names=True)
    <perdure.graph.Graph 'graph': 3 vertices, 2 edges, undirected>

    All formats of the command line are recognised. `reading` may have `format`, `source`, `target`, `weight` and
    `time` (columns by number or name), `names` (vertices have names) and `skip_bad_lines`.
    """
    how = {
        "name": name,
        "directed": directed,
        "duplicates": duplicates,
        "again": again,
        "checkpoint_every": checkpoint_every,
        "threads": _threads_of(threads),
    }
    _graph.make_from_files(store, _files_of(files), how, _reading(reading))
    return open(store, name)


def build(
    store: Any,
    files: Any,
    *,
    name: str = "graph",
    directed: bool | None = None,
    drop_loops: bool = False,
    drop_duplicates: bool = False,
    by_degree: bool = False,
    budget: int = 0,
    anew: bool = False,
    attributes: bool = False,
    threads: int | None = None,
    **reading: Any,
) -> Graph:
    """Makes a CSR of the edges of files, which does not grow, and returns it.

    With a `budget` in bytes the graph may be larger than memory, and the same call goes on with a build that was
    killed. `reading` is as for `ingest`.
    """
    how = {
        "name": name,
        "directed": directed,
        "grows": False,
        "duplicates": "smallest" if drop_duplicates else "keep",
        "drop_loops": drop_loops,
        "by_degree": by_degree,
        "budget": budget,
        "anew": anew,
        "attributes": attributes,
        "threads": _threads_of(threads),
    }
    _graph.make_from_files(store, _files_of(files), how, _reading(reading))
    return open(store, name)


_READING = {"format": str, "source": str, "target": str, "weight": str, "time": str, "names": bool, "skip_bad_lines": bool}


def _reading(given: dict[str, Any]) -> dict[str, Any]:
    for key in given:
        if key not in _READING:
            raise TypeError(f"{key!r} is no option of reading files: these are {', '.join(_READING)}")
    return {key: _READING[key](value) for key, value in given.items()}


def from_edges(
    store: Any,
    sources: Any,
    targets: Any,
    weights: Any = None,
    *,
    times: Any = None,
    name: str = "graph",
    directed: bool = True,
    grows: bool = False,
    vertices: int = 0,
    drop_loops: bool = False,
    drop_duplicates: bool = False,
    duplicates: str = "keep",
    by_degree: bool = False,
    threads: int | None = None,
) -> Graph:
    """Makes a graph of arrays with an element for each edge, and returns it.

    >>> import perdure.graph as graph
    >>> graph.from_edges("names.store", ["a", "b"], ["b", "c"], grows=True).close()
    >>> graph.from_edges("names.store", ["c"], ["a"], grows=True)  # in a later program
    <perdure.graph.Graph 'graph': 3 vertices, 3 edges, directed>

    Ends are ids (whole numbers from 0 on) or names (texts). `vertices=n` has vertices 0 to n - 1 also where no edge
    names them. With ``grows=True`` edges are added to a growing graph, which may have `times`; else a CSR is made, and
    a graph of this name must not be there.
    """
    called: list[str] = []
    sources, targets = _np.asarray(sources), _np.asarray(targets)
    if sources.ndim != 1 or targets.ndim != 1:
        raise ValueError("sources and targets of edges are arrays of one dimension")
    if sources.dtype.kind in "OUST" or targets.dtype.kind in "OUST":
        sources, targets, called = _number_names(sources, targets)
    how = {
        "name": name,
        "directed": directed,
        "grows": grows,
        "duplicates": ("smallest" if drop_duplicates else "keep") if not grows else duplicates,
        "drop_loops": drop_loops,
        "by_degree": by_degree,
        "threads": _threads_of(threads),
    }
    if times is not None and not grows:
        raise ValueError("a CSR has no times of edges: give grows=True")
    columns = [_ids(sources, "sources"), _ids(targets, "targets"), _values(weights), _values(times)]
    _graph.make_from_arrays(store, *columns, vertices, called, how)
    return open(store, name)


def _ids(ends: _np.ndarray, what: str) -> _np.ndarray:
    if ends.dtype.kind not in "iub" and ends.size:
        raise TypeError(f"{what} of edges are whole numbers or names, not {ends.dtype}")
    if ends.dtype.kind == "i" and ends.size and ends.min() < 0:
        raise ValueError(f"{what} of edges have the id {ends.min()}: ids are from 0 on")
    return _np.ascontiguousarray(ends, dtype=_np.uint64)


def _values(column: Any) -> _np.ndarray | None:
    return None if column is None else _np.ascontiguousarray(column, dtype=_np.float64)


def _number_names(sources: _np.ndarray, targets: _np.ndarray) -> tuple[_np.ndarray, _np.ndarray, list[str]]:
    both = [*sources.tolist(), *targets.tolist()]
    for one in both:
        if not isinstance(one, str):
            raise TypeError(f"ends of edges are all ids or all names; {one!r} is no name")
    places: dict[str, int] = {}
    numbered = _np.fromiter((places.setdefault(one, len(places)) for one in both), _np.uint64, len(both))
    return numbered[: len(sources)], numbered[len(sources) :], list(places)


def from_frame(
    store: Any,
    frame: Any,
    source: str = "source",
    target: str = "target",
    weight: str | None = None,
    *,
    time: str | None = None,
    **how: Any,
) -> Graph:
    """Makes a graph of the columns of a table: of pandas, Polars, pyarrow, or a dict of arrays.

    `how` is as for `from_edges`.

    >>> import perdure.graph as graph
    >>> graph.from_frame("frame.store", {"source": [0, 1], "target": [1, 2], "km": [1.5, 2.0]}, weight="km").weights
    array([1.5, 2. ])
    """

    def column(called: str | None) -> Any:
        if called is None:
            return None
        found = frame[called]
        return found.to_numpy() if hasattr(found, "to_numpy") else _np.asarray(found)

    return from_edges(store, column(source), column(target), column(weight), times=column(time), **how)


def from_scipy(store: Any, matrix: Any, *, directed: bool = True, weights: bool = True, **how: Any) -> Graph:
    """Makes a graph of a sparse matrix of SciPy: an edge for each entry, with its value as the weight.

    ``weights=False`` leaves the values out. An undirected graph needs a symmetric matrix. `how` is as for `from_edges`.
    """
    entries = matrix.tocoo()
    if entries.shape[0] != entries.shape[1]:
        raise ValueError(f"the matrix has the shape {entries.shape}: a graph needs a square one")
    sources, targets, data = entries.row, entries.col, entries.data
    if not directed:
        if abs(entries - entries.T).nnz != 0:
            raise ValueError("the matrix is not symmetric: give directed=True")
        once = sources <= targets
        sources, targets, data = sources[once], targets[once], data[once]
    return from_edges(
        store,
        sources,
        targets,
        data if weights else None,
        directed=directed,
        vertices=entries.shape[0],
        **how,
    )


def freeze(
    store: Any,
    name: str = "graph",
    *,
    by_degree: bool = False,
    rebuild: bool = False,
    whole: bool = False,
    threads: int | None = None,
) -> str:
    """Brings the CSR beside a growing graph up to date, on which algorithms are faster.

    Returns what was done: ``built``, ``patched``, ``merged`` or ``kept``. ``whole=True`` merges everything into the
    CSR, so that `Graph.indptr` has all edges.
    """
    return _graph.freeze(store, name, by_degree, rebuild, whole, _threads_of(threads))
