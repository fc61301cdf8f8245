"""Labels: who said what about which unit, under which version of which question."""

from typing import Any, Literal

import msgspec

Purpose = Literal["real", "training", "gold", "attention"]
RaterKind = Literal["person", "model", "simulated", "anonymous"]


class Label(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One answer, or an explicit abstention (`value` is None and `abstained` is true).

    `client_id` makes a retry harmless; `supersedes` names the label that this one replaces.
    `shown_order` says in which order things stood on the screen, `label` what the value means.
    `pastes` and `pasted` are how often something was pasted into a text, and how many characters.
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
    assignment: str | None = None
    shown_order: tuple[str, ...] | None = None
    label: str | None = None
    slot_id: int | None = None
    seconds: float | None = None
    pastes: int | None = None
    pasted: int | None = None
    time: float = 0.0
    id: int | None = None
    supersedes: int | None = None
    client_id: str | None = None
