"""What comes back from code outside Palaver: moves of a dialogue, records of a task.

Where the records of a call carry an id it decides which question each answers, and a missing, doubled
or unknown one is named. Where none does, order decides and the id is added, because an answer without
one is no answer to anybody.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from palaver.core.events import MESSAGE, Move, say
from palaver.core.words import listed
from palaver.systems.attempt import AttemptError, shorten
from palaver.systems.registry import Question

_NAMED = 5


def as_moves(answer: Any) -> list[Move]:
    """Moves from a text, a move, a list of either, or nothing; no words are silence."""
    if answer is None:
        return []
    if isinstance(answer, str):
        return [say(answer.strip())] if answer.strip() else []
    if isinstance(answer, Move):
        return [answer]
    if isinstance(answer, (list, tuple)):
        return [move for part in answer for move in as_moves(part)]
    raise AttemptError(
        "garbage", f"Expected a text, a Move, a list of them or None; got {answer!r:.200}."
    )


def decode_moves(value: Any) -> list[Move]:
    """Moves from decoded JSON: a list of {"action": …, "data": {…}}."""
    try:
        moves = msgspec.convert(value, list[Move])
    except msgspec.ValidationError as error:
        raise AttemptError(
            "garbage", f"Expected a list of moves ({error}); got {value!r:.200}."
        ) from None
    return [move for move in moves if move.action != MESSAGE or (move.data or {}).get("text")]


def match(records: Sequence[Any], questions: Sequence[Question]) -> list[Any]:
    """The records in the order of the questions, each with an id."""
    ids = [id_of(record) for record in records]
    if all(given is None for given in ids):
        return by_order(records, questions)
    if None in ids:
        bare = shorten(repr(records[ids.index(None)]), 80)
        raise _wrong(f"Some answers of the call have an 'id' and some do not, such as {bare}.")
    uids = [str(question["uid"]) for question in questions]
    _report(ids, uids)
    places = {given: number for number, given in enumerate(ids)}
    return [records[places[uid]] for uid in uids]


def by_order(records: Sequence[Any], questions: Sequence[Question]) -> list[Any]:
    """The records with the ids of the questions that stand at the same places."""
    if len(records) != len(questions):
        raise _wrong(
            f"{len(questions)} questions were asked, but {len(records)} answers came; without an "
            "'id' in each, it is unknown which answer is missing."
            if len(questions) > 1
            else f"1 question was asked, but {len(records)} answers came."
        )
    return [with_id(record, question) for record, question in zip(records, questions, strict=True)]


def with_id(record: Any, question: Question) -> Any:
    """The record under its question's id; what is no object stays as it is."""
    if not isinstance(record, Mapping) or id_of(record) is not None:
        return record
    return {**record, "id": question["uid"]}


def id_of(record: Any) -> str | None:
    if not isinstance(record, Mapping):
        return None
    given = next((record[key] for key in ("id", "uid") if record.get(key) is not None), None)
    return None if given is None else str(given)


def _report(ids: Sequence[str | None], uids: Sequence[str]) -> None:
    given = [each for each in ids if each is not None]
    seen = set(given)
    doubled = sorted(each for each, times in Counter(given).items() if times > 1)
    unknown = sorted(seen - set(uids))
    missing = [uid for uid in uids if uid not in seen]
    parts = [
        f"{words} {_named(which)}"
        for words, which in (
            ("answered twice:", doubled),
            ("answered but not asked:", unknown),
            ("not answered:", missing),
        )
        if which
    ]
    if parts:
        raise _wrong(f"The ids of the answers do not match the questions; {'; '.join(parts)}.")


def _named(ids: Sequence[str]) -> str:
    shown = [f"'{each}'" for each in ids[:_NAMED]]
    more = len(ids) - _NAMED
    return listed([*shown, f"{more} more"] if more > 0 else shown)


def _wrong(told: str) -> AttemptError:
    return AttemptError("garbage", told, may_pass=False)
