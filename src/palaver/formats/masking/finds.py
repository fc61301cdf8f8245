"""What masking finds: stretches of a text, each of one kind, and the text without them."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass

# Kind → what people call several of them. Where two finds overlap, the kind named first wins.
KINDS = {
    "email": "e-mail addresses",
    "link": "personal links",
    "handle": "handles",
    "iban": "IBANs",
    "card": "card numbers",
    "id": "identity numbers",
    "mac": "MAC addresses",
    "ip": "IP addresses",
    "birth date": "birth dates",
    "address": "street addresses and postcodes",
    "phone": "telephone numbers",
    "number": "other long numbers",
    "name": "names",
}
_RANK = {kind: n for n, kind in enumerate(KINDS)}

# What a masked export says of itself, so that nobody takes it for anonymous.
NOT_LOOKED_FOR = (
    "names that are only mentioned (of friends, colleagues, people in the news)",
    "places: towns, countries, schools, shops",
    "employers, professions and job titles",
    "ages and years of birth",
    "health, religion, politics, sexuality and other matters of a life",
    "what somebody could be recognised by in a story",
    "writing in pictures",
)


@dataclass(frozen=True, slots=True)
class Find:
    """A stretch of a text, the end outside, that is a detail of some kind."""

    start: int
    end: int
    kind: str


def placeholder(kind: str) -> str:
    """What stands in a text in place of a detail."""
    return f"[{kind}]"


def merged(finds: Iterable[Find]) -> tuple[Find, ...]:
    """The finds in order; those that overlap become one, of the kind that ranks first."""
    found: list[Find] = []
    for find in sorted(finds, key=lambda each: (each.start, -each.end)):
        if not found or find.start >= found[-1].end:
            found.append(find)
            continue
        last = found[-1]
        kind = min(last.kind, find.kind, key=_RANK.__getitem__)
        found[-1] = Find(last.start, max(last.end, find.end), kind)
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text with placeholders, and what they stand for in the text as it was."""

    text: str
    finds: tuple[Find, ...]

    def shift(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of the text as it was stands now; one that cuts a detail takes it whole."""
        return self._moved(start, to_end=False), self._moved(end, to_end=True)

    def _moved(self, place: int, *, to_end: bool) -> int:
        before = bisect_right(self.finds, place, key=lambda find: find.start)
        # A stretch that ends where a detail begins does not reach into it.
        if to_end and before and self.finds[before - 1].start == place:
            before -= 1
        shift = 0
        for find in self.finds[:before]:
            sign = len(placeholder(find.kind))
            if place < find.end:
                return find.start + shift + (sign if to_end else 0)
            shift += sign - (find.end - find.start)
        return place + shift


def masked(text: str, finds: tuple[Find, ...]) -> Masked:
    """The text with a placeholder in place of each find."""
    if not finds:
        return Masked(text, ())
    pieces, done = [], 0
    for find in finds:
        pieces += [text[done : find.start], placeholder(find.kind)]
        done = find.end
    return Masked("".join([*pieces, text[done:]]), finds)
