"""What the operations on recruiting are sent."""

from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field

from palaver.core.recruiting.payments import PayOrder
from palaver.studies.file.recruiting_terms import FilterRange
from palaver.studies.recruiting.places.moves import Move, OrderMove
from palaver.web.api.models import Given

PanelId = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")]
# An amount in pounds, dollars or the like, of the recruitment's currency.
Amount = Annotated[str, Field(pattern=r"^[0-9]{1,12}(\.[0-9]{1,3})?$")]
Rule = Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
Words = Annotated[str, Field(pattern=r"^[^\x00]*$", max_length=10_000)]
FilterName = Annotated[str, Field(pattern=r"^[^\x00]{1,200}$")]
FilterValue = Annotated[str, Field(pattern=r"^[^\x00]{1,200}$")]
Number = Annotated[int, Field(ge=-(2**31), le=2**31 - 1)]


class NewRecruitment(Given):
    """What to create: how many places, and the cost that was agreed on, in the smallest unit."""

    cost: Annotated[int, Field(ge=0, le=2**53)]
    places: Number | None = None


class RecruitmentMove(Given):
    """What to do with a recruitment as a whole."""

    move: Move


class WantedPlaces(Given):
    """How many places there shall be in all."""

    places: Number


class NewTrial(Given):
    """The e-mail address of a test participant to be made, where one is needed."""

    email: Words = ""


class NewRuling(Given):
    """What is decided of some submissions, and what their people read.

    `message` (100 characters or more) and `category` go with a rejection, `reason` with asking for a
    return, `pay` with a screen-out, `percent` (and `message`, if there is one) with paying a part.
    """

    decision: Literal[
        "approve", "pay_part", "reject", "ask_return", "screen_out", "complete", "take_back"
    ]
    # The range is checked where decisions are made, with the same words at every door.
    submissions: Annotated[list[PanelId], Field(max_length=10_000)]
    message: Words = ""
    category: Annotated[str, Field(pattern=r"^[A-Z_]{0,40}$")] = ""
    reason: Words = ""
    pay: Amount | None = None
    percent: Number | None = None


class NewFilters(Given):
    """Filters as a study file says them: the chosen values of each, or a range."""

    filters: Annotated[
        dict[FilterName, Annotated[list[FilterValue], Field(min_length=1)] | FilterRange],
        Field(max_length=200),
    ]


class NewMessage(Given):
    """A message, and to whose submissions it is about; to everybody where none is named."""

    text: Words
    submissions: Annotated[list[PanelId], Field(max_length=10_000)] | None = None


class NewAdjustment(Given):
    """Which line the pay of an hour shall reach."""

    line: Literal["promised", "minimum", "recommended"]


class NewBonus(Given):
    """The same on top for each of some submissions, and what it is for."""

    submissions: Annotated[list[PanelId], Field(min_length=1, max_length=10_000)]
    amount: Amount
    words: Annotated[str, Field(pattern=r"^[^\x00]*$", max_length=1000)]


class NamedPayment(Given):
    """A payment that is due, by its rule and what it is for."""

    rule: Rule
    subject: Annotated[str, Field(pattern=r"^[^\x00]{1,500}$")]


class NewOrders(Given):
    """Which payments that are due to order: all, or those under some rules or to some submissions."""

    rules: Annotated[list[Rule], Field(max_length=20, default_factory=list)]
    submissions: Annotated[list[PanelId], Field(max_length=10_000, default_factory=list)]


class NewOrderMove(Given):
    """What to do with an order, or what became of it."""

    move: OrderMove


@dataclass(frozen=True, slots=True)
class SentMessage:
    """To how many people a message went."""

    people: int


@dataclass(frozen=True, slots=True)
class OrderList:
    """Orders that were made, each of as many people as the panel pays at once."""

    orders: list[PayOrder]
