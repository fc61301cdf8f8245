"""What data sets are called: one form for every door, and what a name says of variants.

Names stand in addresses, in paths and in the files of Dynabench, so they have letters, digits and "-"
alone. A name that is given otherwise becomes one that has; whoever gives it is told.
"""

import re
import unicodedata
from collections.abc import Collection
from typing import get_args

from palaver.core.errors import InputError
from palaver.core.evaluation.datasets import Kind

MOST_NAME = 62
KINDS: tuple[Kind, ...] = get_args(Kind)

_OTHERS = re.compile(r"[^a-zA-Z0-9]+")
_FORM = re.compile(r"[a-zA-Z0-9-]+")
_VARIANTS = re.compile(rf"(?:{'|'.join(KINDS)})-")


def normal_name(given: str) -> str:
    """The name that a data set gets: accents dropped, all but letters and digits one "-".

    Capitals stay. A name that has letters, digits and "-" alone stays as it is. It may come out empty.

    >>> normal_name("anli_R1 (dev)"), normal_name("données"), normal_name("a--b"), normal_name("例")
    ('anli-R1-dev', 'donnees', 'a--b', '')
    """
    if _FORM.fullmatch(given):
        return given
    parts = unicodedata.normalize("NFKD", given)
    bare = "".join(char for char in parts if not unicodedata.combining(char))
    return _OTHERS.sub("-", bare).strip("-")


def checked_name(given: str) -> str:
    """The normal form of a name; InputError where nothing is left of it, or too much.

    The kind that the name of variants begins with is not counted.
    """
    name = normal_name(given)
    if not name.strip("-"):
        raise InputError(
            f"A data set's name takes letters, digits and '-'; nothing is left of '{given[:80]}'."
        )
    length = len(_VARIANTS.sub("", name, count=1))
    if length > MOST_NAME:
        raise InputError(
            f"A data set's name has at most {MOST_NAME} characters; '{name[:80]}' has {length}."
        )
    return name


def known_name(given: str, known: Collection[str]) -> str | None:
    """Which of the known names is meant: as it is given, else in its normal form; None if none is."""
    if given in known:
        return given
    name = normal_name(given)
    return name if name in known else None


def variants_named(
    name: str, known: Collection[str], *, kinds: Collection[str] = ()
) -> tuple[str, str] | None:
    """The kind and the original of variants called KIND-ORIGINAL, where there is such an original.

    `kinds` are those that a task measures beside the usual ones.

    >>> variants_named("fairness-dev", {"dev"}), variants_named("fairness-test", {"dev"})
    (('fairness', 'dev'), None)
    """
    first, _, original = name.partition("-")
    is_kind = first in KINDS or first in kinds
    return (first, original) if is_kind and original in known else None
