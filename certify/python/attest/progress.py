"""One line that says how far a call is, in a terminal or a notebook."""

from __future__ import annotations

import sys
from typing import Callable


def show() -> Callable[[str, float], None]:
    """A progress callback that rewrites one line on standard error; silent where nobody looks (a pipe, a log)."""
    notebook = "ipykernel" in sys.modules
    if not notebook and not sys.stderr.isatty():
        return lambda stage, fraction: None

    def tell(stage: str, fraction: float) -> None:
        sys.stderr.write(f"\r{stage[:60]:<60} {100 * fraction:5.1f} %")
        sys.stderr.flush()

    return tell
