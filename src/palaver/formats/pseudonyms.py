"""Pseudonyms for the people a file names as the origin of its dialogues.

Files carry student numbers and worker ids. An import writes something else in their place that still
tells one person from another; with the salt in the study file (`origin_salt`) the server recognises
who comes to judge a dialogue of their own.
"""

import hashlib


def origin_pseudonym(salt: str, id: str) -> str:
    """What stands for a person; the same for the same salt and id.

    >>> origin_pseudonym("pepper", "student-17")
    'w3166d96e32ba'
    """
    return "w" + hashlib.sha256((salt + id).encode()).hexdigest()[:12]
