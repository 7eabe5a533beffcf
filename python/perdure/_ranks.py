"""Messages between the ranks of a program, by mpi4py, for sets of stores. Nothing else imports mpi4py."""

from __future__ import annotations

from typing import Any

import numpy as np

from perdure._perdure import InvalidError, StoredTypeError, _combine_votes, remove

#: The type of a vote and what combines two of them, by the bytes of a vote; MPI keeps a small number of operations.
_votes: dict[int, tuple[Any, Any]] = {}


def _vote_of(MPI: Any, size: int) -> tuple[Any, Any]:
    if size not in _votes:
        _votes[size] = (MPI.BYTE.Create_contiguous(size).Commit(), MPI.Op.Create(lambda votes, into, _: _combine_votes(votes, into), commute=True))
    return _votes[size]


def remove_on_rank_0(path: str, comm: Any) -> None:
    """Deletes the set at a path, if there is one. Collective. Raises on all ranks what rank 0 met."""
    failure = None
    if comm.Get_rank() == 0:
        try:
            remove(path)
        except Exception as error:
            failure = error
    failure = comm.bcast(failure, 0)
    if failure is not None:
        raise failure


class Channel:
    """A copy of a communicator, with the one message that is under way in it.

    Methods start a message; `test` says whether it is done, and `result` returns what it brought.
    """

    def __init__(self, comm: Any) -> None:
        try:
            from mpi4py import MPI
        except ImportError:
            raise StoredTypeError(f"comm= needs the package mpi4py, and it is not installed; comm is a {comm.__class__.__name__}") from None
        if not MPI.Is_initialized() or MPI.Is_finalized():
            raise InvalidError("MPI does not run: a set of stores is opened between MPI.Init and MPI.Finalize")
        if isinstance(comm, MPI.Comm) and comm == MPI.COMM_NULL:
            raise InvalidError("a set of stores cannot be opened on MPI.COMM_NULL")
        if not isinstance(comm, MPI.Intracomm):
            raise StoredTypeError(f"comm is a communicator of mpi4py, such as MPI.COMM_WORLD, not a {comm.__class__.__name__}")
        self._mpi = MPI
        self._given = comm
        self._own = MPI.COMM_NULL
        self.rank = comm.Get_rank()
        self.size = comm.Get_size()
        self._request = MPI.REQUEST_NULL
        #: What the message reads and writes, while it is under way.
        self._memory: tuple[Any, ...] = ()
        self._sizes = np.empty(0, np.int32)

    def begin(self) -> None:
        self._own, self._request = self._given.Idup()
        self._memory = (b"",)

    def reduce(self, own: bytes) -> None:
        MPI = self._mpi
        if self._own.Get_errhandler() != MPI.ERRORS_RETURN:
            self._own.Set_errhandler(MPI.ERRORS_RETURN)
        type, combine = _vote_of(MPI, len(own))
        self._memory = (bytearray(own), bytearray(own))
        to = [self._memory[0], 1, type] if self.rank == 0 else None
        self._request = self._own.Ireduce([self._memory[1], 1, type], to, combine, 0)

    def broadcast(self, data: bytes) -> None:
        self._memory = (bytearray(data),)
        self._request = self._own.Ibcast([self._memory[0], self._mpi.BYTE], 0)

    def gather_sizes(self, size: int) -> None:
        self._sizes = np.zeros(self.size if self.rank == 0 else 0, np.int32)
        own = np.array([size], np.int32)
        self._memory = (self._sizes, own)
        self._request = self._own.Igather([own, self._mpi.INT], [self._sizes, 1, self._mpi.INT] if self.rank == 0 else None, 0)

    def gather(self, own: bytes) -> None:
        MPI = self._mpi
        self._memory = (bytearray(int(self._sizes.sum())), bytearray(own))
        begins = np.concatenate(([0], np.cumsum(self._sizes)[:-1])) if self.rank == 0 else None
        to = [self._memory[0], (self._sizes.tolist(), begins.tolist()), MPI.BYTE] if self.rank == 0 else None
        self._request = self._own.Igatherv([self._memory[1], len(own), MPI.BYTE], to, 0)

    def test(self) -> bool:
        return self._request.Test()

    def result(self) -> bytes:
        done = bytes(self._memory[0])
        self._memory = ()
        return done

    def progress(self) -> None:
        self._own.Iprobe(self._mpi.ANY_SOURCE, self._mpi.ANY_TAG)

    def has_ended(self) -> bool:
        return self._mpi.Is_finalized()

    def free(self) -> None:
        if self._own != self._mpi.COMM_NULL and not self.has_ended():
            self._own.Free()
