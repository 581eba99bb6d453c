"""Tables of notebooks: two columns of text."""

from __future__ import annotations

from html import escape
from typing import Sequence, Tuple


def table(title: str, rows: Sequence[Tuple[str, str]]) -> str:
    """The HTML of a table with a caption, a name and a value a row."""
    lines = "".join(f"<tr><th scope='row' style='text-align:left'>{escape(name)}</th>"
                    f"<td style='text-align:left'>{escape(value)}</td></tr>" for name, value in rows)
    return f"<table><caption>{escape(title)}</caption>{lines}</table>"
