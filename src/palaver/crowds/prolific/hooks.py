"""What Prolific tells us when something happens: whether it was Prolific, and what happened.

The signature covers the time at which a request was sent and the bytes of its body. Prolific sends an
event again, up to eleven times in a day, and each time is a request of its own with a time of its own:
so a request that is older than a few minutes is a copy, and is refused. (Should Prolific keep the first
time after all, late events are refused, and the slow look at the API finds what they would have said.)

The event's id and the time it happened at are not signed. They serve to put events in order and to
handle each once, and whatever an event says is only a reason to look: the API says how things stand.
"""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping

from palaver.core.errors import AccessError, InputError, PanelError
from palaver.core.moments import moment_of
from palaver.core.timed import SKEW_SECONDS
from palaver.crowds.prolific.fields import AnswerFields, plain_line
from palaver.crowds.prolific.records import HookEvent

SIGNATURE = "X-Prolific-Request-Signature"
SENT = "X-Prolific-Request-Timestamp"
EVENT_ID = "X-Event-ID"
HAPPENED = "X-Timestamp"
# How old a request may be, which is also how far two clocks may be apart.
MOST_AGE = SKEW_SECONDS
MOST_BYTES = 100_000
SUBMISSION_CHANGED = "submission.status.change"
STUDY_CHANGED = "study.status.change"
STUDY_PROGRESSED = "study.progress.change"
MANY_RETURNS = "study.has_high_return_rate"
EVENT_TYPES = (SUBMISSION_CHANGED, STUDY_CHANGED, STUDY_PROGRESSED, MANY_RETURNS)
_NUMBER = re.compile(r"[0-9]{1,13}(\.[0-9]{1,9})?")
FORGED = "This request is not signed by Prolific with the secret of this workspace."


def signature_of(secret: str, sent: str, body: bytes) -> str:
    """The signature of a request: base64 of the HMAC-SHA256 of its time and its body."""
    digest = hmac.new(secret.encode(), sent.encode() + body, hashlib.sha256).digest()
    return base64.b64encode(digest).decode("ascii")


def read_event(
    headers: Mapping[str, str],
    body: bytes,
    *,
    secret: str,
    now: float,
    most_age: float = MOST_AGE,
) -> HookEvent:
    """The event that a request tells of.

    AccessError where it is not Prolific's, or old; InputError where it is, and says nothing we know.
    """
    known = {name.lower(): told for name, told in headers.items()}
    sent = known.get(SENT.lower(), "")
    _check_signature(known.get(SIGNATURE.lower(), ""), secret=secret, sent=sent, body=body)
    age = now - float(sent)
    if abs(age) > most_age:
        way = "ago" if age > 0 else "in the future"
        raise AccessError(
            f"This request was sent {abs(age):,.0f} seconds {way}. It is a copy of an old one, or "
            "the clock of this server is wrong."
        )
    return _event(body, known.get(EVENT_ID.lower(), ""), known.get(HAPPENED.lower(), ""))


def _check_signature(given: str, *, secret: str, sent: str, body: bytes) -> None:
    """AccessError where a request is not signed; nothing of it is read before."""
    if not secret:
        raise AccessError("This workspace has no secret: nothing that arrives can be checked.")
    expected = signature_of(secret, sent, body) if len(body) <= MOST_BYTES else ""
    is_signed = hmac.compare_digest(given.encode(), expected.encode())
    if not is_signed or not expected or not _NUMBER.fullmatch(sent):
        raise AccessError(FORGED)


def _event(body: bytes, name: str, happened: str) -> HookEvent:
    try:
        fields = AnswerFields(json.loads(body), "an event")
        kind, resource = fields.text("event_type", needed=True), fields.text("resource_id")
        metadata = fields.inner("metadata").plain() if fields.has("metadata") else {}
        return HookEvent(
            id=plain_line(name, 200),
            kind=plain_line(kind, 100),
            resource=plain_line(resource, 100),
            status=fields.word("status"),
            participant=plain_line(fields.text("participant_id"), 100),
            happened=moment_of(happened),
            metadata=metadata,
        )
    except (ValueError, RecursionError, PanelError) as error:
        raise InputError(f"This event cannot be read: {plain_line(str(error), 200)}") from None
