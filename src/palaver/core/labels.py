"""Labels: who said what about which unit, under which version of which question."""

from typing import Any, Literal

import msgspec

Purpose = Literal["real", "training", "gold", "attention"]
RaterKind = Literal["person", "model", "simulated", "anonymous"]
# The section of ABC-Eval's released data that the paper reports; its questions have plain names.
PAPER = "surge_evaluation"
# The section in which those who held the dialogues judged them.
COLLECTED = "dialogue_collection"


class Label(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer, or an explicit abstention (`value` is None and `abstained` is true).

    `client_id` makes a retry harmless; `supersedes` names the label that this one replaces.
    `shown_order` says in which order things stood on the screen, `label` what the value means.
    `section` is the part of a released data set it comes from. `pastes` and `pasted` are how often
    something was pasted into a text, and how many characters. `active` is for how many of the
    `seconds` the page was in view and in use. `study_version` is that of the study's file when it was
    given.
    Appended, never edited.
    """

    unit: str
    question: str
    question_version: str
    rater: str
    rater_kind: RaterKind
    value: Any = None
    abstained: bool = False
    purpose: Purpose = "real"
    section: str | None = None
    assignment: str | None = None
    shown_order: tuple[str, ...] | None = None
    label: str | None = None
    slot_id: int | None = None
    seconds: float | None = None
    pastes: int | None = None
    pasted: int | None = None
    active: float | None = None
    time: float = 0.0
    id: int | None = None
    supersedes: int | None = None
    client_id: str | None = None
    study_version: int | None = None


def section_ending(section: str) -> str:
    """What the name of a question ends with in a section of released data.

    The same question was asked of other people elsewhere in the data; under a name of its own it is
    never counted together with theirs.
    """
    return "" if section == PAPER else f".{section}"
