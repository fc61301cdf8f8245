"""Links that were made for somebody in particular, and are kept: for whom, until when, whether used."""

from dataclasses import dataclass
from typing import Literal

from palaver.core.serial import internal

LinkState = Literal["open", "used", "expired", "revoked", "erased"]

MOST_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptLink:
    """One link with a name; `address` is empty until it is made, and once it leads nowhere.

    `used` is when somebody first took part with it. What is `erased` has lost its name and its person.
    """

    id: int
    name: str
    state: LinkState
    address: str = ""
    account: str
    made: float
    expires: float
    used: float | None = None
    revoked: float | None = None
    person: str | None = internal(None)


def link_state(
    *, person: str | None, expires: float, used: float | None, revoked: float | None, now: float
) -> LinkState:
    """What has become of a link; one without a person was erased."""
    if person is None:
        return "erased"
    if revoked is not None:
        return "revoked"
    if now > expires:
        return "expired"
    return "open" if used is None else "used"


@dataclass(frozen=True, slots=True)
class KeptLinkList:
    """The links of a study that are kept, newest first."""

    links: tuple[KeptLink, ...]
