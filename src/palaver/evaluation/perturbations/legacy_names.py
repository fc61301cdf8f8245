"""The swaps of names with lists as short as those of Dynabench, and names found only as they are listed.

They are there so that variants which were made with them can be made again, and so that what longer
lists change can be measured.
"""

from functools import cache

from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.draws import Draws
from palaver.evaluation.perturbations.edits import Edits, together
from palaver.evaluation.perturbations.gender import swap_words
from palaver.evaluation.perturbations.names import GENDERS, Pools, every_other, swap_names
from palaver.evaluation.perturbations.perturbation import Perturbation
from palaver.evaluation.perturbations.vocabulary import head, sections

LEGACY_GROUPS = (
    "legacy_names_asian_pacific",
    "legacy_names_black",
    "legacy_names_hispanic",
    "legacy_names_white",
)
LEGACY_GENDERED = "legacy_names_gendered"


def legacy_ethnic_names(corpus: Corpus, draws: Draws) -> Edits:
    """Each name of the short lists exchanged for one of another group and of the same gender."""
    return swap_names(corpus, draws, _ethnic_pools())


def legacy_gendered_words(corpus: Corpus, draws: Draws) -> Edits:
    """Words, and names of the short lists, exchanged for those of the other gender."""
    return together(swap_names(corpus, draws, _gendered_pools()), swap_words(corpus))


def as_name(word: str) -> str:
    """A word as it would stand in a list of names; a word without a capital is none.

    >>> as_name("Mary's"), as_name("MARY"), as_name("mary")
    ('Mary', 'Mary', '')
    """
    start = head(word)
    if len(start) > 1 and start.isupper():
        return start.capitalize()
    return start if start[:1].isupper() else ""


@cache
def _ethnic_pools() -> Pools:
    return Pools(as_name, *every_other(LEGACY_GROUPS))


@cache
def _gendered_pools() -> Pools:
    """Every name of every short list with the names of the other gender to choose from."""
    pool_of: dict[str, int] = {}
    for names in (*LEGACY_GROUPS, LEGACY_GENDERED):
        pool_of |= dict.fromkeys(sections(names)["female"], 1)
        pool_of |= dict.fromkeys(sections(names)["male"], 0)
    female, male = (sections(LEGACY_GENDERED)[gender] for gender in GENDERS)
    return Pools(as_name, pool_of, (female, male))


LEGACY_ETHNIC_NAMES = Perturbation(
    name="legacy_ethnic_names",
    kind="fairness",
    level="word",
    about="Swaps given names as ethnic_names, by lists as short as Dynabench's; only by its name.",
    example="Emily met Greg. → Lakisha met Rahul.",
    function=legacy_ethnic_names,
    on_request=True,
)

LEGACY_GENDERED_WORDS = Perturbation(
    name="legacy_gendered_words",
    kind="fairness",
    level="word",
    about="Swaps words and names as gendered_words, by lists as short as Dynabench's; only by its name.",
    example="The king took off his hat. → The queen took off her hat.",
    function=legacy_gendered_words,
    on_request=True,
)
