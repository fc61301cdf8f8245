"""What stands for people outside of a round: the same within one round, another in the next.

It is the SHA-1 of the round's secret and the name, as in Dynabench's exports: a validator's with a
word in between, so that nobody sees that a writer and a validator are one person. Whoever was imported
has such a name already and keeps it.
"""

import hashlib

from palaver.core.evaluation.rounds import Round

ANONYMOUS = "anon:"
_VALIDATOR = "-validator"


def writer_pseudonym(round_: Round, writer: str) -> str:
    """What stands for a writer."""
    return _pseudonym(round_.secret, writer)


def validator_pseudonym(round_: Round, rater: str) -> str:
    """What stands for somebody who judged."""
    return _pseudonym(round_.secret + _VALIDATOR, rater)


def _pseudonym(secret: str, name: str) -> str:
    if name.startswith(ANONYMOUS):
        return name.removeprefix(ANONYMOUS)
    return hashlib.sha1((secret + name).encode(), usedforsecurity=False).hexdigest()
