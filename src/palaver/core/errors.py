"""Every error Palaver raises on purpose.

PalaverError
├── InputError               something given from outside is wrong
│   ├── StudyError           a study file; carries a list of problems with file and line
│   ├── UnknownNameError     a name nobody registered; near matches are named
│   ├── MissingError         something that was named is not here
│   ├── AnswerError          an answer its question does not take
│   ├── BrokenCheckError     a task's own check of answers failed: no answer is at fault
│   └── MissingExtraError    an optional package is not installed
├── MoveError                a move the conversation refuses; carries a short code
├── AccessError              whoever asks may not
│   └── LinkError            a link that is forged or incomplete
│       ├── ExpiredLinkError a link that was good once; it still leads to the withdrawal
│       └── RevokedLinkError a link that was taken back before anybody used it
├── SystemFailureError       a conversation partner or a model gave no usable answer
├── PanelError               a panel's service was asked for something, and it did not work out
│   ├── PanelTokenError      the service does not accept the token
│   ├── PanelMissingError    what was meant is not there any more
│   ├── PanelRefusedError    refused, in the service's own words
│   ├── PanelBusyError       too many requests, to the end; `wait` seconds may help
│   ├── PanelUnreachableError   nothing was changed: no connection, or no answer to a question
│   └── PanelUnknownError    something was sent, and whether it happened is not known
├── EngineError              a cluster lost work that it had been given
└── StoreError
    ├── ConflictError        the expected sequence number is taken: refold and ask again
    ├── LeaseLostError       another process drives this dialogue now
    ├── StoreUnavailableError   full disk, lost database: nothing was stored, try again
    ├── StoreBusyError       another process serves this file
    └── StoreVersionError    the database was written by a newer Palaver

A message says what was given, what was expected and what to do next. The edges (web, command
line, a job) turn an error into a page, a line or a failed state, each in one place.
"""

from dataclasses import dataclass

from palaver.core.raw_answers import RawAnswer


class PalaverError(Exception):
    """The root: its text is meant to be read by the person who can act on it."""


class InputError(PalaverError):
    """Something given from outside is wrong."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a file, and where."""

    file: str
    line: int
    column: int
    message: str
    warning: bool = False

    def __str__(self) -> str:
        where = f"{self.file}:{self.line}:{self.column}" if self.line else self.file
        return f"{where}: {'warning: ' if self.warning else ''}{self.message}"


class StudyError(InputError):
    """A study file is wrong; `problems` lists every place."""

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


class UnknownNameError(InputError):
    """A name nobody registered."""


class MissingError(InputError):
    """Something that was named is not here."""


class AnswerError(InputError):
    """An answer its question does not take."""


class BrokenCheckError(InputError):
    """A task's own check of answers failed, which says nothing about the answer."""


class MissingExtraError(InputError):
    """An optional package is needed and not installed."""

    def __init__(self, what: str, extra: str) -> None:
        super().__init__(f"{what} needs the extra '{extra}': pip install 'palaver[{extra}]'")
        self.extra = extra


class MoveError(PalaverError):
    """A move the conversation refuses; `code` is stable, the text is for the participant."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class AccessError(PalaverError):
    """Whoever asks may not."""


class LinkError(AccessError):
    """A link that is forged or incomplete."""


class ExpiredLinkError(LinkError):
    """A link that was good once: it lets nobody take part, and still leads to the withdrawal."""


class RevokedLinkError(LinkError):
    """A link that was taken back before anybody used it."""


class PanelError(PalaverError):
    """A panel's service was asked for something, and it did not work out; nothing was changed there.

    Only `PanelUnknownError` leaves open whether something was.
    """


class PanelTokenError(PanelError):
    """The service does not accept the token, or does not let its owner do this."""


class PanelMissingError(PanelError):
    """What was meant is not there: it was deleted, or it belongs to another workspace."""


class PanelRefusedError(PanelError):
    """The service refused, for a reason that it gives in its own words."""


class PanelBusyError(PanelError):
    """The service takes no more requests for now; `wait` is how many seconds it asks for, if it says."""

    def __init__(self, message: str, *, wait: float | None = None) -> None:
        super().__init__(message)
        self.wait = wait


class PanelUnreachableError(PanelError):
    """The service was not reached, or did not answer a question: nothing was changed."""


class PanelUnknownError(PanelError):
    """Something that changes the service was sent, and no answer says whether it happened.

    It must never be sent again by itself: look at the service first.
    """


class EngineError(PalaverError):
    """A cluster lost work that it had been given."""


class SystemFailureError(PalaverError):
    """A conversation partner gave no usable answer.

    `kind` is timeout, unreachable, refused, garbage, illegal, silent or error; `raw` is what came
    instead, where something did.
    """

    def __init__(
        self, kind: str, detail: str, *, attempts: int = 1, raw: RawAnswer | None = None
    ) -> None:
        super().__init__(detail)
        self.kind = kind
        self.attempts = attempts
        self.raw = raw


class StoreError(PalaverError):
    """The store could not do what was asked."""


class ConflictError(StoreError):
    """The expected sequence number, or another unique place, is taken."""


class LeaseLostError(StoreError):
    """Another process drives this dialogue now."""


class StoreUnavailableError(StoreError):
    """Nothing was stored; the same request may be sent again later."""


class StoreBusyError(StoreError):
    """Another process serves this file."""


class StoreVersionError(StoreError):
    """The database was written by a newer Palaver."""
