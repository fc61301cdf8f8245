"""Votes: who won each comparison of two systems, kept as columns.

A vote is read in the words of arena files (`model_a`, `model_b`, `tie`, `tie (bothbad)`), in
Palaver's own (`first`, `second`, `tie`), or as the name of the system that won. What is done with
votes that call both bad is the reader's choice and is counted.
"""

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Self

from palaver.analysis.resampling import CodedValues, encode
from palaver.core.errors import InputError
from palaver.core.numeric import Numbers, np

BothBad = Literal["tie", "drop"]

FIRST, SECOND, TIE = 0, 1, 2
_BOTH_BAD = 3
WORDS = {
    "model_a": FIRST,
    "first": FIRST,
    "model_b": SECOND,
    "second": SECOND,
    "tie": TIE,
    "tie (bothbad)": _BOTH_BAD,
    "bothbad": _BOTH_BAD,
}
BOTH_BAD_WORDS = frozenset(word for word, outcome in WORDS.items() if outcome == _BOTH_BAD)
# A winner that names a system; it is settled by looking at the two systems of the vote.
_NAMED = 4


@dataclass(frozen=True, slots=True)
class Votes:
    """Votes as columns; systems are numbered in the order of their names.

    `outcome` is 0 where the first won, 1 where the second won, 2 for a tie. `clusters` holds, for
    each thing that votes may share (a rater, a dialogue), its number for every vote. A system
    compared with itself says nothing: such votes are left out and counted in `self_comparisons`, as
    those that call both bad are in `dropped` if they were to be dropped.
    """

    systems: tuple[str, ...]
    first: Numbers
    second: Numbers
    outcome: Numbers
    both_bad: Numbers
    clusters: Mapping[str, Numbers] = field(default_factory=dict)
    self_comparisons: int = 0
    dropped: int = 0

    @classmethod
    def of(
        cls,
        first: Iterable[Hashable],
        second: Iterable[Hashable],
        winner: Iterable[Hashable],
        *,
        clusters: Mapping[str, Iterable[Hashable]] | None = None,
        bothbad: BothBad = "tie",
        row: Callable[[int], str] = lambda index: f"vote {index + 1}",
    ) -> Self:
        """Votes from columns of equal length; InputError names the row of what cannot be read.

        `bothbad` says what a vote that calls both bad counts as: a tie, or nothing (`drop`). `row`
        says in words where a row stands.

        >>> votes = Votes.of(["x", "y", "x"], ["y", "x", "z"], ["model_a", "tie (bothbad)", "z"])
        >>> votes.systems, votes.outcome.tolist(), votes.both_bad.tolist()
        (('x', 'y', 'z'), [0, 2, 1], [False, True, False])
        """
        if bothbad not in ("tie", "drop"):
            raise InputError(f"'bothbad' counts as 'tie' or 'drop'; got {bothbad!r}.")
        sides = [_column("first system", first, row), _column("second system", second, row)]
        won = _column("winner", winner, row)
        shared = {name: _column(name, each, row) for name, each in (clusters or {}).items()}
        _equally_long(sides, won, shared)
        systems = sorted({str(name) for side in sides for name in side.levels})
        one, other = (_numbered(side, systems) for side in sides)
        outcome = _outcomes(won, one, other, systems, row)
        both_bad = outcome == _BOTH_BAD
        kept = one != other
        dropped = 0
        if bothbad == "drop":
            dropped = int((kept & both_bad).sum())
            kept &= ~both_bad
        outcome[both_bad] = TIE
        return cls(
            systems=tuple(systems),
            first=one[kept],
            second=other[kept],
            outcome=outcome[kept],
            both_bad=both_bad[kept],
            clusters={name: _dense(codes.codes[kept]) for name, codes in shared.items()},
            self_comparisons=int((one == other).sum()),
            dropped=dropped,
        )

    def __len__(self) -> int:
        return len(self.first)

    @property
    def ties(self) -> int:
        return int((self.outcome == TIE).sum())

    def among(self, systems: Collection[str]) -> "Votes":
        """The votes between these systems, and no others."""
        unknown = sorted(set(systems) - set(self.systems))
        if unknown:
            raise InputError(
                f"No votes name the system '{unknown[0]}'. Those that do: {', '.join(self.systems)}."
            )
        names = sorted(set(systems))
        place = np.full(len(self.systems), -1, dtype=np.intp)
        place[[self.systems.index(name) for name in names]] = np.arange(len(names))
        first, second = place[self.first], place[self.second]
        kept = (first >= 0) & (second >= 0)
        return Votes(
            systems=tuple(names),
            first=first[kept],
            second=second[kept],
            outcome=self.outcome[kept],
            both_bad=self.both_bad[kept],
            clusters={name: _dense(codes[kept]) for name, codes in self.clusters.items()},
        )

    def taken(self, rows: Numbers) -> "Votes":
        """Some of the votes, in the order given."""
        return replace(
            self,
            first=self.first[rows],
            second=self.second[rows],
            outcome=self.outcome[rows],
            both_bad=self.both_bad[rows],
            clusters={name: _dense(codes[rows]) for name, codes in self.clusters.items()},
        )

    def factors(self, names: Sequence[str]) -> list[Numbers]:
        """The cluster numbers of each of `names`; InputError if there is no such column."""
        for name in names:
            if name not in self.clusters:
                known = ", ".join(self.clusters) or "none"
                raise InputError(f"The votes have no clusters '{name}'. They have: {known}.")
        return [self.clusters[name] for name in names]


def _column(name: str, values: Iterable[Hashable], row: Callable[[int], str]) -> CodedValues:
    """The values coded; InputError names the row in which one is missing."""
    coded = encode(values)
    for code, level in enumerate(coded.levels):
        if level is None or level != level or (isinstance(level, str) and not level.strip()):
            place = int((coded.codes == code).argmax())
            raise InputError(f"{row(place)}: the {name} is missing; every vote needs one.")
    return coded


def _equally_long(
    sides: list[CodedValues], won: CodedValues, shared: Mapping[str, CodedValues]
) -> None:
    lengths = {len(each.codes) for each in (*sides, won, *shared.values())}
    if len(lengths) > 1:
        raise InputError(f"The columns of votes should be equally long; got {sorted(lengths)}.")


def _numbered(side: CodedValues, systems: list[str]) -> Numbers:
    place = {name: number for number, name in enumerate(systems)}
    numbers = np.array([place[str(level)] for level in side.levels], dtype=np.intp)
    return numbers[side.codes]


def _outcomes(
    won: CodedValues,
    first: Numbers,
    second: Numbers,
    systems: list[str],
    row: Callable[[int], str],
) -> Numbers:
    """What each vote says, 3 for both bad."""
    place = {name: number for number, name in enumerate(systems)}
    meant = np.array([_meaning(level, place) for level in won.levels], dtype=np.int8)
    outcome = meant[won.codes]
    named = outcome == _NAMED
    if named.any():
        numbers = np.array([place.get(str(level), -1) for level in won.levels], dtype=np.intp)
        winner = numbers[won.codes]
        outcome[named & (winner == first)] = FIRST
        outcome[named & (winner == second)] = SECOND
    unread = (outcome == _NAMED) & (first != second)
    if unread.any():
        where = int(unread.argmax())
        raise InputError(
            f"{row(where)}: the winner is {won.levels[won.codes[where]]!r}; expected "
            f"{', '.join(WORDS)}, or one of the two systems compared: "
            f"'{systems[first[where]]}' and '{systems[second[where]]}'."
        )
    return outcome


def _meaning(level: Any, systems: Mapping[str, int]) -> int:
    word = str(level)
    known = WORDS.get(word.strip().lower())
    if known is not None and word in systems:
        raise InputError(
            f"'{word}' is the name of a system and an answer as well; rename the system."
        )
    return _NAMED if known is None else known


def _dense(codes: Numbers) -> Numbers:
    """The same clusters numbered from 0 without gaps."""
    if not len(codes):
        return codes
    seen = np.zeros(int(codes.max()) + 1, dtype=bool)
    seen[codes] = True
    return (np.cumsum(seen) - 1)[codes]
