"""Indexes of the k-mers of genomes in stores, and reads classified by them.

    index = kmer.build("genomes.store", ["a.fna.gz", "b.fna.gz"], nodes="nodes.dmp", names="names.dmp")
    found = index.classify("reads.fq.gz")
    found.labels          # a taxon for each read, 0 for none
    print(found.report)   # in Kraken's format

In the next process ``kmer.open("genomes.store")`` has the index in a millisecond. Answers are those of Kraken 2 with an
index of minimizers, and those of LMAT with an exact one (``exact=True``).
"""

from __future__ import annotations

import os as _os
from typing import Any, NamedTuple

import numpy as _np

from perdure._handle import Handle as _Handle, files_of as _files_of, threads_of as _threads_of
from perdure._perdure import _kmer

__all__ = ["Classification", "Index", "KmerTaxa", "MinimizerRun", "Taxon", "add", "build", "compact", "open", "remove"]

_DEFAULT_NAME = "kmers"


class Classification(NamedTuple):
    """Answers for the reads of files, in their order. A pair of reads counts as one."""

    labels: _np.ndarray
    """Taxon of each read, 0 for none, as `uint32`."""
    names: list[str] | None
    """Names of the reads, if they were asked for."""
    reads: int
    classified: int
    bases: int
    report: str
    """Reads of each taxon and of all below it, in Kraken's format."""


class MinimizerRun(NamedTuple):
    """K-mers of a sequence, one after the other, with the same minimizer."""

    position: int
    """Place of the first k-mer in the sequence, from 0."""
    kmers: int
    """Number of k-mers."""
    minimizer: str | None
    """Letters, with a dot for each base that is left out; `None` for k-mers with an ambiguous base."""
    taxon: int
    """Taxon that the index has for the minimizer, or 0."""


class KmerTaxa(NamedTuple):
    """A k-mer of a sequence, and the taxa that an exact index has for it."""

    position: int
    """Place in the sequence, from 0."""
    kmer: str
    """The k-mer or its reverse complement, whichever comes first."""
    taxa: dict[int, int]
    """How often each taxon has the k-mer."""


class Taxon(NamedTuple):
    """A taxon of an index's taxonomy."""

    name: str
    rank: str
    parent: int


class Index(_Handle):
    """An index of a store, which stays open as long as this object. Make one with `open` or `build`."""

    __slots__ = ()
    _kind = "index"

    def __repr__(self) -> str:
        return f"<perdure.kmer.Index {self.name!r}: {'exact' if self.exact else 'minimizers'}, k = {self.k}>"

    def __reduce__(self):
        return open, self._path_and_name()

    @property
    def k(self) -> int:
        """Number of bases of a k-mer."""
        return self._handle.k

    @property
    def exact(self) -> bool:
        """Whether the index has all k-mers with all their taxa, and not minimizers."""
        return self._handle.exact

    def stats(self) -> dict[str, Any]:
        """Returns what the index is made of: numbers of sequences, bases, k-mers or minimizers, layers, bytes."""
        return self._handle.stats()

    def taxon(self, taxon: int) -> Taxon:
        """Returns name, rank and parent of a taxon. Raises `KeyError` for one that the taxonomy does not have."""
        found = self._handle.taxon(taxon) if 0 <= taxon < 2**32 else None
        if found is None:
            raise KeyError(f"the taxonomy of the index {self.name!r} has no taxon {taxon}")
        return Taxon(*found)

    def lookup(self, bases: str) -> list[MinimizerRun] | list[KmerTaxa]:
        """Returns what the index has for each minimizer of a sequence, or of an exact index for each k-mer."""
        kind = KmerTaxa if self.exact else MinimizerRun
        return [kind(*one) for one in self._handle.lookup(bases)]

    def classify(
        self,
        files: Any,
        *,
        paired: bool = False,
        confidence: float = 0.0,
        minimum_hit_groups: int = 2,
        names: bool = False,
        budget: int = 0,
        threads: int | None = None,
    ) -> Classification:
        """Classifies the reads of FASTA or FASTQ files, plain or compressed.

        With `paired` files are given in pairs: first reads, second reads. `confidence` and `minimum_hit_groups` are
        the rules of Kraken 2, and do not count with an exact index. `budget` is the number of bytes for reads and
        pages, for an index larger than memory.
        """
        labels, called, reads, classified, bases, report = self._handle.classify(
            _files_of(files), paired, confidence, minimum_hit_groups, names, budget, _threads_of(threads)
        )
        texts = [one.decode(errors="surrogateescape") for one in called] if names else None
        return Classification(labels, texts, reads, classified, bases, report.decode(errors="surrogateescape"))

    def classify_sequences(
        self, sequences: Any, *, confidence: float = 0.0, minimum_hit_groups: int = 2
    ) -> _np.ndarray:
        """Returns the taxon of each of some sequences in memory, 0 for none."""
        if isinstance(sequences, str):
            raise TypeError("give a list of sequences, not one text")
        return self._handle.classify_sequences(list(sequences), confidence, minimum_hit_groups)


def open(store: Any, name: str = _DEFAULT_NAME, *, budget: int = 0) -> Index:
    """Opens an index of a store for reading, in a millisecond whatever its size.

    `budget` is the number of bytes that the store's pages may take in memory; 0 sets no limit.
    """
    return Index(store, _kmer.open(store, name, budget))


def build(
    store: Any,
    genomes: Any,
    *,
    nodes: Any,
    names: Any,
    taxa: Any = None,
    name: str = _DEFAULT_NAME,
    exact: bool = False,
    k: int | None = None,
    l: int = 31,  # noqa: E741
    spaces: int = 7,
    prune: int = 0,
    skip_unmapped: bool = False,
    budget: int = 0,
    anew: bool = False,
    threads: int | None = None,
) -> Index:
    """Makes an index of FASTA or FASTQ files, and returns it.

    `nodes` and `names` are the files of an NCBI taxonomy. `taxa` is a file with a sequence's name and its taxon on each
    line; without it names say their taxon, as in ``kraken:taxid|562|``. `skip_unmapped` leaves sequences without a
    taxon out, which are an error else. With a `budget` in bytes a build that was killed goes on when it is called again.

    `k`, `l` and `spaces` are those of minimizers (35, 31, 7), and an exact index has only `k` (31), and `prune`, the
    most taxa of a k-mer.
    """
    how: dict[str, Any] = {
        "name": name,
        "exact": exact,
        "prune": prune,
        "skip_unmapped": skip_unmapped,
        "budget": budget,
        "anew": anew,
        "threads": _threads_of(threads),
    }
    if exact:
        if budget:
            raise ValueError("an exact index is made in memory: leave budget out")
        if k is not None:
            how["k"] = k
    else:
        how |= {"k": 35 if k is None else k, "l": l, "spaces": spaces}
    _kmer.build(
        store, _files_of(genomes), _os.fsdecode(nodes), _os.fsdecode(names), "" if taxa is None else _os.fsdecode(taxa), how
    )
    return open(store, name)


def _change(change: Any, store: Any, genomes: Any, taxa: Any, name: str, skip_unmapped: bool, threads: int | None):
    how = {"name": name, "skip_unmapped": skip_unmapped, "threads": _threads_of(threads)}
    change(store, _files_of(genomes), "" if taxa is None else _os.fsdecode(taxa), how)
    return open(store, name)


def add(
    store: Any,
    genomes: Any,
    *,
    taxa: Any = None,
    name: str = _DEFAULT_NAME,
    skip_unmapped: bool = False,
    threads: int | None = None,
) -> Index:
    """Adds genomes to an index, and returns it as it is then. Answers are those of one index of all genomes."""
    return _change(_kmer.add, store, genomes, taxa, name, skip_unmapped, threads)


def remove(store: Any, genomes: Any, *, taxa: Any = None, name: str = _DEFAULT_NAME, threads: int | None = None) -> Index:
    """Takes genomes out of an exact index, and returns it as it is then."""
    return _change(_kmer.remove, store, genomes, taxa, name, False, threads)


def compact(store: Any, *, name: str = _DEFAULT_NAME, threads: int | None = None) -> Index:
    """Merges the layers that `add` has made, and returns the index. Answers stay the same."""
    return _change(_kmer.compact, store, [], None, name, False, threads)
