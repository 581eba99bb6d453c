"""How the program of the experiments ends: by a signal, or with standard output that cannot be written."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from typing import Callable

SIGNALS = (signal.SIGINT, signal.SIGTERM)
UNDECIDED, BAD_INPUT = 30, 2
GRACE = 1.0  # seconds after the first signal
SAME = 0.5  # within these a second signal is the first one again: `timeout` sends its own twice

# Done once a signal asks the program to end. Nothing is raised where the signal happens to arrive.
interrupted: "Future[None]" = Future()

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
        os.write(2, b"attest: interrupted: stopped in the middle of a computation\n")
        os._exit(status)


def _end_later(seconds: float, status: int) -> None:
    last_resort = threading.Timer(seconds, _end, [status])
    last_resort.daemon = True
    last_resort.start()


def _answer(arrived: int) -> None:
    """Reads the signals, a byte each, as they come."""
    os.read(arrived, 1)
    interrupted.set_result(None)
    first = time.monotonic()
    _end_later(GRACE, UNDECIDED)
    while True:
        number = os.read(arrived, 1)[0]
        if time.monotonic() - first >= SAME:
            _end(128 + number)


def end_on_signals() -> None:
    """SIGINT and SIGTERM make ``interrupted`` done; a second later, or after another one, the process ends itself."""
    arrived, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    for number in SIGNALS:
        signal.signal(number, lambda number, frame: None)
    threading.Thread(target=_answer, args=[arrived], daemon=True).start()
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
