"""What a board of advice says in words: how each model stands to people and to the best, and the answer.

Two are told apart only where a test says so that looks at all models together; a higher rate alone is
no lead.
"""

from collections.abc import Sequence
from typing import Protocol

from palaver.core.words import isolated, listed, percent

# More names than these are counted.
MOST_NAMED = 4
PEOPLE_WORD = "people"
TOO_EARLY = "too early to tell"


class Compared(Protocol):
    """A model as the sentence needs it: how sure its place beside people and the best is."""

    @property
    def name(self) -> str: ...

    @property
    def share(self) -> float | None: ...

    @property
    def beside_people(self) -> int: ...

    @property
    def beside_best(self) -> int: ...


def verdict_words(direction: int, other: str) -> str:
    """How a model stands to another: 1 is better, -1 is worse, 0 cannot be told.

    >>> verdict_words(1, "people"), verdict_words(-1, "T5"), verdict_words(0, "T5")
    ('better than people', 'behind T5', 'cannot be told apart from T5')
    """
    if direction == 0:
        return f"cannot be told apart from {other}"
    return f"better than {other}" if direction > 0 else f"behind {other}"


def board_answer(rows: Sequence[Compared], *, final: bool) -> str:
    """Whether models reach people, and which model does best; as sure as the tests are.

    `rows` come with the highest rate first; those without one are passed over.
    """
    known = [row for row in rows if row.share is not None]
    if not known:
        return "No judgements yet"
    said = [_beside_people(known), *_best(known)]
    words = "; ".join(said)
    return _begun(words if final else f"so far {words}")


def _beside_people(rows: Sequence[Compared]) -> str:
    above = [row.name for row in rows if row.beside_people > 0]
    level = [row.name for row in rows if row.beside_people == 0]
    below = [row.name for row in rows if row.beside_people < 0]
    if above:
        return f"{_owned(above)} advice is preferred to people’s best advice"
    if not level:
        every = _owned(below) if len(below) == 1 else "every model’s"
        return f"people’s best advice is preferred to {every}"
    told = f"{_names(level)} cannot be told apart from {PEOPLE_WORD}"
    if not below:
        return told
    others = _names(below) if len(below) <= MOST_NAMED else f"the other {len(below)} models"
    return f"{told}, whose best advice is preferred to that of {others}"


def _best(rows: Sequence[Compared]) -> list[str]:
    if len(rows) == 1:
        return [f"its rate is {_rate(rows[0])}, and {PEOPLE_WORD} stand at 50 %"]
    best, others = rows[0], rows[1:]
    level = [row for row in others if row.beside_best == 0]
    if not level:
        return [f"of the models {isolated(best.name)} does best ({_rate(best)})"]
    if len(level) == len(others):
        return ["no model can be told apart from the one with the highest rate"]
    return [
        f"of the models {isolated(best.name)} has the highest rate ({_rate(best)}), but cannot be "
        f"told apart from {_names([row.name for row in level])}"
    ]


def _rate(row: Compared) -> str:
    return "–" if row.share is None else percent(row.share)


def _names(names: Sequence[str]) -> str:
    return listed([isolated(name) for name in names], most=MOST_NAMED)


def _owned(names: Sequence[str]) -> str:
    return f"{_names(names)}’s"


def _begun(words: str) -> str:
    """The words as a sentence begins; a name stays as it is."""
    own = words.startswith(("so far", "people’s"))
    return words[:1].upper() + words[1:] if own else words
