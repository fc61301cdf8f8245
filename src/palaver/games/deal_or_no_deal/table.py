"""What lies on the table: the split that two seats talk about, message by message.

A message that names some items leaves others unsaid. These follow from what was said before: who asks
for some things leaves the rest, who gives some things away keeps the rest, "the rest" is what nobody
has asked for, and "a hat too" changes one item of the split that lies there.
"""

from dataclasses import dataclass, field

from palaver.games.deal_or_no_deal.proposals import ME, YOU, Counts, Shares, read_message


@dataclass(slots=True)
class DealTable:
    """The last split that was proposed, as what seat 0 would get; None before there is one.

    `claims` are the items that each seat would get by the last words that named them.
    """

    counts: Counts
    split: dict[str, int] | None = None
    claims: list[dict[str, int]] = field(default_factory=lambda: [{}, {}])

    def hear(self, seat: int, text: str) -> Shares:
        """Take a message in."""
        said = read_message(text, self.counts)
        if said.proposes:
            share = self._proposed(seat, said)
            self.split = share if seat == 0 else remainder(share, self.counts)
        return said

    def share(self, seat: int) -> dict[str, int] | None:
        """What a seat would get."""
        if self.split is None:
            return None
        return dict(self.split) if seat == 0 else remainder(self.split, self.counts)

    def _proposed(self, seat: int, said: Shares) -> dict[str, int]:
        """What the speaker would get, with what the message leaves unsaid filled in."""
        mine, theirs = self._named(seat, said)
        standing = self.share(seat)
        share = {}
        for item, total in self.counts.items():
            if item in mine:
                share[item] = mine[item]
            elif item in theirs:
                share[item] = total - theirs[item]
            elif said.rest is not None:
                share[item] = self._left(seat, said.rest, item, bare=not mine and not theirs)
            elif standing is not None and (said.adds or (mine and theirs)):
                share[item] = standing[item]
            else:
                share[item] = total if theirs and not mine else 0
        if mine:
            self.claims[seat] = mine
        if theirs:
            self.claims[1 - seat] = theirs
        return share

    def _named(self, seat: int, said: Shares) -> tuple[dict[str, int], dict[str, int]]:
        """What the message gives the speaker and the partner.

        Items without an owner are the speaker's, unless the partner has asked for as many or more and
        the speaker has not: "one hat" is what the partner gets who wanted two.
        """
        mine, theirs = dict(said.mine), dict(said.theirs)
        asked, own = self.claims[1 - seat], self.claims[seat]
        loose = said.loose.items()
        granted = all(item in asked and count <= asked[item] for item, count in loose)
        repeated = all(own.get(item) == count for item, count in loose)
        to, other = (theirs, mine) if granted and not repeated else (mine, theirs)
        for item, count in loose:
            if item not in to and other.get(item, 0) + count <= self.counts[item]:
                to[item] = count
        return mine, theirs

    def _left(self, seat: int, rest: str, item: str, *, bare: bool) -> int:
        """How many of an item the speaker gets where one side gets the rest.

        In words that name nothing else, the rest is what the other side has not asked for.
        """
        if rest == ME:
            return self.counts[item] - (self.claims[1 - seat].get(item, 0) if bare else 0)
        if rest == YOU:
            return self.claims[seat].get(item, 0) if bare else 0
        return self.counts[item] // 2


def remainder(share: dict[str, int], counts: Counts) -> dict[str, int]:
    """What is left for the other side.

    >>> remainder({"book": 1, "hat": 0}, {"book": 1, "hat": 3})
    {'book': 0, 'hat': 3}
    """
    return {item: count - share[item] for item, count in counts.items()}
