"""perdure.kmer: indexes of genomes, and reads classified by them."""

import pickle
import random

import numpy as np
import pytest

import perdure
from perdure import kmer

NODES = "1|1|no rank|\n2|1|genus|\n10|2|species|\n11|2|species|\n"
NAMES = "1|root||scientific name|\n2|Alpha||scientific name|\n10|Alpha one||scientific name|\n11|Alpha two||scientific name|\n"


def bases(count, seed):
    return "".join(random.Random(seed).choices("ACGT", k=count))


@pytest.fixture
def genomes(tmp_path):
    """Two genomes, a taxonomy of them, and reads: two of each, and one of neither."""
    (tmp_path / "nodes.dmp").write_text(NODES)
    (tmp_path / "names.dmp").write_text(NAMES)
    one, two = bases(2000, 1), bases(2000, 2)
    (tmp_path / "one.fa").write_text(f">kraken:taxid|10|one\n{one}\n")
    (tmp_path / "two.fa").write_text(f">second\n{two}\n")
    (tmp_path / "taxa.map").write_text("second\t11\n")
    reads = [one[100:200], two[300:400], one[700:900], two[1000:1150], bases(100, 3)]
    (tmp_path / "reads.fa").write_text("".join(f">r{i}\n{read}\n" for i, read in enumerate(reads)))
    return tmp_path, reads


def build(folder, store, files=("one.fa", "two.fa"), **how):
    return kmer.build(
        store,
        [folder / file for file in files],
        nodes=folder / "nodes.dmp",
        names=folder / "names.dmp",
        taxa=folder / "taxa.map",
        **how,
    )


@pytest.mark.parametrize("exact", [False, True])
def test_reads_get_the_taxa_of_their_genomes(genomes, path, exact):
    folder, reads = genomes
    index = build(folder, path, exact=exact)
    assert index.exact == exact and index.name == "kmers" and index.k == (31 if exact else 35)
    found = index.classify(folder / "reads.fa", names=True)
    assert found.labels.tolist() == [10, 11, 10, 11, 0] and found.labels.dtype == np.uint32
    assert found.names == ["r0", "r1", "r2", "r3", "r4"]
    assert (found.reads, found.classified) == (5, 4)
    assert "Alpha two" in found.report
    assert index.classify_sequences(reads).tolist() == found.labels.tolist()
    assert kmer.open(path).classify_sequences(reads[:1]).tolist() == [10]


@pytest.mark.parametrize("exact", [False, True])
def test_genomes_are_added(genomes, path, exact):
    folder, reads = genomes
    with build(folder, path, ["one.fa"], exact=exact) as index:
        assert index.classify_sequences(reads).tolist() == [10, 0, 10, 0, 0]
    with kmer.add(path, folder / "two.fa", taxa=folder / "taxa.map") as index:
        assert index.classify_sequences(reads).tolist() == [10, 11, 10, 11, 0]
        assert index.stats()["sequences"] == 2
    with kmer.compact(path) as index:
        assert index.stats()["layers"] == 1
        assert index.classify_sequences(reads).tolist() == [10, 11, 10, 11, 0]


def test_genomes_are_taken_out_of_an_exact_index(genomes, path):
    folder, reads = genomes
    build(folder, path, exact=True).close()
    with kmer.remove(path, folder / "one.fa", taxa=folder / "taxa.map") as index:
        assert index.classify_sequences(reads).tolist() == [0, 11, 0, 11, 0]
    kmer.build(
        path, folder / "one.fa", nodes=folder / "nodes.dmp", names=folder / "names.dmp", name="minimizers"
    ).close()
    with pytest.raises(NotImplementedError, match="only an exact index"):
        kmer.remove(path, folder / "one.fa", name="minimizers")


def test_lookups_say_what_the_index_has(genomes, path):
    folder, reads = genomes
    index = build(folder, path)
    runs = index.lookup(reads[0])
    assert {run.taxon for run in runs} == {10}
    assert sum(run.kmers for run in runs) == len(reads[0]) - 35 + 1 and runs[0].position == 0
    assert index.lookup("N" * 40)[0].minimizer is None
    assert index.taxon(10) == ("Alpha one", "species", 2)
    exact = build(folder, folder / "exact.store", exact=True)
    assert exact.lookup(reads[1])[0].taxa == {11: 1}
    with pytest.raises(KeyError):
        index.taxon(99)
    with pytest.raises(ValueError, match="4 bases"):
        index.lookup("ACGT")
    with pytest.raises(ValueError, match="no code of a nucleotide"):
        index.lookup("?" * 40)


def test_what_fails_leaves_no_store(genomes, path):
    folder, _ = genomes
    with pytest.raises(perdure.Error):
        kmer.build(path, folder / "two.fa", nodes=folder / "nodes.dmp", names=folder / "names.dmp")
    assert not path.exists()
    with pytest.raises(ValueError, match="budget"):
        build(folder, path, exact=True, budget=1 << 24)


def test_an_index_is_in_an_open_store_too(genomes, store):
    folder, reads = genomes
    index = build(folder, store)
    assert index.classify_sequences(reads[:1]).tolist() == [10]
    with pytest.raises(ValueError, match='"kmers"'):
        store.close()
    index.close()
    store.close()
    assert pickle.loads(pickle.dumps(kmer.open(store.path))).k == 35
