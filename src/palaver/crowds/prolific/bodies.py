"""What is sent to Prolific: drafts of studies, codes, filters, bonuses. Everything here is pure.

Whether Prolific would take a draft is in `checks`.
"""

import re
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from palaver.core.errors import InputError
from palaver.core.money import Money
from palaver.core.words import counted, listed
from palaver.crowds.prolific.records import CodeAction, CompletionCode, StudyFilter

APP = "https://app.prolific.com"
# What Prolific fills in when somebody starts, by the names that everybody uses for it.
PLACEHOLDERS = {
    "PROLIFIC_PID": "{{%PROLIFIC_PID%}}",
    "STUDY_ID": "{{%STUDY_ID%}}",
    "SESSION_ID": "{{%SESSION_ID%}}",
}
DEVICES = ("desktop", "tablet", "mobile")
PERIPHERALS = ("audio", "camera", "download", "microphone")
MOST_BONUSES = 200
# Letters and digits that nobody takes for others.
_LETTERS = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789"
_CODE_LENGTH = 8
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyDraft:
    """A study as it is to be made; `reward` is for each person, `minutes` what it should take."""

    title: str
    internal_name: str
    description: str
    address: str
    reward: Money
    minutes: int
    places: int
    codes: tuple[CompletionCode, ...]
    most_minutes: int | None = None
    devices: tuple[str, ...] = DEVICES
    peripherals: tuple[str, ...] = ()
    filters: tuple[StudyFilter, ...] = ()
    # A filter set in place of filters, by its id.
    filter_set: str = ""
    project: str = ""
    is_screening: bool = False
    # Submissions that took an exceptionally short time are rejected by Prolific itself.
    rejects_too_fast: bool = False


def draft_of(
    *,
    title: str,
    internal_name: str = "",
    description: str,
    address: str,
    reward: Money,
    minutes: int,
    places: int,
    codes: Sequence[CompletionCode],
    most_minutes: int | None = None,
    devices: Collection[str] = DEVICES,
    peripherals: Collection[str] = (),
    filters: Sequence[StudyFilter] = (),
    only_groups: Collection[str] = (),
    never_groups: Collection[str] = (),
    never_studies: Collection[str] = (),
    filter_set: str = "",
    project: str = "",
    is_screening: bool = False,
    rejects_too_fast: bool = False,
) -> StudyDraft:
    """A draft whose address says who comes; people in `never_…` are not shown the study."""
    lists = {
        "participant_group_allowlist": only_groups,
        "participant_group_blocklist": never_groups,
        "previous_studies_blocklist": never_studies,
    }
    listing = tuple(
        StudyFilter(filter_id=name, selected_values=tuple(dict.fromkeys(chosen)))
        for name, chosen in lists.items()
        if chosen
    )
    return StudyDraft(
        title=title.strip(),
        internal_name=internal_name.strip() or title.strip(),
        description=description.strip(),
        address=with_placeholders(address.strip()),
        reward=reward,
        minutes=minutes,
        places=places,
        codes=tuple(codes),
        most_minutes=most_minutes,
        devices=tuple(each for each in DEVICES if each in devices),
        peripherals=tuple(each for each in PERIPHERALS if each in peripherals),
        filters=(*filters, *listing),
        filter_set=filter_set,
        project=project,
        is_screening=is_screening,
        rejects_too_fast=rejects_too_fast,
    )


def with_placeholders(address: str) -> str:
    """An address with the three parameters that say who comes, for what, and in which submission.

    >>> with_placeholders("https://lab.org/s/x?STUDY_ID={{%STUDY_ID%}}").split("?")[1]
    'STUDY_ID={{%STUDY_ID%}}&PROLIFIC_PID={{%PROLIFIC_PID%}}&SESSION_ID={{%SESSION_ID%}}'
    """
    bare, hashed, fragment = address.partition("#")
    missing = [f"{name}={told}" for name, told in PLACEHOLDERS.items() if told not in bare]
    if missing:
        bare += ("&" if "?" in bare else "?") + "&".join(missing)
    return f"{bare}{hashed}{fragment}"


def completion_address(code: str, *, app: str = APP) -> str:
    """Where a browser is sent at the end: going there is what completes the submission."""
    return f"{app.rstrip('/')}/submissions/complete?cc={quote(code, safe='')}"


def make_codes(
    purposes: Collection[str], *, draw: Callable[[str], str] = secrets.choice
) -> dict[str, str]:
    """A new random code for each purpose, all different, none of which says what it is for."""
    found: dict[str, str] = {}
    for purpose in dict.fromkeys(purposes):
        code = ""
        while not code or code in found.values():
            code = "".join(draw(_LETTERS) for _ in range(_CODE_LENGTH))
        found[purpose] = code
    return found


def study_body(draft: StudyDraft) -> dict[str, Any]:
    """A draft as Prolific takes it; the reward is in the smallest unit there."""
    body: dict[str, Any] = {
        "name": draft.title,
        "internal_name": draft.internal_name,
        "description": draft.description,
        "external_study_url": draft.address,
        "prolific_id_option": "url_parameters",
        "completion_codes": [code_body(each) for each in draft.codes],
        "total_available_places": draft.places,
        "estimated_completion_time": draft.minutes,
        "reward": draft.reward.minor,
        "device_compatibility": list(draft.devices),
        "peripheral_requirements": list(draft.peripherals),
        **_who_may(draft),
        "submissions_config": _config(draft),
    }
    if draft.most_minutes is not None:
        body["maximum_allowed_time"] = draft.most_minutes
    if draft.project:
        body["project"] = draft.project
    if draft.is_screening:
        body["is_custom_screening"] = True
    return body


def _who_may(draft: StudyDraft) -> dict[str, Any]:
    if draft.filter_set:
        return {"filter_set_id": draft.filter_set}
    return {"filters": [filter_body(each) for each in draft.filters]}


def _config(draft: StudyDraft) -> dict[str, Any]:
    config: dict[str, Any] = {"max_submissions_per_participant": 1}
    if draft.rejects_too_fast:
        config["auto_rejection_categories"] = ["EXCEPTIONALLY_FAST"]
    return config


def code_body(code: CompletionCode) -> dict[str, Any]:
    """A completion code as Prolific takes it."""
    body: dict[str, Any] = {
        "code": code.code,
        "code_type": code.code_type,
        "actions": [_action_body(each) for each in code.actions],
    }
    return {**body, "actor": code.actor} if code.actor else body


def _action_body(action: CodeAction) -> dict[str, Any]:
    told = {
        "participant_group": action.group or None,
        "return_reason": action.return_reason or None,
        "fixed_screen_out_reward": action.reward,
        "slots": action.slots,
    }
    return {"action": action.action} | {key: each for key, each in told.items() if each is not None}


def filter_body(chosen: StudyFilter) -> dict[str, Any]:
    """A filter as Prolific takes it."""
    body: dict[str, Any] = {"filter_id": chosen.filter_id}
    if chosen.filters:
        body["selected_filters"] = [filter_body(each) for each in chosen.filters]
    if chosen.selected_values:
        body["selected_values"] = list(chosen.selected_values)
    ends = {"lower": chosen.lower, "upper": chosen.upper}
    between = {name: _number(end) for name, end in ends.items() if end is not None}
    if between:
        body["selected_range"] = between
    if chosen.weightings:
        body["weightings"] = chosen.weightings
    return body


def _number(value: float) -> int | float:
    return int(value) if float(value).is_integer() else value


def bonus_lines(bonuses: Mapping[str, Money]) -> str:
    """Bonuses by participant or submission as Prolific takes them; InputError if it would not.

    Here amounts are in the largest unit: "4.25" is four pounds and a quarter, and "30" is thirty pounds.
    """
    if not 1 <= len(bonuses) <= MOST_BONUSES:
        raise InputError(
            f"There are {counted(len(bonuses), 'bonus', 'bonuses')}. One payment takes 1 to "
            f"{MOST_BONUSES}: split them."
        )
    if len({each.currency for each in bonuses.values()}) > 1:
        raise InputError("The bonuses are in several currencies. A workspace pays in one.")
    if odd := [each for each in bonuses if not _ID.fullmatch(each)]:
        raise InputError(f"These are not ids of Prolific: {listed([o[:40] for o in odd], most=6)}.")
    if none := [each for each, amount in bonuses.items() if amount.minor < 1]:
        raise InputError(f"A bonus is more than nothing. Not so for: {listed(none, most=6)}.")
    return "\n".join(f"{each},{amount.major}" for each, amount in bonuses.items())


def path_id(given: str) -> str:
    """An id that may stand in an address; InputError if it could lead elsewhere."""
    if not _ID.fullmatch(given):
        raise InputError(f"'{given[:40]}' is not an id of Prolific: letters and digits alone.")
    return given
