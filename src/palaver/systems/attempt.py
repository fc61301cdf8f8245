"""One attempt at an answer that failed: what went wrong, and whether trying again may help.

A connector raises `AttemptError`; the guard around it decides about another attempt and, after the
last one, raises the SystemFailureError that the rest of Palaver knows. A participant reads one calm
sentence instead, without jargon.
"""

from typing import Any, Literal, get_args

from palaver.core.errors import SystemFailureError

FailureKind = Literal["timeout", "unreachable", "refused", "garbage", "error"]
FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)

# Failures of these kinds often pass by themselves.
PASSING = frozenset({"timeout", "unreachable", "garbage"})

DETAIL_LENGTH = 600

_KEPT = "Your message is kept; please send it again or write something else."

PARTICIPANT_SENTENCES: dict[str, str] = {
    "timeout": f"Your partner is taking too long to answer. {_KEPT}",
    "unreachable": f"Your partner cannot be reached just now. {_KEPT}",
    "refused": f"Your partner cannot answer just now. {_KEPT}",
    "garbage": f"Your partner's answer could not be understood. {_KEPT}",
    "error": f"Your partner could not answer just now. {_KEPT}",
}


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


def apology(kind: str) -> str:
    """The sentence for a failure of this kind; the general one for a kind nobody knows."""
    return PARTICIPANT_SENTENCES.get(kind, PARTICIPANT_SENTENCES["error"])
