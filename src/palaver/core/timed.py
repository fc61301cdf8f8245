"""Signed texts that carry the time they were made: links and cookies.

One place reads them, because clocks differ: a link that was made two seconds ago on a machine whose
clock is three seconds fast comes from the future. Up to `SKEW_SECONDS` of that is forgiven.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from itsdangerous import BadData, TimestampSigner, URLSafeTimedSerializer

SKEW_SECONDS = 300.0
# The secret that signs; for reading also those that it replaced, the one that signs last.
Secrets = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class SignedContent:
    """What a signed text holds, and how many seconds ago it was signed."""

    content: Any
    age: float

    @property
    def is_early(self) -> bool:
        """Whether it was signed later than now, by more than clocks may differ."""
        return self.age < -SKEW_SECONDS

    def is_good(self, seconds: float) -> bool:
        """Whether it was signed at most so many seconds ago, and not in the future."""
        return not self.is_early and self.age <= seconds


def sign_timed(secret: str, salt: str, content: Any, *, now: float | None = None) -> str:
    """The content with the time and a signature, fit for an address or a cookie.

    `now` is the time that it carries, if not this moment.
    """
    if now is None:
        return URLSafeTimedSerializer(secret, salt=salt).dumps(content)

    moment = int(now)

    class SignerAt(TimestampSigner):
        """Signs as if it were that time."""

        def get_timestamp(self) -> int:
            return moment

    return URLSafeTimedSerializer(secret, salt=salt, signer=SignerAt).dumps(content)


def read_timed(
    secret: Secrets, salt: str, text: str, *, now: float | None = None
) -> SignedContent | None:
    """What was signed under this secret and salt, however long ago; None if it was not."""
    known = secret if isinstance(secret, str) else list(secret)
    serializer = URLSafeTimedSerializer(known, salt=salt)
    try:
        content, signed = serializer.loads(text, return_timestamp=True)
    except BadData:
        return None
    # Signatures carry whole seconds.
    return SignedContent(
        content, int(time.time() if now is None else now) - int(signed.timestamp())
    )
