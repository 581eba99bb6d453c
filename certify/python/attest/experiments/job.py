"""The processes of one job: those that mpirun or srun started together, or this one by itself."""

from __future__ import annotations

import os
from typing import Any, Callable, TypeVar, cast

T = TypeVar("T")


class SaidByFirst(Exception):
    """The first process could not begin, and says why."""


class Alone:
    """This process by itself."""

    rank, size = 0, 1

    def from_first(self, make: Callable[[], T]) -> T:
        """What ``make`` returns in the first process. Its exceptions are raised there, SaidByFirst elsewhere."""
        return make()

    def wait(self) -> None:
        """Returns when all are here."""

    def give_up(self, status: int) -> int:
        """Ends the whole job when there are others, which would wait for ever; else the status."""
        return status


class World(Alone):
    """All processes of MPI's world."""

    def __init__(self) -> None:
        from mpi4py import MPI

        self._world: Any = MPI.COMM_WORLD
        self.rank, self.size = self._world.Get_rank(), self._world.Get_size()

    def from_first(self, make: Callable[[], T]) -> T:
        if self.rank > 0:
            made, told = self._world.bcast(None)
            if not made:
                raise SaidByFirst
            return cast(T, told)
        try:
            value = make()
        except BaseException:
            self._world.bcast((False, None))
            raise
        self._world.bcast((True, value))
        return value

    def wait(self) -> None:
        self._world.Barrier()

    def give_up(self, status: int) -> int:
        self._world.Abort(status)
        return status


def join() -> Alone:
    """The job that this process belongs to (the variables are those of certify/process/ranks.cpp).

    Raises ImportError: there are others, but mpi4py is not installed.
    """
    for rank, size in (("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMIX_RANK", "SLURM_NTASKS"),
                       ("PMI_RANK", "PMI_SIZE")):
        if rank in os.environ and int(os.environ.get(size, "1")) > 1:
            return World()
    return Alone()
