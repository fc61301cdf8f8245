"""The words of a turn, and what can be counted on its surface."""

import re
from collections.abc import Sequence
from math import log1p

from palaver.models.dialeval.dialogues import HELPDESK, HelpDialogue, HelpTurn
from palaver.models.vocabulary import UNKNOWN

PAD, BEGIN, END = "<pad>", "<s>", "</s>"
# The padding is number 0.
MARKS = (PAD, UNKNOWN, BEGIN, END)

# Addresses whole; a Chinese or Japanese sign is a word, since no spaces part them there, and ends an
# address, as their stops do.
_WORD = re.compile(
    r"(?:https?://|www\.)[^\s\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]+"
    r"|[@#]\w+|[\u3040-\u30ff\u3400-\u9fff]"
    r"|(?:(?![\u3040-\u30ff\u3400-\u9fff])\w)+(?:['’][a-z]+)?|[^\w\s]"
)
_ADDRESS = re.compile(r"https?://|www\.")
_LONG_NUMBER = re.compile(r"\d{5,}")


def words_of(text: str) -> list[str]:
    """The lower-cased words of a text; addresses and long numbers are one word each.

    >>> words_of("Don't call 13812345678, see https://t.cn/x!")
    ["don't", 'call', '<number>', ',', 'see', '<address>']
    """
    return [_class_of(word) for word in _WORD.findall(text.lower())]


def turn_words(turn: HelpTurn, most: int) -> list[str]:
    """The first words of a turn between marks, which are there even where nothing was said."""
    return [BEGIN, *words_of(turn.text)[:most], END]


def _class_of(word: str) -> str:
    if _ADDRESS.match(word):
        return "<address>"
    return "<number>" if _LONG_NUMBER.fullmatch(word) else word


def surface(dialogue: HelpDialogue) -> list[list[float]]:
    """What can be counted of each turn, on scales of about 1; `SURFACE` says what stands where."""
    words = [words_of(turn.text) for turn in dialogue.turns]
    return [
        [*_counted(turn, words[n]), *_placed(n, len(words)), *_repeated(dialogue.turns, words, n)]
        for n, turn in enumerate(dialogue.turns)
    ]


SURFACE = (
    *("words", "empty", "questions", "exclamations", "digits", "long numbers", "addresses"),
    *("mentions", "tags", "courtesy"),
    *("place", "place from the end", "first", "last", "only exchange"),
    *("shared with the turn before", "shared with the own turn before", "same as an earlier turn"),
)
_COURTESY = frozenset({"thanks", "thank", "thx", "welcome", "sorry", "please", "hello", "谢", "您"})


def _counted(turn: HelpTurn, words: Sequence[str]) -> list[float]:
    text = turn.text
    return [
        log1p(len(words)) / 4,
        float(not words),
        log1p(text.count("?") + text.count("？")),
        log1p(text.count("!") + text.count("！")),
        log1p(sum(letter.isdigit() for letter in text)) / 2,
        log1p(len(_LONG_NUMBER.findall(text))),
        log1p(words.count("<address>")),
        log1p(sum(word[0] == "@" and len(word) > 1 for word in words)),
        log1p(sum(word[0] == "#" and len(word) > 1 for word in words)),
        log1p(sum(word in _COURTESY for word in words)),
    ]


def _placed(n: int, turns: int) -> list[float]:
    return [
        log1p(n),
        log1p(turns - 1 - n),
        float(n == 0),
        float(n == turns - 1),
        float(turns <= 2),
    ]


def _repeated(turns: Sequence[HelpTurn], words: Sequence[Sequence[str]], n: int) -> list[float]:
    """How much of a turn was said before: by the other side, by the same one, word for word."""
    own = [k for k in range(n) if turns[k].sender == turns[n].sender]
    return [
        _overlap(words[n], words[n - 1]) if n else 0.0,
        _overlap(words[n], words[own[-1]]) if own else 0.0,
        float(bool(words[n]) and any(words[k] == words[n] for k in range(n))),
    ]


def _overlap(words: Sequence[str], before: Sequence[str]) -> float:
    """The share of a turn's different words that another turn has.

    >>> _overlap(["no", "light", "no"], ["red", "light"])
    0.5
    """
    here = set(words)
    return len(here & set(before)) / len(here) if here else 0.0


def sender_number(turn: HelpTurn) -> int:
    """0 for the customer, 1 for the help desk."""
    return int(turn.sender == HELPDESK)
