"""The page about panels names every panel, outcome and placeholder there is."""

import re

from palaver.core.studies.outcomes import OUTCOMES
from palaver.crowds.panels import PANELS, PLACEHOLDERS
from support.cases import every_case

from .reading import own_section, page, rows

PAGE = page("panels.md")


def test_every_panel_has_a_section_with_its_parameters() -> None:
    sections = PAGE.split("\n## ")[1:]
    with every_case() as case:
        for name in PANELS.names():
            with case(name):
                [section] = [each for each in sections if f"`kind: {name}`" in each]
                panel = PANELS.get(name)
                if name != "parameters":
                    for parameter in panel.parameters:
                        shown = parameter in section or panel.name == "microworkers"
                        assert shown, parameter
                for line in panel.pay:
                    assert f"{line.minimum:.2f} {line.currency}" in section
                for template in filter(None, (*panel.returns.values(), panel.returns_all)):
                    assert template in section


def test_every_outcome_and_placeholder_is_described() -> None:
    described = set(rows(own_section(PAGE, "Outcomes")))
    names = {re.sub(r"[`{}]", "", each) for each in described}
    assert set(OUTCOMES) | set(PLACEHOLDERS) <= names


def test_no_panel_is_described_that_does_not_exist() -> None:
    assert set(re.findall(r"`kind: ([a-z-]+)`", PAGE)) == set(PANELS.names())
