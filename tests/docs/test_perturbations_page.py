"""Every perturbation is in docs/perturbations.md, with its kind and level, and nothing else is."""

import re

from palaver.core.evaluation.variant_counts import FEW_ITEMS, FEW_SHARE
from palaver.evaluation.perturbations import known_perturbations
from palaver.evaluation.perturbations.names import GENDERS, GROUPS
from palaver.evaluation.perturbations.vocabulary import lines, sections

from .reading import page


def test_the_list_is_the_registry() -> None:
    found = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \|", page("perturbations.md"), re.MULTILINE)

    assert found == [(each.name, each.kind, each.level) for each in known_perturbations()]


def test_the_lists_are_as_long_as_the_page_says() -> None:
    listed = {group: sections(group) for group in GROUPS}
    told = re.findall(r"^\| (?:in|among) .* \| (\d+) \|$", page("perturbations.md"), re.MULTILINE)
    women, men = (sum(len(each[gender]) for each in listed.values()) for gender in GENDERS)

    assert [int(each) for each in told] == [
        sum(len(each[gender]) for gender in GENDERS) for each in listed.values()
    ]
    whole = f"Of the {women + men:,} names, {women:,} are women's and {men:,} men's."
    assert whole in page("perturbations.md")
    assert f"the {len(lines('also_words'))} of `also_words.txt`" in page("perturbations.md")
    assert f"fewer than {FEW_ITEMS} items or under {100 * FEW_SHARE:g} %" in page(
        "perturbations.md"
    )
