"""The processor cores of this process, and pools of threads that share them."""

from __future__ import annotations

import os
import threading
from concurrent.futures import ThreadPoolExecutor

_of_thread = threading.local()


def cores() -> int:
    """How many cores this process may use; of a job that mpirun or srun started, its share of the machine's."""
    usable = len(os.sched_getaffinity(0))
    if not any(rank in os.environ for rank in ("OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK")):
        return usable
    for here in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS", "SLURM_TASKS_PER_NODE"):
        ranks = os.environ.get(here, "").split("(")[0].split(",")[0]
        if ranks.isdigit() and int(ranks) > 0:
            return max(1, min(usable, (os.cpu_count() or 1) // int(ranks)))
    return usable


def threads_of_call() -> int:
    """How many threads a call from this thread may take: 0, one for each core, but in a pool that shares them."""
    return int(getattr(_of_thread, "threads", 0))


def sharing_pool(jobs: int) -> ThreadPoolExecutor:
    """A pool of so many threads, whose calls take no more cores together than this process has."""
    def begin() -> None:
        _of_thread.threads = max(1, cores() // jobs)

    return ThreadPoolExecutor(jobs, initializer=begin)
