"""Events of Prolific: signed over the raw bytes, fresh, and read whatever else they carry."""

import base64
import hashlib
import hmac
import json
from collections.abc import Mapping
from typing import Any

import pytest

from palaver.core.errors import AccessError, InputError
from palaver.crowds.prolific.hooks import read_event, signature_of

SECRET, NOW = "s3cret", 1_800_000_000.0
VECTOR = "JBZTrXjE8+4dulSMuxymEg6mNMm6S35YJLBIsF/wKMk="
BODY: dict[str, Any] = {
    "resource_id": "sub1",
    "event_type": "submission.status.change",
    "participant_id": "p1",
    "status": "AWAITING REVIEW",
}


def signed(body: bytes, *, sent: str = "1800000000", secret: str = SECRET) -> dict[str, str]:
    made = hmac.new(secret.encode(), sent.encode() + body, hashlib.sha256).digest()
    return {
        "x-prolific-request-signature": base64.b64encode(made).decode(),
        "X-PROLIFIC-REQUEST-TIMESTAMP": sent,
        "X-Event-ID": "e1",
        "X-Timestamp": "2027-01-15T08:00:01.5+00:00",
    }


def read(headers: Mapping[str, str], body: bytes, **given: Any) -> Any:
    return read_event(headers, body, **{"secret": SECRET, "now": NOW, **given})


def test_a_signature_is_that_of_a_fixed_vector() -> None:
    # printf '1700000000{"a":1}' | openssl dgst -sha256 -hmac key -binary | base64
    assert signature_of("key", "1700000000", b'{"a":1}') == VECTOR


def test_an_event_is_read() -> None:
    body = json.dumps({**BODY, "new_field": [1]}).encode()

    event = read(signed(body), body)

    assert (event.id, event.kind, event.resource) == ("e1", "submission.status.change", "sub1")
    assert (event.status, event.participant) == ("awaiting_review", "p1")
    assert event.happened == 1_800_000_001.5


def test_the_same_json_in_other_bytes_is_not_signed() -> None:
    body = json.dumps(BODY).encode()
    other = json.dumps(BODY, indent=1).encode()

    with pytest.raises(AccessError, match="not signed"):
        read(signed(body), other)


@pytest.mark.parametrize("sent", ["1799999699", "1800000301", "0"])
def test_a_request_of_another_time_is_a_copy(sent: str) -> None:
    body = json.dumps(BODY).encode()

    with pytest.raises(AccessError, match="seconds"):
        read(signed(body, sent=sent), body)


def test_clocks_may_differ_by_five_minutes() -> None:
    body = json.dumps(BODY).encode()

    assert read(signed(body, sent="1799999700"), body).id == "e1"
    assert read(signed(body, sent="1800000300"), body).id == "e1"


@pytest.mark.parametrize(
    "changed",
    [
        {"x-prolific-request-signature": ""},
        {"x-prolific-request-signature": "é"},
        {"X-PROLIFIC-REQUEST-TIMESTAMP": "1800000001"},
    ],
)
def test_what_is_not_signed_is_refused(changed: dict[str, str]) -> None:
    body = json.dumps(BODY).encode()

    with pytest.raises(AccessError, match="not signed"):
        read({**signed(body), **changed}, body)


def test_nothing_is_believed_without_a_secret() -> None:
    body = json.dumps(BODY).encode()

    with pytest.raises(AccessError, match="no secret"):
        read(signed(body, secret=""), body, secret="")
    with pytest.raises(AccessError, match="not signed"):
        read({}, body)
    with pytest.raises(AccessError, match="not signed"):
        read(signed(body, secret="other"), body)


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"\xff", b'{"resource_id": "x"}', b"[" * 90_000, b'{"event_type": {}}']
)
def test_a_signed_body_that_says_nothing_is_an_error_of_its_own(body: bytes) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read(signed(body), body)


def test_a_body_without_end_is_not_read() -> None:
    body = b" " * 200_000

    with pytest.raises(AccessError):
        read(signed(body), body)
