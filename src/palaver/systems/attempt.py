"""One attempt at an answer that failed: what went wrong, and whether trying again may help.

A connector raises `AttemptError`; the guard around it decides about another attempt and, after the
last one, raises the SystemFailureError that the rest of Palaver knows.
"""

from typing import Any, Literal, get_args

from palaver.core.errors import SystemFailureError

FailureKind = Literal["timeout", "unreachable", "refused", "garbage", "error"]
FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)

# Failures of these kinds often pass by themselves.
PASSING = frozenset({"timeout", "unreachable", "garbage"})

DETAIL_LENGTH = 600


class AttemptError(SystemFailureError):
    """A failed attempt; `wait` is how many seconds the other side asked us to wait.

    `came` is what was sent instead of an answer, whole, secrets and all.
    """

    kind: FailureKind

    def __init__(
        self,
        kind: FailureKind,
        detail: str,
        *,
        may_pass: bool | None = None,
        wait: float | None = None,
        came: Any = None,
    ) -> None:
        super().__init__(kind, shorten(detail, DETAIL_LENGTH))
        self.may_pass = kind in PASSING if may_pass is None else may_pass
        self.wait = wait
        self.came = came


def shorten(text: str, length: int = 200) -> str:
    """The first `length` characters of `text`, marked when something was left out."""
    return text if len(text) <= length else text[:length] + "…"
