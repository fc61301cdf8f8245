"""How raters worked, not what they said: too fast, the same answer throughout, pasted text.

A flag is a reason to read somebody's answers, never a verdict: it excludes nobody. Each compares a
rater with the others who did the same work, needs a minimum of answers, and carries the numbers it
is based on. The thresholds are the constants below; `docs/design/behaviour-flags.md` says why they
are what they are, and how often they miss and accuse in a simulation.
"""

from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import ClassVar, Literal, NamedTuple

from palaver.core.serial import if_any
from palaver.core.words import percent

FlagName = Literal["too fast", "straight-lining", "pasted text"]

# Too fast: so large a share of the answers takes less than this part of the others' time …
HURRIED_SHARE, OF_OTHERS_TIME = 0.5, 1 / 4
# … or of the sheets is sent before the words of the dialogue can be read at this speed. People read
# 240 words a minute (Brysbaert 2019); at 600 they skim.
WORDS_PER_MINUTE = 600.0
LEAST_TIMED, LEAST_SHEETS, LEAST_OTHERS = 10, 5, 2

# Pasted: such a share of the texts is pasted, and the others paste at most half as often. A text is
# pasted if this part of its characters is, and not fewer than so many.
PASTED_SHARE, PASTED_PART, LEAST_PASTED, LEAST_TEXTS = 0.5, 0.5, 40, 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag:
    """Why a rater's answers are worth reading: `count` of `n`, against what `others` do.

    For *too fast* `own` and `others` are seconds (medians), for the others shares. `unit` is what is
    counted, `about` the answer that is repeated, and the question if it is one; `longest` is how
    often it was given in a row.
    """

    derived: ClassVar[tuple[str, ...]] = ("evidence",)
    name: FlagName
    count: int
    n: int
    own: float
    others: float
    unit: str = "answer"
    about: str = if_any("")
    question: str = if_any("")
    longest: int | None = if_any(None)

    @property
    def evidence(self) -> str:
        """The numbers in words."""
        return _WORDS[self.name](self)


# The seconds that answers took, by question and rater.
Times = Mapping[str, Mapping[int, Sequence[float]]]


class ReadSheet(NamedTuple):
    """How long one rater had a sheet, and how many words they had not read before stood on it."""

    rater: int
    seconds: float
    words: int


class Pasted(NamedTuple):
    """How many characters of a text are pasted, as the rater's page counted."""

    rater: int
    characters: int
    pasted: int


def hurried(times: Times, *, excluded: Collection[int] = ()) -> dict[int, Flag]:
    """Raters who answer in less than a quarter of the time that others take for the same questions.

    Each of the others counts once, by their median; `excluded` raters are nobody's others.
    """
    quick: Counter[int] = Counter()
    own: dict[int, list[float]] = defaultdict(list)
    usual: dict[int, list[float]] = defaultdict(list)
    for by_rater in times.values():
        medians = {rater: median(each) for rater, each in by_rater.items()}
        counted = sorted(m for rater, m in medians.items() if rater not in excluded)
        for rater, each in by_rater.items():
            others = _without(counted, None if rater in excluded else medians[rater])
            if len(others) < LEAST_OTHERS:
                continue
            typical = median(others)
            quick[rater] += sum(seconds < typical * OF_OTHERS_TIME for seconds in each)
            own[rater] += each
            usual[rater] += [typical] * len(each)
    return {
        rater: Flag(
            name="too fast",
            count=quick[rater],
            n=len(mine),
            own=median(mine),
            others=median(usual[rater]),
        )
        for rater, mine in own.items()
        if len(mine) >= LEAST_TIMED and quick[rater] >= HURRIED_SHARE * len(mine)
    }


def unread(sheets: Iterable[ReadSheet]) -> dict[int, Flag]:
    """Raters who send sheets before what stands on them can be read; `others` is reading time."""
    by_rater: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for rater, seconds, words in sheets:
        if words:
            by_rater[rater].append((seconds, words * 60 / WORDS_PER_MINUTE))
    found = {}
    for rater, mine in by_rater.items():
        early = sum(seconds < needed for seconds, needed in mine)
        if len(mine) >= LEAST_SHEETS and early >= HURRIED_SHARE * len(mine):
            found[rater] = Flag(
                name="too fast",
                count=early,
                n=len(mine),
                own=median(seconds for seconds, _ in mine),
                others=median(needed for _, needed in mine),
                unit="sheet",
            )
    return found


def pasted(texts: Iterable[Pasted], *, excluded: Collection[int] = ()) -> dict[int, Flag]:
    """Raters most of whose texts are pasted, where the others paste at most half as often."""
    counts: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for rater, characters, characters_pasted in texts:
        is_pasted = characters_pasted >= max(LEAST_PASTED, PASTED_PART * characters)
        counts[rater][0] += is_pasted
        counts[rater][1] += 1
    found = {}
    for rater, (count, n) in counts.items():
        others = [each for r, each in counts.items() if r != rater and r not in excluded]
        written = sum(total for _, total in others)
        usual = sum(some for some, _ in others) / written if written else 0.0
        if n >= LEAST_TEXTS and count >= PASTED_SHARE * n and usual <= count / n / 2:
            found[rater] = Flag(
                name="pasted text", count=count, n=n, own=count / n, others=usual, unit="text"
            )
    return found


def _without(values: list[float], one: float | None) -> list[float]:
    """Sorted values without one of them."""
    if one is None:
        return values
    place = bisect_left(values, one)
    return values[:place] + values[place + 1 :]


def _fast(flag: Flag) -> str:
    if flag.unit == "sheet":
        return (
            f"{flag.count} of {flag.n} items sent before they can be read: {_seconds(flag.own)} "
            f"each; reading takes {_seconds(flag.others)} at {WORDS_PER_MINUTE:.0f} words a minute"
        )
    return (
        f"{flag.count} of {flag.n} answers in less than a quarter of the others' time: "
        f"{_seconds(flag.own)} each; others take {_seconds(flag.others)}"
    )


def _straight(flag: Flag) -> str:
    to = f" to “{flag.question}”" if flag.question else ", whatever the question,"
    row = f", {flag.longest} of them in a row" if flag.longest != flag.count else ""
    if flag.count == flag.longest and flag.count < flag.n:
        row = ", all in a row"
    return (
        f"{flag.count} of {flag.n} answers{to} are “{flag.about}”{row}; "
        f"others give it in {percent(flag.others, 0)}"
    )


def _pasted(flag: Flag) -> str:
    return (
        f"{flag.count} of {flag.n} texts are pasted for the most part; "
        f"of the others' texts {percent(flag.others, 0)} are"
    )


def _seconds(seconds: float) -> str:
    return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"


_WORDS = {"too fast": _fast, "straight-lining": _straight, "pasted text": _pasted}
