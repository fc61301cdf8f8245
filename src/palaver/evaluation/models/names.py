"""What a model may be called."""

import re

from palaver.core.errors import InputError

LONGEST = 62
_NAME = re.compile(r"[a-z0-9-]+")


def check_name(name: str) -> str:
    """The name; InputError if it is none."""
    if not _NAME.fullmatch(name) or len(name) > LONGEST:
        raise InputError(
            f"A model's name takes lower-case letters, digits and '-', at most {LONGEST} "
            f"characters; got '{name[:80]}'."
        )
    return name
