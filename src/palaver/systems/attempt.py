"""One attempt at an answer that failed: what went wrong, and whether trying again may help.

A connector raises `AttemptError`; the guard around it decides about another attempt and, after the
last one, raises the SystemFailureError that the rest of Palaver knows. A participant reads one calm
sentence instead, without jargon.
"""

from typing import Any, Literal, get_args

from palaver.core.characters import NULL
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


# What whoever submitted an endpoint is told of its failures.
KIND_SENTENCES: dict[FailureKind, str] = {
    "timeout": "The endpoint did not answer in time",
    "unreachable": "The endpoint could not be reached",
    "refused": "The endpoint refused to answer",
    "garbage": "The endpoint sent something that is not an answer to the question",
    "error": "The endpoint failed",
}


class AttemptError(SystemFailureError):
    """A failed attempt; `wait` is how many seconds the other side asked us to wait.

    `came` is what was sent instead of an answer, whole, secrets and all. `is_final` says that no
    single question is to blame and that asking again changes nothing; `is_busy`, that somebody is
    there who cannot answer just now. `plain` says what is wrong without a word of what was sent.
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
        is_final: bool = False,
        is_busy: bool = False,
        plain: str = "",
    ) -> None:
        super().__init__(kind, shorten(detail, DETAIL_LENGTH))
        self.may_pass = kind in PASSING and not is_final if may_pass is None else may_pass
        self.is_final = is_final
        self.is_busy = is_busy
        self.plain = plain
        self.wait = wait
        self.came = came


class ForbiddenError(AttemptError):
    """The address leads where it may not be asked; the words are ours."""

    def __init__(self, detail: str) -> None:
        super().__init__("refused", detail, may_pass=False)


def without_quotes(error: AttemptError) -> AttemptError:
    """The same failure by its kind, or in plain words: nothing of what the other side sent."""
    if isinstance(error, ForbiddenError):
        return error
    status = getattr(error, "status", None)
    answered = "" if status is None else f" (status {status})"
    told = AttemptError(
        error.kind,
        error.plain or f"{KIND_SENTENCES[error.kind]}{answered}",
        may_pass=error.may_pass,
        wait=error.wait,
        came=error.came,
        is_final=error.is_final,
        is_busy=error.is_busy,
    )
    told.attempts = error.attempts
    return told


def shorten(text: str, length: int = 200) -> str:
    """The first `length` characters of `text`, marked when something was left out.

    What others send may hold null characters, which no store keeps.
    """
    text = text.replace(NULL, "\u2400")
    return text if len(text) <= length else text[:length] + "…"


def apology(kind: str) -> str:
    """The sentence for a failure of this kind; the general one for a kind nobody knows."""
    return PARTICIPANT_SENTENCES.get(kind, PARTICIPANT_SENTENCES["error"])
