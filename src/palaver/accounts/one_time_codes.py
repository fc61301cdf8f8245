"""Codes that an authenticator app shows: time-based one-time passwords of RFC 6238.

A code is the truncated HMAC-SHA-1 of the number of half minutes since 1970 (RFC 4226). Pure: the
time is passed in, and which codes were used is for the caller to keep.
"""

import base64
import binascii
import hmac
import secrets
from urllib.parse import quote, urlencode

from palaver.core.errors import InputError

DIGITS = 6
STEP_SECONDS = 30
# How many steps a clock may be ahead or behind.
DRIFT = 1
SECRET_BYTES = 20


def new_secret() -> str:
    """A new shared secret of 160 bits, as apps read it."""
    return base64.b32encode(secrets.token_bytes(SECRET_BYTES)).decode()


def code_of(secret: str, step: int, *, digits: int = DIGITS, hashed: str = "sha1") -> str:
    """The code of a step.

    >>> code_of("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ", 59 // 30, digits=8)
    '94287082'
    """
    digest = hmac.new(_bytes(secret), step.to_bytes(8, "big"), hashed).digest()
    offset = digest[-1] & 0x0F
    number = int.from_bytes(digest[offset : offset + 4], "big") & 0x7FFFFFFF
    return str(number % 10**digits).zfill(digits)


def matching_step(secret: str, code: str, *, now: float, after: int = 0) -> int | None:
    """The step behind `after` whose code this is, if the clocks agree to half a minute; else None."""
    given = "".join(code.split())
    if len(given) != DIGITS or not given.isdecimal() or not given.isascii():
        return None
    here = int(now // STEP_SECONDS)
    found = None
    for step in range(here - DRIFT, here + DRIFT + 1):
        # All of them are compared, so that the time does not tell which one it was.
        if hmac.compare_digest(code_of(secret, step), given) and step > after and step >= 0:
            found = step
    return found


def enrolment_uri(secret: str, *, account: str, issuer: str) -> str:
    """What an app reads from the picture: the secret, and what to call it."""
    label = quote(f"{issuer}:{account}", safe="")
    asked = {"secret": secret, "issuer": issuer, "digits": DIGITS, "period": STEP_SECONDS}
    return f"otpauth://totp/{label}?{urlencode(asked, quote_via=quote)}"


def plain_code(code: str) -> str:
    """A recovery code as it is compared: in small letters, without spaces and dashes."""
    return "".join(sign for sign in code.lower() if sign.isalnum())[:64]


def _bytes(secret: str) -> bytes:
    try:
        return base64.b32decode(secret)
    except binascii.Error as error:
        raise InputError("The secret of this second factor cannot be read.") from error
