"""What a message says about who gets what: items, numbers and owners, read word by word.

"i take 2 hats and the ball , you can have the rest" gives two hats and a ball to the speaker and what is
left to the partner. Each item that is named has an owner (the last pronoun before it, turned round by
"give", else one behind it as in "hats for me") and a count (a number, "a", "both", "no"; else one for
"the hat" and all for "hats"). What a message leaves unsaid is not filled in here: see `table`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from palaver.games.deal_or_no_deal.lexicon import (
    ADDITION,
    AGREEMENT,
    BOTH_SIDES,
    EVERYTHING,
    GIVING,
    IMPERATIVES,
    LETTING,
    NEGATIONS,
    NO_AGREEMENT,
    NOT_TOWARDS,
    NUMBERS,
    OTHER_THINGS,
    PARTNER,
    PAUSES,
    QUESTION,
    REFUSAL,
    REMAINING,
    REST,
    SPEAKER,
    STOPS,
    TOWARDS,
    WORTH,
    WORTHLESS,
    item_named,
    words_of,
)

Counts = Mapping[str, int]
Owner = Literal["me", "you", "both"]

ME: Owner = "me"
YOU: Owner = "you"
BOTH: Owner = "both"

_OTHER: dict[Owner, Owner] = {ME: YOU, YOU: ME, BOTH: BOTH}
# Counts that depend on how many there are.
_ALL, _HALF = 99, -2


@dataclass(frozen=True, slots=True)
class Named:
    """An item that a message names; `counted` and `owned` say whether number and owner were said."""

    item: str
    count: int
    owner: Owner
    counted: bool
    owned: bool


@dataclass(frozen=True, slots=True)
class Shares:
    """What a message says.

    `mine` and `theirs` are what the speaker and the partner would get, `loose` what is named without
    saying whose it would be, `rest` who gets what is not named, `unwanted` what is worth nothing to
    the speaker. `adds` says that it changes the split that lies there.
    """

    mine: dict[str, int] = field(default_factory=dict)
    theirs: dict[str, int] = field(default_factory=dict)
    loose: dict[str, int] = field(default_factory=dict)
    unwanted: frozenset[str] = frozenset()
    rest: Owner | None = None
    adds: bool = False
    agrees: bool = False
    refuses: bool = False
    asks: bool = False

    @property
    def proposes(self) -> bool:
        """Whether it says of anything who gets it."""
        return bool(self.mine or self.theirs or self.loose or self.rest)


def read_message(text: str, counts: Counts) -> Shares:
    """What a message says about the items that are shared.

    >>> said = read_message("i take 2 hats , you get the rest", {"book": 1, "hat": 3})
    >>> said.mine, said.theirs, said.rest
    ({'hat': 2}, {}, 'you')
    """
    reading = _Reading(words_of(text), counts)
    lower = text.lower()
    return replace(
        reading.read(),
        adds=ADDITION.search(lower) is not None,
        agrees=AGREEMENT.search(lower) is not None and NO_AGREEMENT.search(lower) is None,
        refuses=REFUSAL.search(lower) is not None,
        asks=QUESTION.search(lower) is not None,
    )


class _Reading:
    """One pass over the words of a message, with what holds for the words to come."""

    def __init__(self, words: list[str], counts: Counts) -> None:
        self.words = words
        self.counts = counts
        self.items = tuple(counts)
        self.named: list[Named] = []
        self.rest: Owner | None = None
        self.owner: Owner | None = None
        self.giver: Owner | None = None
        self.negated = ""
        self.number: int | None = None
        self.sentence = 0  # where the named of this sentence begin
        self.stretch = 0  # where those begin that a pronoun behind them can claim
        self.excepting = self.skipping = self.splitting = False

    def read(self) -> Shares:
        for at, word in enumerate(self.words):
            self._take(at, word)
        return self._said()

    def _word(self, at: int) -> str:
        return self.words[at] if 0 <= at < len(self.words) else ""

    def _take(self, at: int, word: str) -> None:
        """Let one word tell what it can; the first of these that fits is what it is."""
        before, after = self._word(at - 1), self._word(at + 1)
        item = item_named(word, self.items)
        if word in STOPS:
            self._stop()
        elif word in PAUSES:
            self._pause()
            self.excepting = self.excepting or (word == "but" and before in EVERYTHING)
        elif word in ("except", "minus"):
            self.excepting = True
        elif word in SPEAKER or word in PARTNER:
            self._point(at, ME if word in SPEAKER else YOU)
        elif item is not None:
            self._name(at, item)
        elif word == "to" and item_named(after, self.items):  # "i need to hats"
            self.number = 2
        elif word in WORTH and (self.negated or word in WORTHLESS or before in ("0", "zero")):
            self._spurn()
        elif word in GIVING and self.owner in (ME, YOU):
            self.giver, self.owner = self.owner, _OTHER[self.owner]
        elif word == "for" and self.giver and self.named[self.stretch :]:
            self._trade(after)
        elif word in NUMBERS:
            self.number = NUMBERS[word]
        elif word in ("all", "half"):
            self.number = _ALL if word == "all" else _HALF
        elif word == "split":
            self.splitting = True
        elif word == "each":
            self._each(before, after)
        elif word in BOTH_SIDES:
            self.owner = BOTH
        elif word == "or" and self.named[self.stretch :]:
            self.skipping = True
        elif word in NEGATIONS:
            self.negated = word
        elif word in IMPERATIVES and self.owner is None and before != "to":
            self.owner = YOU
            self.negated = "" if self.negated == "no" else self.negated
        elif _is_rest(word, before, after):
            self._leave(at, before, after)
        elif word == "everything" and after != "else":
            self._everything(after)

    def _pause(self) -> None:
        self.negated, self.number = "", None
        self.skipping = self.splitting = False
        self.stretch = len(self.named)

    def _stop(self) -> None:
        self._pause()
        self.owner = self.giver = None
        self.excepting = False
        self.sentence = len(self.named)

    def _point(self, at: int, owner: Owner) -> None:
        """A pronoun: whose the items are that follow, or those just named."""
        word, before = self.words[at], self._word(at - 1)
        if before == "of" and word in ("my", "your"):
            return
        behind = before in TOWARDS and self.words[max(0, at - 2)] not in NOT_TOWARDS
        if (word in ("mine", "yours") or behind) and self._claim(at, owner):
            return
        if before in ("thank", "thanks"):
            return
        subject = word not in ("me", "my", "mine")
        letting = before in LETTING
        if self.negated == "no" or (subject and not letting):
            self.negated = ""
        if letting and self.owner is not None:
            self.giver = _OTHER[owner]
        self.owner = owner
        self.number = None
        self.skipping = self.splitting = False
        self.stretch = len(self.named)

    def _claim(self, at: int, owner: Owner) -> bool:
        """Give what was just named to `owner`; whether there was anything to give."""
        back = self.words[max(0, at - 4) : at]
        if self.rest is not None and any(word in REST or word == "else" for word in back):
            self.rest = owner
            return True
        start = self.stretch
        while start > self.sentence and not self.named[start - 1].owned:
            start -= 1
        if start == len(self.named):
            return False
        for n in range(start, len(self.named)):
            self.named[n] = replace(self.named[n], owner=owner, owned=True)
        self.stretch = len(self.named)
        self.owner = None
        return True

    def _trade(self, after: str) -> None:
        """ "i give you the hat for the ball": what follows is for whoever gives."""
        if after not in SPEAKER and after not in PARTNER:
            self.owner, self.stretch = self.giver, len(self.named)

    def _spurn(self) -> None:
        """What was just named is worth nothing to the speaker."""
        for n in range(self.stretch, len(self.named)):
            self.named[n] = Named(self.named[n].item, 0, ME, counted=True, owned=True)

    def _each(self, before: str, after: str) -> None:
        """ "one of each", "a hat each", "we each get"."""
        if before == "of" or after in self.counts:
            number = 1 if self.number is None else self.number
            for item, total in self.counts.items():
                self._add(item, min(number, total), counted=True)
            self.number = None
        elif self.stretch < len(self.named):
            last = self.named[-1]
            count = last.count if last.counted else _HALF
            self.named[-1] = Named(last.item, count, BOTH, counted=True, owned=True)
        else:
            self.owner = BOTH

    def _leave(self, at: int, before: str, after: str) -> None:
        """ "the rest": the owner's, or of nobody yet the partner's once something was named."""
        self.rest = self.owner or (YOU if self.named else ME)
        if self.negated or "for" in (before, self._word(at - 2)):
            self.rest = _OTHER[self.rest]
        if self.owner is None and after in ("is", "are", "for", "to", "goes"):
            self.rest = YOU

    def _everything(self, after: str) -> None:
        """ "everything" is all there is; "everything but the hat" is a rest."""
        if after in ("but", "except", "minus"):
            self.rest = self.owner or ME
            return
        for item, total in self.counts.items():
            self._add(item, 0 if self.negated else total, counted=True)

    def _name(self, at: int, item: str) -> None:
        """An item: so many of it, unless it is an alternative or only its worth is told."""
        number, self.number = self.number, None
        told = any(word.isdigit() for word in self.words[at + 1 : at + 4])
        if self.skipping or (told and self._word(at + 1) in ("is", "are", "worth")):
            return
        total = self.counts[item]
        if self.negated == "no" and self._word(at - 1) != "no":
            self.negated = ""
        if self.negated:
            count = 0
        elif number is None:
            # "the hat" where there are three is one of them.
            count = 1 if self.words[at].endswith(item) else total
        else:
            count = total // 2 if number == _HALF else min(number, total)
        self._add(item, count, counted=number is not None or bool(self.negated))

    def _add(self, item: str, count: int, *, counted: bool) -> None:
        owner = self.owner or ME
        if self.excepting:
            owner = _OTHER[owner]
        if self.splitting:
            owner, count = BOTH, _HALF
        self.named.append(Named(item, count, owner, counted, self.owner is not None))

    def _said(self) -> Shares:
        """Who gets what by all that was named; later words count more than earlier ones."""
        mine: dict[str, int] = {}
        theirs: dict[str, int] = {}
        loose: dict[str, int] = {}
        unwanted = set()
        for named in self.named:
            item, total = named.item, self.counts[named.item]
            count = total // 2 if named.count == _HALF else named.count
            if named.owner == BOTH:
                mine[item] = min(count, total // 2)
                theirs[item] = total - mine[item]
            elif not named.owned:
                loose[item] = count
            else:
                to, other = (mine, theirs) if named.owner == ME else (theirs, mine)
                to[item] = count
                if other.get(item, 0) + count > total:
                    del other[item]
                if named.owner == ME and count == 0:
                    unwanted.add(item)
        return Shares(mine, theirs, loose, frozenset(unwanted), self.rest)


def _is_rest(word: str, before: str, after: str) -> bool:
    if word == "else":
        return before in EVERYTHING
    if word == "other":
        return after in OTHER_THINGS
    return word in REST and (word != "left" or before in REMAINING)
