"""The votes of a study, counted, and kept so that a board of many is read at once.

What is kept stands for all votes up to one. Those that came since are counted and added; after an
erasure, an exclusion, an abandoned sheet or a corrected vote, all are counted again.
"""

from collections import Counter
from dataclasses import dataclass

import msgspec
from sqlalchemy import Connection, func, select, text

from palaver.storage.engine.statements import few
from palaver.storage.judging.answer_counts import count_labels
from palaver.storage.judging.evidence import Preference, count_preferences
from palaver.storage.judging.summaries import KeptSummary, read_summary
from palaver.storage.schema import APART, exclusions, labels, slots, written

# So many are counted in less time than it takes to look for what is kept.
FEW = 3_000
# So many may come before what is kept is replaced.
MANY = 1_000

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(list[tuple[str, str, str, int, str]]).decode


@dataclass(frozen=True, slots=True)
class Votes:
    """The votes on a question by pair, answer and kind of rater; `keep` is what should be kept."""

    preferences: list[Preference]
    keep: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class _Mark:
    """The state of the labels of a question; only `newest` and `count` change with a new vote."""

    newest: int
    count: int
    erased: int
    excluded: int
    abandoned: int

    def __str__(self) -> str:
        return "-".join(
            str(each)
            for each in (self.newest, self.count, self.erased, self.excluded, self.abandoned)
        )

    @classmethod
    def parse(cls, text: str) -> "_Mark":
        return cls(*(int(each) for each in text.split("-")))

    def follows(self, other: "_Mark") -> bool:
        """Whether nothing but new labels came since the other."""
        return (self.erased, self.excluded, self.abandoned) == (
            *(other.erased, other.excluded),
            other.abandoned,
        )


def votes_name(question: str) -> str:
    """The name under which the votes on a question are kept."""
    return f"votes:{question}"


def read_votes(connection: Connection, study_id: int, study: str, question: str) -> Votes:
    """The standing votes on a question, as many as are kept and those that came since."""
    now = _mark(connection, study_id, question)
    if now.count < FEW:
        return Votes(count_preferences(connection, study, question))
    kept = read_summary(connection, study_id, votes_name(question))
    before = None if kept is None else _Mark.parse(kept.mark)
    if kept is not None and before is not None and now.follows(before):
        known = [Preference(*row) for row in _decode(kept.content.encode())]
        if now == before:
            return Votes(known)
        if _are_plain(connection, study_id, question, before, now):
            since = count_preferences(connection, study, question, after=before.newest)
            return _votes(_added(known, since), now, is_due=now.count - before.count > MANY)
    return _votes(count_preferences(connection, study, question), now, is_due=True)


def _votes(preferences: list[Preference], mark: _Mark, *, is_due: bool) -> Votes:
    if not is_due:
        return Votes(preferences)
    rows = [(p.first, p.second, p.value, p.count, p.rater_kind) for p in preferences]
    return Votes(preferences, _encode(rows).decode(), str(mark))


def summary_of(votes: Votes, now: float) -> KeptSummary:
    """What is kept of votes that are due."""
    return KeptSummary(votes.mark, votes.keep, now)


def _added(one: list[Preference], other: list[Preference]) -> list[Preference]:
    counts: Counter[tuple[str, str, str, str]] = Counter()
    for each in (*one, *other):
        counts[each.first, each.second, each.value, each.rater_kind] += each.count
    return [
        Preference(first, second, value, count, kind)
        for (first, second, value, kind), count in sorted(counts.items())
    ]


def _are_plain(
    connection: Connection, study_id: int, question: str, before: _Mark, now: _Mark
) -> bool:
    """Whether the labels behind the last one kept are all that is new, and replace nothing.

    On PostgreSQL a label of a lower id may be committed later.
    """
    came, corrected = connection.execute(
        select(func.count(), func.count(labels.c.supersedes)).where(
            labels.c.study_id == study_id,
            labels.c.question == question,
            labels.c.id > before.newest,
        )
    ).one()
    return bool(came == now.count - before.count and corrected == 0)


def _mark(connection: Connection, study_id: int, question: str) -> _Mark:
    mine = (labels.c.study_id == study_id, labels.c.question == question)
    newest = connection.scalar(select(func.max(labels.c.id)).where(*mine))
    apart = few(
        select(labels.c.study_id, labels.c.question, labels.c.erased).where(text(f"({APART})"))
    )
    erased = connection.scalar(
        select(func.count(apart.c.erased)).where(
            apart.c.study_id == study_id, apart.c.question == question
        )
    )
    excluded = connection.scalar(
        select(func.max(exclusions.c.id)).where(exclusions.c.study_id == study_id)
    )
    given_up = select(slots.c.id).where(slots.c.state == written("abandoned"))
    lost = few(select(labels.c.study_id, labels.c.question).where(labels.c.slot_id.in_(given_up)))
    abandoned = connection.scalar(
        select(func.count())
        .select_from(lost)
        .where(lost.c.study_id == study_id, lost.c.question == question)
    )
    count = count_labels(connection, study_id, question)
    return _Mark(newest or 0, count, erased or 0, excluded or 0, abandoned or 0)
