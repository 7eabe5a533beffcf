"""perdure.graph: graphs of a store, with results in NumPy arrays."""

import gc
import os
import pickle
import signal
import threading
import time
from collections import deque

import numpy as np
import pytest

import perdure
import perdure.graph as graph


@pytest.fixture
def store(tmp_path):
    return tmp_path / "web.store"


@pytest.fixture
def triangle(store):
    """Two triangles that share vertex 2, and a tail 4 - 5."""
    return graph.from_edges(store, [0, 1, 2, 2, 3, 4, 4], [1, 2, 0, 3, 4, 2, 5], directed=False)


def levels_of(vertices, edges, source):
    neighbours = [[] for _ in range(vertices)]
    for a, b in edges:
        neighbours[a].append(b)
    levels = [-1] * vertices
    levels[source] = 0
    waiting = deque([source])
    while waiting:
        v = waiting.popleft()
        for u in neighbours[v]:
            if levels[u] < 0:
                levels[u] = levels[v] + 1
                waiting.append(u)
    return levels


def test_a_graph_is_there_in_the_next_opening(store, triangle):
    del triangle
    again = graph.open(store)
    assert (again.vertices, again.edges, again.directed, again.grows) == (6, 7, False, False)
    assert again.name == "graph" and graph.names(store) == ["graph"]
    assert repr(again) == "<perdure.graph.Graph 'graph': 6 vertices, 7 edges, undirected>"


def test_rows_are_read_only_views_of_the_store(triangle):
    assert np.array_equal(triangle.indptr, [0, 2, 4, 8, 10, 13, 14])
    assert np.array_equal(triangle.indices[triangle.indptr[4] : triangle.indptr[5]], [2, 3, 5])
    assert triangle.weights is None
    for view in (triangle.indptr, triangle.indices):
        assert not view.flags.owndata and not view.flags.writeable
    assert triangle.indices.ctypes.data == triangle.indices.ctypes.data


def test_views_keep_the_store_open(store, triangle):
    indices = triangle.indices
    expected = indices.copy()
    del triangle
    gc.collect()
    assert np.array_equal(indices, expected)


def test_algorithms_give_arrays(triangle):
    assert triangle.bfs(0).levels.tolist() == [0, 1, 1, 2, 2, 3]
    assert triangle.bfs(0).parents[5] == 4 and triangle.bfs(0).levels.dtype == np.int32
    assert triangle.sssp(0).tolist() == [0, 1, 1, 2, 2, 3]
    path = triangle.shortest_path(0, 5)
    assert path.vertices.tolist() == [0, 2, 4, 5] and path.distance == 3
    assert triangle.components().count == 1 and triangle.components().labels.tolist() == [0] * 6
    assert triangle.core_numbers().tolist() == [2, 2, 2, 2, 2, 1]
    assert triangle.triangle_count() == 2
    found = triangle.clustering()
    assert found.triangles.tolist() == [1, 1, 2, 1, 1, 0] and found.total == 2
    assert found.coefficients[2] == pytest.approx(2 / 6)
    trusses = triangle.trusses()
    assert dict(zip(zip(trusses.sources.tolist(), trusses.targets.tolist()), trusses.trusses.tolist()))[4, 5] == 2
    assert trusses.trusses.max() == 3
    assert triangle.pagerank().sum() == pytest.approx(1) and triangle.pagerank().argmax() == 2
    assert triangle.betweenness()[4] == 4
    assert triangle.degrees().tolist() == [2, 2, 4, 2, 3, 1] == triangle.in_degrees().tolist()
    assert triangle.neighbours(4).tolist() == [2, 3, 5]
    near, histogram = triangle.neighbourhood(5, 2)
    assert near[0] == 5 and histogram.tolist() == [1, 1, 2]
    communities = triangle.louvain()
    assert communities.count == len(set(communities.labels.tolist())) and communities.modularity > 0
    assert triangle.louvain(start=communities.labels).modularity >= communities.modularity
    assert len(triangle.label_propagation().labels) == 6


def test_a_directed_graph_has_directions(store):
    made = graph.from_edges(store, [0, 1, 2, 3], [1, 2, 0, 0])
    assert made.directed
    assert made.strong_components().labels.tolist() == [0, 0, 0, 3]
    assert made.components().count == 1 and made.strong_components().count == 2
    assert made.bfs(0).levels.tolist() == [0, 1, 2, -1] and made.bfs(0).parents[3] == -1
    assert made.in_degrees().tolist() == [2, 1, 1, 0]
    lost = made.shortest_path(0, 3)
    assert len(lost.vertices) == 0 and lost.distance == float("inf")


@pytest.mark.parametrize("threads", [1, 4])
@pytest.mark.parametrize("grows", [False, True])
def test_levels_are_those_of_a_plain_search(store, threads, grows):
    random = np.random.default_rng(5)
    edges = random.integers(0, 500, (1500, 2))
    made = graph.from_edges(store, *edges.T, grows=grows, vertices=0 if grows else 500)
    if grows:
        made.close()
        made = graph.from_edges(store, [], [], grows=True, vertices=500)
    assert made.vertices == 500 and made.grows == grows
    order = np.argsort(made.ids)
    found = made.bfs(7, threads=threads).levels[order]
    assert found.tolist() == levels_of(500, edges.tolist(), 7)


def test_weights_count(store):
    made = graph.from_edges(store, [0, 0, 1], [1, 2, 2], [1.5, 9, 2], name="roads", directed=False)
    assert made.weighted and made.name == "roads"
    assert made.sssp(0).tolist() == [0, 1.5, 3.5]
    assert made.weights.tolist() == [1.5, 9, 1.5, 2, 9, 2] and not made.weights.flags.owndata


def test_ids_and_names_are_what_the_input_says(store):
    numbered = graph.from_edges(store, np.array([10, 2**63], "u8"), np.array([2**63, 7], "u8"), name="numbered")
    assert numbered.ids.tolist() == [7, 10, 2**63]
    assert numbered.number(10) == 1 and numbered.numbers([7, 2**63]).tolist() == [0, 2]
    assert numbered.bfs(10).levels.tolist() == [2, 0, 1]
    with pytest.raises(KeyError, match="no vertex 11"):
        numbered.number(11)
    numbered.close()
    named = graph.from_edges(store, ["Bern", "Paris"], ["Paris", "Rome"], name="named")
    assert sorted(named.names) == ["Bern", "Paris", "Rome"]
    assert named.bfs("Bern").levels[named.number("Rome")] == 2
    with pytest.raises(KeyError, match="'Wien'"):
        named.bfs("Wien")
    with pytest.raises(TypeError):
        named.bfs(1.5)


def test_files_are_ingested_once(store, tmp_path):
    file = tmp_path / "edges.tsv"
    file.write_text("0\t1\t2.5\n1\t2\t1\n")
    made = graph.ingest(store, file)
    assert made.grows and made.edges == 2 and made.weighted
    made.close()
    with pytest.raises(ValueError, match="closed"):
        made.edges  # noqa: B018
    with pytest.raises(OSError, match="already"):
        graph.ingest(store, file)
    with graph.ingest(store, [file], again=True) as twice:
        assert twice.edges == 4
    with pytest.raises(perdure.Error):
        graph.ingest(store, tmp_path / "none.tsv")
    assert graph.open(store).edges == 4


def test_a_growing_graph_has_rows_once_it_is_frozen(store, tmp_path):
    made = graph.from_edges(store, [0, 1], [1, 2], grows=True)
    with pytest.raises(ValueError, match="freeze"):
        made.indptr
    indptr, _, weights = made.rows()
    assert indptr[-1] == 2 and weights is None
    del made
    assert graph.freeze(store) == "built"
    assert graph.open(store).indptr.tolist() == [0, 1, 2, 2]
    more = graph.from_edges(store, [2], [0], grows=True)
    assert more.edges == 3 and more.strong_components().count == 1
    with pytest.raises(ValueError, match="freeze"):
        more.indptr
    del more
    graph.freeze(store, whole=True)
    assert graph.open(store).indices.tolist() == [1, 2, 0]


def test_a_csr_is_built_from_files(store, tmp_path):
    file = tmp_path / "net.mtx"
    file.write_text("%%MatrixMarket matrix coordinate pattern symmetric\n4 4 2\n2 1\n3 2\n")
    made = graph.build(store, file, name="net", budget=1 << 24)
    assert made.vertices == 4 and made.edges == 2 and not made.directed
    assert made.ids.tolist() == [1, 2, 3, 4]
    made.close()
    with pytest.raises(OSError, match="already"):
        graph.from_edges(store, [0], [1], name="net")
    with pytest.raises(TypeError, match="'colour'"):
        graph.build(store, file, colour=1)
    with pytest.raises(ValueError, match="no format"):
        graph.build(store, file, name="other", format="hat")


def test_frames_are_taken_by_column(store):
    table = {"from": np.array([0, 1]), "to": np.array([1, 2]), "cost": np.array([2.0, 3.0])}
    made = graph.from_frame(store, table, "from", "to", "cost", directed=False)
    assert made.sssp(0).tolist() == [0, 2, 5]


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_frames_of_other_libraries_are_taken(store, library):
    frames = pytest.importorskip(library)
    made = graph.from_frame(store, frames.DataFrame({"source": ["a", "b"], "target": ["b", "c"], "w": [1.0, 2.0]}), weight="w")
    assert made.sssp("a")[made.number("c")] == 3


def test_scipy_has_the_same_matrix(store):
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random_array((50, 50), density=0.1, rng=np.random.default_rng(3), format="csr")
    made = graph.from_scipy(store, matrix)
    back = made.to_scipy()
    assert abs(back - matrix).nnz == 0
    assert np.shares_memory(back.data, made.weights)
    del back
    made.close()
    with pytest.raises(ValueError, match="symmetric"):
        graph.from_scipy(store, matrix, name="other", directed=False)
    both = graph.from_scipy(store, matrix + matrix.T, name="both", directed=False)
    assert abs(both.to_scipy() - (matrix + matrix.T)).nnz == 0


def test_networkx_and_igraph_have_the_same_graph(triangle, store):
    networkx = pytest.importorskip("networkx")
    igraph = pytest.importorskip("igraph")
    other = triangle.to_networkx()
    assert networkx.single_source_shortest_path_length(other, 0) == dict(enumerate(triangle.bfs(0).levels.tolist()))
    assert triangle.to_igraph().coreness() == triangle.core_numbers().tolist()
    assert igraph.__name__ == "igraph"
    triangle.close()
    named = graph.from_edges(store, ["x", "y"], ["y", "z"], [1, 2], name="named")
    assert sorted(named.to_networkx().edges(data="weight")) == [("x", "y", 1.0), ("y", "z", 2.0)]
    assert named.to_igraph().es["weight"] == [1.0, 2.0]


@pytest.mark.parametrize(
    ("sources", "targets", "options", "raised", "says"),
    [
        ([0], [1, 2], {}, ValueError, "1 sources and 2 targets"),
        ([-1], [1], {}, ValueError, "from 0 on"),
        ([0.5], [1.0], {}, TypeError, "whole numbers"),
        (["a"], [1], {}, TypeError, "all names"),
        ([[0]], [[1]], {}, ValueError, "one dimension"),
        ([0], [1], {"weights": [1, 2]}, ValueError, "1 edges and 2 weights"),
        ([0], [1], {"weights": [np.nan]}, ValueError, "not finite"),
        ([0], [1], {"times": [1.0]}, ValueError, "grows=True"),
        ([0], [1], {"threads": 0}, ValueError, "threads"),
        ([0], [1], {"grows": True, "duplicates": "some"}, ValueError, "keep, sum"),
    ],
)
def test_edges_that_are_none_are_refused(store, sources, targets, options, raised, says):
    with pytest.raises(raised, match=says):
        graph.from_edges(store, sources, targets, **options)
    assert not store.exists()


def test_a_graph_is_pickled_as_its_place(store, triangle):
    again = pickle.loads(pickle.dumps(triangle))
    assert again.bfs(0).levels.tolist() == triangle.bfs(0).levels.tolist()


def test_threads_run_beside_an_algorithm(store):
    random = np.random.default_rng(1)
    made = graph.from_edges(store, *random.integers(0, 3000, (2, 20000)))
    counted = 0
    done = threading.Event()

    def work():
        made.betweenness(threads=1)
        done.set()

    worker = threading.Thread(target=work)
    worker.start()
    while not done.is_set():
        counted += 1
        time.sleep(0.001)
    worker.join()
    assert counted > 1


def test_an_interrupt_ends_an_algorithm(store):
    random = np.random.default_rng(1)
    made = graph.from_edges(store, *random.integers(0, 200_000, (2, 1_000_000)))
    for threads in (1, 2):
        timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            made.betweenness(threads=threads)  # hours, by itself
        timer.join()
    assert made.components().count >= 1


def test_a_graph_is_made_in_an_open_store(path):
    with perdure.open(path, "w") as s:
        s["other"] = np.arange(3)
        made = graph.from_edges(s, [0, 1], [1, 2], name="web")
        s["ranks"] = made.pagerank()
        assert graph.names(s) == ["web"]
        indices = made.indices
        del made
        with pytest.raises(ValueError, match='"web"'):
            s.close()
    assert indices.tolist() == [1, 2]
    del indices
    with perdure.open(path) as s:
        assert graph.open(s).edges == 2
        with pytest.raises(OSError, match="read"):
            graph.from_edges(s, [0], [1], name="more")


def test_what_fails_leaves_an_open_store_to_be_discarded(path):
    with pytest.raises(OSError, match="already"), perdure.open(path, "w") as s:
        graph.from_edges(s, [0], [1])
        s.checkpoint()
        s["x"] = 1
        graph.from_edges(s, [0], [1])
    with perdure.open(path) as s:
        assert graph.names(s) == ["graph"] and "x" not in s
