"""A study as it is tried: with programs in place of its systems, and codes of its own.

Nothing of it may leave the machine, so that no system is really asked; and what only the panel knows
(filters, groups, projects, earlier studies) is left out, and said.
"""

import random
import string
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from palaver.core.studies.outcomes import OUTCOMES, Outcome
from palaver.studies.file.definition import Study, SystemChoice
from palaver.studies.file.recruiting_terms import Recruit
from palaver.studies.recruiting.offering.offers import check_panel, reward_of
from palaver.studies.run.simulated_participant import passed_over

# What stands-ins of systems say; the last line is said again and again.
SAYS = (
    "Hello, I am a program that stands in for a system of this study, and I am glad to talk.",
    "That is a good question. I would begin with the smallest step and look how it goes.",
    "Please go on, I would like to hear more about what you have in mind there.",
)
# Keys of `recruit` that only the real panel can answer for, and what is empty of each.
_OF_THE_PANEL: dict[str, Any] = {
    "filters": {},
    "never_twice": (),
    "without_groups": (),
    "project": None,
}
_CODE = string.ascii_uppercase.translate(str.maketrans("", "", "AEIOU")) + "23456789"


@dataclass(frozen=True, slots=True)
class TriedStudy:
    """A study to be tried, and what is not tried of it."""

    definition: Study
    notes: tuple[str, ...]


def as_tried(study: Study, *, seed: int) -> TriedStudy:
    """A study as it is tried; InputError where it cannot be recruited for."""
    check_panel(study)
    reward_of(study)
    terms = study.recruit or Recruit()
    left_out = {key: empty for key, empty in _OF_THE_PANEL.items() if getattr(terms, key) != empty}
    changed: dict[str, Any] = {
        "systems": {
            name: SystemChoice.model_validate({"kind": "scripted", "lines": list(SAYS)})
            for name in study.systems
        },
        "crowd": study.crowd.model_copy(update={"codes": _codes(study, seed), "signed": False}),
        "recruit": terms.model_copy(update=left_out),
        "notify": None,
        "simulated": None,
    }
    return TriedStudy(study.model_copy(update=changed), tuple(_notes(study, list(left_out))))


def _codes(study: Study, seed: int) -> dict[Outcome, str]:
    """The codes of the file, and for other outcomes ones that follow from the seed."""
    rng = random.Random(f"{seed}:codes")
    made: dict[Outcome, str] = {outcome: "".join(rng.choices(_CODE, k=8)) for outcome in OUTCOMES}
    return {**made, **study.crowd.codes}


def _notes(study: Study, left_out: list[str]) -> Iterator[str]:
    if study.systems:
        yield "No system was asked: programs that say three lines stood in for them."
    if left_out:
        named = ", ".join(f"'{key}'" for key in left_out)
        yield f"Not tried, because only the panel knows it: {named}."
    if study.crowd.signed:
        yield "Signed parameters were not tried: only the panel can sign."
    yield from passed_over(study).values()
    yield "How long people took is drawn by lot around the minutes that the study promises."
