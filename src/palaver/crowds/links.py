"""Local links: signed, expiring, one per person."""

import secrets
from dataclasses import dataclass

from itsdangerous import BadSignature, SignatureExpired, URLSafeTimedSerializer

from palaver.core.errors import LinkError

SALT = "palaver.link"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who follows a link, and for which piece of work."""

    person: str
    assignment: str


def new_person() -> str:
    """A name for somebody who is invited by a link."""
    return f"v_{secrets.token_urlsafe(12)}"


def sign_link(secret: str, *, study: str, person: str, assignment: str = "1") -> str:
    """The token of a link that lets one person into one study."""
    return URLSafeTimedSerializer(secret, salt=SALT).dumps([study, person, assignment])


def read_link(secret: str, token: str, *, study: str, hours: float) -> Visitor:
    """Who a token lets in; LinkError if it is forged, expired or for another study."""
    try:
        content = URLSafeTimedSerializer(secret, salt=SALT).loads(token, max_age=int(hours * 3600))
    except SignatureExpired as error:
        raise LinkError(
            f"This link was good for {hours:g} hours and has expired. "
            "Ask whoever sent it for a new one."
        ) from error
    except BadSignature as error:
        raise LinkError(
            "This link is not complete or was changed. Open it again as sent."
        ) from error
    named, person, assignment = content
    if named != study:
        raise LinkError("This link belongs to another study.")
    return Visitor(person, assignment)
