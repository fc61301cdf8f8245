"""Pseudonyms for the people a file names as the origin of its dialogues.

Files carry student numbers and worker ids. With a salt that only the researcher knows, the store
holds something else that still tells one person from another, and the same person from file to file.
"""

import hashlib


def origin_pseudonym(salt: str, id: str) -> str:
    """What stands for a person; the same for the same salt and id.

    >>> origin_pseudonym("pepper", "student-17")
    'w3166d96e32ba'
    """
    return "w" + hashlib.sha256((salt + id).encode()).hexdigest()[:12]
