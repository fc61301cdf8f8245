"""The masking of one export: the names its store knows, each dialogue with the names said in it.

Every export, transcript and bundle that promises masking goes through `StudyMasks`.
"""

import re
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection

from palaver.core.records import DialogueRecord, LabelRecord
from palaver.formats.masking import (
    KINDS,
    NOT_LOOKED_FOR,
    DialogueMasker,
    KnownNames,
    Masker,
    mask_label,
)
from palaver.storage.dialogues.dialogues import load_dialogue, load_dialogue_by_id
from palaver.storage.people.accounts import list_accounts
from palaver.storage.people.participants import external_names

L = TypeVar("L", bound=LabelRecord)


class Masking(msgspec.Struct, frozen=True):
    """What a masked export says of itself: how often each kind was found, what was not looked for."""

    found: dict[str, int]
    not_looked_for: tuple[str, ...] = NOT_LOOKED_FOR

    @classmethod
    def of(cls, masker: Masker) -> "Masking":
        """What a masker masked so far."""
        return cls({kind: masker.counts[kind] for kind in KINDS if masker.counts[kind]})

    def in_words(self) -> str:
        """What was masked, as a sentence lists it."""
        counted = [
            f"{name} ({self.found[kind]})" for kind, name in KINDS.items() if kind in self.found
        ]
        return ", ".join(counted) or "nothing"


# Dialogues whose names are remembered: labels come in runs about a few.
_REMEMBERED = 256


class StudyMasks:
    """Masks what leaves the house, and keeps count of it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        accounts = [account.name for account in list_accounts(connection)]
        self._masker = Masker(KnownNames(ids=[*external_names(connection), *accounts]))
        self._recent: OrderedDict[str | int, DialogueMasker] = OrderedDict()

    def masking(self) -> Masking:
        """What was masked so far."""
        return Masking.of(self._masker)

    def text(self, text: str) -> str:
        return self._masker.text(text)

    def id(self, id: str | None) -> str | None:
        return self._masker.id(id)

    def dialogue(self, record: DialogueRecord) -> DialogueRecord:
        """The record with everything that was said masked."""
        inside = DialogueMasker(self._masker, record)
        self._remember(record.id, inside)
        return inside.record()

    def label(self, record: L) -> L:
        """The record with its answer masked, as a part of the dialogue or pair it judges."""
        if record.value is None or isinstance(record.value, int | float):
            return mask_label(record, (), self._masker)
        keys = [record.dialogue] if record.dialogue else _members(record.unit)
        return mask_label(record, [self._about(key) for key in keys], self._masker)

    def about(self, dialogue_id: int) -> DialogueMasker:
        """The masking of the dialogue that has this id in the store."""
        found = self._recent.get(dialogue_id)
        if found is None:
            stored = load_dialogue_by_id(self._connection, dialogue_id)
            found = DialogueMasker(self._masker, stored.record())
            self._remember(dialogue_id, found)
        return found

    def comparing(self, value: Any, dialogue_ids: Sequence[int]) -> Any:
        """An answer in words that compares dialogues, masked."""
        if not dialogue_ids:
            return self._masker.value(value)
        first, *others = (self.about(dialogue_id) for dialogue_id in dialogue_ids)
        return first.knowing_also(others).value(value)

    def _about(self, key: str) -> DialogueMasker:
        found = self._recent.get(key)
        if found is None:
            found = DialogueMasker(self._masker, load_dialogue(self._connection, key).record())
            self._remember(key, found)
        return found

    def _remember(self, key: str | int, masker: DialogueMasker) -> None:
        self._recent[key] = masker
        if len(self._recent) > _REMEMBERED:
            self._recent.popitem(last=False)


def _members(unit: str) -> list[str]:
    """The dialogues that a unit compares, by key."""
    return re.findall(r"[:|](?:dialogue|event|turn|seat|response):([^:|]+)", unit)
