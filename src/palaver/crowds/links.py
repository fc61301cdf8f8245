"""Local links: signed, expiring, one per person."""

import secrets
from dataclasses import dataclass

from palaver.core.errors import ExpiredLinkError, LinkError
from palaver.core.timed import Secrets, SignedContent, read_timed, sign_timed
from palaver.core.words import counted

SALT = "palaver.link"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who came, and for which piece of work; `proven` where a signature says so.

    `panel_study` is what a panel calls its own study, where it says so.
    """

    person: str
    assignment: str
    proven: bool = False
    panel_study: str = ""


def new_person() -> str:
    """A name for somebody who is invited by a link."""
    return f"v_{secrets.token_urlsafe(12)}"


def sign_link(
    secret: str, *, study: str, person: str, assignment: str = "1", made: float | None = None
) -> str:
    """The token of a link that lets one person into one study; `made` is when, if not now."""
    return sign_timed(secret, SALT, [study, person, assignment], now=made)


def read_link(
    secret: Secrets, token: str, *, study: str, hours: float, now: float | None = None
) -> Visitor:
    """Who a token lets in; LinkError if it is forged or for another study, or not valid now."""
    signed = _signed(secret, token, now=now)
    visitor = _visitor(signed, study)
    if signed.is_early:
        ahead = counted(round(-signed.age / 60), "minute")
        raise LinkError(
            f"This link was made {ahead} in the future. The clock of the machine that made it or "
            "of this server is wrong. Tell whoever sent it; the link works once it is set right."
        )
    if not signed.is_good(hours * 3600):
        raise ExpiredLinkError(
            f"This link was good for {hours:g} hours and has expired. "
            "Ask whoever sent it for a new one."
        )
    return visitor


def read_holder(secret: Secrets, token: str, *, study: str) -> Visitor:
    """Whose link this is, however old; LinkError if it is forged or for another study."""
    return _visitor(_signed(secret, token), study)


def _signed(secret: Secrets, token: str, *, now: float | None = None) -> SignedContent:
    signed = read_timed(secret, SALT, token, now=now)
    if signed is None:
        raise LinkError("This link is not complete or was changed. Open it again as sent.")
    return signed


def _visitor(signed: SignedContent, study: str) -> Visitor:
    named, person, assignment = signed.content
    if named != study:
        raise LinkError("This link belongs to another study.")
    return Visitor(person, assignment, proven=True)
