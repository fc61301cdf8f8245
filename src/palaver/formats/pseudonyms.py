"""What stands for people whom a file names as the origin of its dialogues."""

import hashlib


def origin_pseudonym(salt: str, id: str) -> str:
    """What stands for a person whom a file names as a dialogue's origin; the same for one salt and id.

    Files carry student numbers and worker ids. An import writes this in their place; with the salt in
    the study file (`origin_salt`) the server recognises who comes to judge a dialogue of their own.

    >>> origin_pseudonym("pepper", "student-17")
    'w3166d96e32ba'
    """
    return "w" + hashlib.sha256((salt + id).encode()).hexdigest()[:12]
