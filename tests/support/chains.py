"""Whether the audit trail of a home holds."""

from palaver.storage import Store
from palaver.storage.audit.verification import Verification, verify


def verified(url: str) -> Verification:
    """What a verification of the chains finds, with another store than the server's."""
    store = Store(url)
    try:
        found = store.read_now(lambda c: verify(c, None))
    finally:
        store.close()
    if found.breaks:
        raise AssertionError("\n".join(map(str, found.breaks)))
    return found
