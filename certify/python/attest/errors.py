"""What the package raises beside ValueError, MemoryError and KeyboardInterrupt."""

from __future__ import annotations

import re


_OPTION = re.compile(r"--([A-Za-z][A-Za-z0-9-]*)")


def _argument(option: "re.Match[str]") -> str:
    return option.group(1).replace("-", "_")


class InputError(ValueError):
    """Data that are no instance, or an option that cannot be: one clause, with the key and the index it is about.

    Attributes: ``file``, ``key``, ``index`` (text, as in ``"[3,1,2]"``) and ``reason``; empty where they do not apply.
    """

    def __init__(self, text: str, file: str = "", key: str = "", index: str = "", reason: str = "") -> None:
        if key.startswith("--"):  # an option of the command: the argument's name
            text, reason = (_OPTION.sub(_argument, given) for given in (text, reason))
            key = _OPTION.sub(_argument, key)
        super().__init__(text)
        self.file = file
        self.key = key
        self.index = index
        self.reason = reason or text


class CheckFailure(Exception):
    """A certificate that the independent checker does not verify.

    ``status`` is the exit status of ``attest-check``: 1 rejected, 2 malformed, 4 for another instance, 5 too large.
    """

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text)
        self.status = status
