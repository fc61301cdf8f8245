"""Words that call for a notice before a situation is shown, from a file.

Each line is a word or a phrase, or `WORD: what the notice says`; lines that begin with # are notes.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from palaver.core.errors import InputError


@dataclass(frozen=True, slots=True)
class NoticeWords:
    """What each word calls for."""

    said: Mapping[str, str]
    found: re.Pattern[str]

    def notice_of(self, *texts: str) -> str:
        """What a notice before these texts says; empty where nothing calls for one."""
        words = (match.lower() for text in texts for match in self.found.findall(text))
        return ", ".join(dict.fromkeys(self.said[" ".join(word.split())] for word in words))


def read_notice_words(path: Path) -> NoticeWords:
    """The words of a file; InputError if it has none or is no text."""
    said: dict[str, str] = {}
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a list of words: {error}.") from error
    for line in lines:
        word, _, notice = (part.strip() for part in line.partition(":"))
        if word and not word.startswith("#"):
            said[" ".join(word.lower().split())] = notice or word
    if not said:
        raise InputError(f"{path} has no words. Write one on each line, or WORD: NOTICE.")
    longest_first = sorted(said, key=len, reverse=True)
    choice = "|".join(re.escape(word).replace(r"\ ", r"\s+") for word in longest_first)
    return NoticeWords(said, re.compile(rf"\b(?:{choice})\b", re.IGNORECASE))
