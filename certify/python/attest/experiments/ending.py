"""How the program of the experiments ends: by a signal, or with standard output that cannot be written."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any, Callable, List

SIGNALS = (signal.SIGINT, signal.SIGTERM)
UNDECIDED, BAD_INPUT = 30, 2
GRACE = 1.0  # seconds after the first signal

# Held by whatever has a temporary file: while it is, the process does not end itself.
writing = threading.Lock()


def write(path: Path, data: bytes) -> None:
    """The file appears whole or not at all; no signal leaves the temporary one."""
    temporary = path.with_name(f".attest-tmp-{os.getpid()}-{threading.get_ident()}")
    with writing:
        try:
            with open(temporary, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def _end(status: int) -> None:
    """From a thread of its own: nothing is being written from here on."""
    with writing:
        print("attest: interrupted: stopped in the middle of a computation", file=sys.stderr, flush=True)
        os._exit(status)


def end_on_signals() -> None:
    """SIGINT and SIGTERM raise KeyboardInterrupt; a second later, or after another one, the process ends itself."""
    taken: List[int] = []

    def take(number: int, frame: Any) -> None:
        taken.append(number)
        first = len(taken) == 1
        last_resort = threading.Timer(GRACE if first else 0, _end, [UNDECIDED if first else 128 + number])
        last_resort.daemon = True
        last_resort.start()
        if first:
            raise KeyboardInterrupt

    for number in SIGNALS:
        signal.signal(number, take)
    # The command has held them back until here.
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)


def with_output(main: Callable[[], int]) -> int:
    """The status of `main`, unless what it prints cannot be written."""
    try:
        status = main()
        sys.stdout.flush()
        return status
    except OSError:
        print("attest: standard output cannot be written", file=sys.stderr)
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the interpreter flushes it once more
        return BAD_INPUT
