"""Every perturbation is in docs/perturbations.md, with its kind and level, and nothing else is."""

import re

from palaver.evaluation.perturbations import known_perturbations

from .reading import page


def test_the_list_is_the_registry() -> None:
    found = re.findall(r"^\| `(\w+)` \| (\w+) \| (\w+) \|", page("perturbations.md"), re.MULTILINE)

    assert found == [(each.name, each.kind, each.level) for each in known_perturbations()]
