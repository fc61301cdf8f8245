"""What one side of a bargain knows: its role, its target and the listing.

A knowledge base is `{"personal": {Role, Target, Bottomline}, "item": {Title, Category, Price, Images,
Description}}`. The role is read from it: no seat is the buyer's by its number.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from palaver.core.errors import InputError

if TYPE_CHECKING:
    from palaver.core.scenario import Scenario

Role = Literal["buyer", "seller"]
BUYER: Role = "buyer"
SELLER: Role = "seller"
CATEGORIES = ("bike", "car", "electronics", "furniture", "housing", "phone")


@dataclass(frozen=True, slots=True, kw_only=True)
class BargainSide:
    """One seat's knowledge; `price` is the list price, which both sides know."""

    role: Role
    target: float
    price: float
    bottom_line: float | None = None
    title: str = ""
    category: str = ""
    description: tuple[str, ...] = ()
    images: tuple[str, ...] = ()

    @property
    def is_buyer(self) -> bool:
        return self.role == BUYER

    @property
    def partner(self) -> Role:
        """The role of the other side."""
        return SELLER if self.is_buyer else BUYER

    def prefers(self, price: float, other: float) -> bool:
        """Whether one price is better for this side than another."""
        return price < other if self.is_buyer else price > other


def side_of(kb: Any) -> BargainSide:
    """A knowledge base, read; InputError where the role, the target or the list price is missing."""
    personal, item = kb["personal"], kb["item"]
    role, target, price = personal.get("Role"), personal.get("Target"), item.get("Price")
    if role not in (BUYER, SELLER):
        raise InputError(f"'Role' takes 'buyer' or 'seller'; got '{role}'.")
    for name, value in (("Target", target), ("Price", price)):
        if value is None or value < 0:
            given = "nothing" if value is None else f"{value:g}"
            raise InputError(f"'{name}' of the {role} takes a number of 0 or more; got {given}.")
    return BargainSide(
        role=role,
        target=float(target),
        price=float(price),
        bottom_line=personal.get("Bottomline"),
        title=str(item.get("Title") or ""),
        category=str(item.get("Category") or ""),
        description=_lines(item.get("Description")),
        images=_lines(item.get("Images")),
    )


def sides_of(scenario: "Scenario") -> tuple[BargainSide, BargainSide]:
    """Both sides in the order of the seats; InputError unless one buys and the other sells."""
    try:
        first, second = (side_of(kb) for kb in scenario.kbs)
    except InputError as error:
        raise InputError(f"Scenario '{scenario.id}': {error}") from error
    if first.role == second.role:
        raise InputError(f"Scenario '{scenario.id}' has two of the role '{first.role}'.")
    return first, second


def _lines(given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        return (given,)
    return tuple(map(str, given or ()))
