"""The filters that the stand-in knows: a handful of our own, in the shape of the real catalogue."""

import hashlib
import json
from typing import Any

PEOPLE = 180_000
# Fewer are not told, so that nobody can be singled out.
FEWEST = 25
COUNTRIES = {"0": "United Kingdom", "1": "United States", "2": "Ireland", "3": "Germany"}
LANGUAGES = {"0": "English", "1": "German", "2": "French", "3": "Arabic", "4": "Hebrew"}
HANDS = {"0": "Left", "1": "Right", "2": "Both"}


def _select(name: str, title: str, question: str, choices: dict[str, str]) -> dict[str, Any]:
    return {
        "filter_id": name,
        "title": title,
        "description": f"Chosen by: {title.lower()}.",
        "question": question,
        "type": "select",
        "data_type": "ChoiceID",
        "choices": choices,
    }


def _range(name: str, title: str, question: str, low: int, high: int) -> dict[str, Any]:
    return {
        "filter_id": name,
        "title": title,
        "description": f"Chosen by: {title.lower()}.",
        "question": question,
        "type": "range",
        "data_type": "integer",
        "min": low,
        "max": high,
    }


def _ids(name: str, title: str, data_type: str) -> dict[str, Any]:
    return {
        "filter_id": name,
        "title": title,
        "description": f"Chosen by: {title.lower()}.",
        "question": "",
        "type": "select",
        "data_type": data_type,
        "choices": None,
    }


FILTERS: tuple[dict[str, Any], ...] = (
    _range("age", "Age", "How old are you?", 18, 100),
    _range("approval_rate", "Approval rate", "", 0, 100),
    _select("current-country-of-residence", "Country", "Where do you live?", COUNTRIES),
    _select("first-language", "First language", "What is your first language?", LANGUAGES),
    _select("fluent-languages", "Languages", "Which languages do you speak well?", LANGUAGES),
    _select("handedness", "Handedness", "Which hand do you write with?", HANDS),
    _ids("participant_group_allowlist", "Only these groups", "ParticipantGroupID"),
    _ids("participant_group_blocklist", "Not these groups", "ParticipantGroupID"),
    _ids("previous_studies_allowlist", "Only from these studies", "StudyID"),
    _ids("previous_studies_blocklist", "Not from these studies", "StudyID"),
)
FILTER_IDS = frozenset({each["filter_id"] for each in FILTERS} | {"and", "or"})


def eligible(filters: list[dict[str, Any]]) -> int:
    """How many people pass: each condition leaves a share that is always the same for it."""
    count = float(PEOPLE)
    for each in filters:
        digest = hashlib.sha256(json.dumps(each, sort_keys=True).encode()).digest()
        chosen = each.get("selected_range") or {}
        narrow = chosen.get("lower") is not None and chosen.get("lower") == chosen.get("upper")
        count *= 0.0001 if narrow else 0.2 + 0.7 * digest[0] / 255
    return int(count) if count >= FEWEST else 0
