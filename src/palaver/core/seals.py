"""Seals: what a page sends back to prove what it was handed, and which tells nothing else.

A page must say which work it belongs to and when it was shown. The number of a row would tell its
reader how the rows are numbered (those with known answers last, say), and a time that the page may
choose is not evidence. A seal is a keyed digest: of what is sealed and of whom it was handed to. It
holds no number, hidden or not; it is compared with the one that is expected, in constant time.
"""

import hmac
import math
from base64 import urlsafe_b64encode
from hashlib import blake2b

# Of the digest: 128 bits, which are 22 characters.
SEAL_BYTES = 16


class Seals:
    """Makes and checks seals under a key that is derived from the home's signing key."""

    def __init__(self, secret: str) -> None:
        self._key = blake2b(secret.encode(), digest_size=32, person=b"palaver.seals").digest()

    def seal(self, kind: str, holder: str, *content: str) -> str:
        """The seal of some content in the hands of a holder: the same for the same, always as long.

        >>> seals = Seals("key")
        >>> len(seals.seal("work", "ann", "sheet-7"))
        22
        >>> seals.seal("work", "ann", "sheet-7") == seals.seal("work", "bob", "sheet-7")
        False
        """
        # With their lengths, so that no two lists of texts read the same.
        said = "".join(f"{len(part)}:{part}" for part in (kind, holder, *content))
        digest = blake2b(said.encode(), key=self._key, digest_size=SEAL_BYTES).digest()
        return urlsafe_b64encode(digest).rstrip(b"=").decode()

    def is_seal(self, given: str, kind: str, holder: str, *content: str) -> bool:
        """Whether `given` is the seal of this content in these hands."""
        expected = self.seal(kind, holder, *content)
        return hmac.compare_digest(given.encode(errors="replace"), expected.encode())

    def stamp(self, time: float, kind: str, holder: str, *content: str) -> str:
        """A moment, in whole milliseconds, with a seal of what happened then, and to whom."""
        # Rounded down: a stamp never lies ahead of the clock it was made by.
        moment = f"{math.floor(time * 1000) / 1000:.3f}"
        return f"{moment}.{self.seal(kind, holder, *content, moment)}"

    def stamped(self, given: str, kind: str, holder: str, *content: str) -> float | None:
        """The moment of a stamp; None unless it was made for this content and these hands.

        >>> seals = Seals("key")
        >>> stamp = seals.stamp(1700000000.25, "shown", "ann", "sheet-7")
        >>> seals.stamped(stamp, "shown", "ann", "sheet-7")
        1700000000.25
        >>> seals.stamped(stamp.replace("17", "16", 1), "shown", "ann", "sheet-7") is None
        True
        """
        moment, _, seal = given.rpartition(".")
        return float(moment) if self.is_seal(seal, kind, holder, *content, moment) else None
