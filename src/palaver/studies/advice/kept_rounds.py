"""Rounds that were closed, and their results as they are kept.

That a round is closed is said by an entry of the audit trail, which is never edited: it names where the
files lie and the digest of their list.
"""

import hashlib
from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection

from palaver.core.audit import AuditEntry, AuditFilter
from palaver.core.deadlines import in_both_zones
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.kept_files import ResultFile
from palaver.evaluation.home import EvaluationHome
from palaver.storage.audit.entries import all_entries
from palaver.storage.kept_folders import kept_file

ACT = "round.close"
KEPT = "kept.json"
# The board among the files.
BOARD_FILE = "board.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClosedAdviceRound:
    """A round that was closed; `public` says whether its board was for everybody then.

    `place` is where its files are kept, `digest` that of their list.
    """

    study: str
    title: str
    closed: float
    answer: str
    public: bool
    models: int
    place: str
    digest: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundResults:
    """The results of a round as they are kept: what they say, and the files that tell it."""

    study: str
    title: str
    closed: float
    answer: str
    models: tuple[str, ...]
    situations: int
    judgements: int
    people: int
    files: tuple[ResultFile, ...]


def closed_rounds(connection: Connection) -> list[ClosedAdviceRound]:
    """Every round of this home that was closed, the newest first."""
    entries = all_entries(connection, AuditFilter(act=ACT))
    return [_closed(entry) for entry in entries][::-1]


def find_closed(home: EvaluationHome, study: str) -> ClosedAdviceRound | None:
    """The round of a study, if it was closed."""
    return home.store.read_now(lambda c: closed_round(c, study))


def closed_round(connection: Connection, study: str) -> ClosedAdviceRound | None:
    """The round of a study, if it was closed."""
    entries = all_entries(connection, AuditFilter(act=ACT, study=study))
    return next(map(_closed, entries), None)


def round_results(home: EvaluationHome, study: str) -> RoundResults:
    """The results as they were kept; InputError while the round is open."""
    return _results(home, _known(home, study))


def round_file(home: EvaluationHome, study: str, path: str) -> bytes:
    """A file of the results, byte by byte as it was kept; a folder stands for its page."""
    closed = _known(home, study)
    found = kept_file(home.objects, closed.place, _results(home, closed).files, path)
    if found is None:
        raise UnknownNameError(f"The results of '{study}' have no file '{path[:80]}'.")
    return found


def _known(home: EvaluationHome, study: str) -> ClosedAdviceRound:
    closed = find_closed(home, study)
    if closed is None:
        raise InputError(f"The round '{study[:80]}' is still open, so it has no results.")
    return closed


def _results(home: EvaluationHome, closed: ClosedAdviceRound) -> RoundResults:
    content = home.objects.read(f"{closed.place}/{KEPT}")
    if hashlib.sha256(content).hexdigest() != closed.digest:
        raise InputError(
            f"The list of the results of '{closed.study}' is not the one that was kept on "
            f"{in_both_zones(closed.closed)}. Put {closed.place} back from a copy of the home."
        )
    return msgspec.json.decode(content, type=RoundResults)


def _closed(entry: AuditEntry) -> ClosedAdviceRound:
    return msgspec.convert({**entry.detail, "study": entry.subject}, ClosedAdviceRound)
