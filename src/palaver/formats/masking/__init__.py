"""Masking: what people type about themselves is replaced before a file leaves the house.

A finder per kind of detail says where in a text such details stand (`finds`), a `Masker` puts their
placeholders there, and a `DialogueMasker` knows in addition the names that were said in its dialogue.
This is a net for what slips into conversation, not anonymisation: `NOT_LOOKED_FOR` is in every
masked export. In doubt about six or more digits it masks.

Every pattern is anchored and bounded, so the time grows with the length of the text.
"""

from palaver.formats.masking.dialogues import DialogueMasker, mask_label
from palaver.formats.masking.finds import KINDS, NOT_LOOKED_FOR, Find, Masked, placeholder
from palaver.formats.masking.known_names import KnownNames
from palaver.formats.masking.masker import Masker, find_details, mask

__all__ = [
    "KINDS",
    "NOT_LOOKED_FOR",
    "DialogueMasker",
    "Find",
    "KnownNames",
    "Masked",
    "Masker",
    "find_details",
    "mask",
    "mask_label",
    "placeholder",
]
