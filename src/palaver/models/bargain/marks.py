"""The words of bargainers by number: marks, prices, and what was typed; and the words of listings.

Every vocabulary begins with the same marks, and then has all prices of the scale, so that networks and
self-play know their numbers without looking.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from palaver.core.errors import InputError
from palaver.games.craigslist_bargain.sides import CATEGORIES, BargainSide
from palaver.models.bargain.pricing import MOST_SCALED, PriceScale, price_word, scaled_of
from palaver.models.vocabulary import UNKNOWN, Vocabulary

PAD, END = "<pad>", "</s>"
GO_BUYER, GO_SELLER = "<go-b>", "<go-s>"
OFFER, ACCEPT, REJECT, QUIT = "<offer>", "<accept>", "<reject>", "<quit>"
# A category that networks have not learnt of.
OTHER = "other"
_CATEGORIES = tuple(f"<{category}>" for category in (*CATEGORIES, OTHER))

# What nobody says comes first.
UNSAID = (PAD, UNKNOWN, GO_BUYER, GO_SELLER, *_CATEGORIES)
MARKS = (*UNSAID, END, OFFER, ACCEPT, REJECT, QUIT)
PAD_NUMBER, UNKNOWN_NUMBER, BUYER_NUMBER, SELLER_NUMBER = range(4)
END_NUMBER, OFFER_NUMBER, ACCEPT_NUMBER, REJECT_NUMBER, QUIT_NUMBER = range(len(UNSAID), len(MARKS))
FIRST_PRICE = len(MARKS)
LISTING_MARKS = (PAD, UNKNOWN)


@dataclass(frozen=True, slots=True)
class BargainWords:
    """The vocabulary of what is said, and that of what is listed."""

    said: Vocabulary
    listed: Vocabulary
    # The numbers of prices, the lowest first.
    prices: range = field(init=False)

    def __post_init__(self) -> None:
        _check_marks(self.said.words, MARKS)
        _check_marks(self.listed.words, LISTING_MARKS)
        scaled = []
        for word in self.said.words[FIRST_PRICE:]:
            value = scaled_of(word)
            if value is None:
                break
            scaled.append(value)
        if len(scaled) < 2 or scaled != price_grid(2 * MOST_SCALED / (len(scaled) - 1)):
            raise InputError("The prices in the vocabulary of bargains are not those of a scale.")
        object.__setattr__(self, "prices", range(FIRST_PRICE, FIRST_PRICE + len(scaled)))

    @property
    def step(self) -> float:
        """How far prices lie apart on the scale."""
        return 2 * MOST_SCALED / (len(self.prices) - 1)

    def price_number(self, price: float, scale: PriceScale) -> int:
        """The number of a price as a side sees it; one that is too far off is at the end."""
        share = (price - scale.worst) / scale.width
        share = min(max(share, -MOST_SCALED), MOST_SCALED)
        return self.prices.start + round((share + MOST_SCALED) / self.step)

    def scaled(self, number: int) -> float | None:
        """The scaled price of a number; None where it is that of another word."""
        if number not in self.prices:
            return None
        return (number - self.prices.start) * self.step - MOST_SCALED


def bargain_words(
    said: Iterable[Iterable[str]],
    listed: Iterable[Iterable[str]],
    *,
    price_step: float,
    least: int,
    most: int,
    least_listed: int,
) -> BargainWords:
    """The words of some turns and listings that occur often enough."""
    marks = (*MARKS, *map(price_word, price_grid(price_step)))
    return BargainWords(
        Vocabulary.of(said, marks=marks, least=least, most=most),
        Vocabulary.of(listed, marks=LISTING_MARKS, least=least_listed),
    )


def price_grid(step: float) -> list[float]:
    """The scaled prices that have a word, from the lowest on."""
    return [
        round(n * step - MOST_SCALED, 2) + 0.0 for n in range(round(2 * MOST_SCALED / step) + 1)
    ]


def category_number(side: BargainSide) -> int:
    """The mark of what a listing is."""
    category = side.category if side.category in CATEGORIES else OTHER
    return MARKS.index(f"<{category}>")


def go_number(side: BargainSide) -> int:
    """The mark with which a side begins to speak."""
    return BUYER_NUMBER if side.is_buyer else SELLER_NUMBER


def _check_marks(words: Sequence[str], marks: Sequence[str]) -> None:
    if tuple(words[: len(marks)]) != tuple(marks):
        raise InputError(
            f"A vocabulary of bargains begins with {' '.join(marks[:4])} …; "
            f"got '{' '.join(words[: len(marks)])[:80]}'."
        )
