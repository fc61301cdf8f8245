"""What must stay as it is in a text: the gold spans."""

import re
from collections.abc import Iterable, Sequence

from palaver.evaluation.perturbations.classes import DIGIT, GLUE, LETTER, class_of
from palaver.evaluation.perturbations.corpus import Span

_WORD = LETTER | DIGIT | GLUE
_NAMES = re.compile(r"[^\W\d_][\w'’-]+")


def protected_spans(text: str, gold: Iterable[str], *, names: bool = False) -> list[Span]:
    """Where gold values stand in a text, sorted and without overlaps.

    A value is protected where it stands as whole words; where it never does, wherever it stands.
    With `names` also each capitalised word of a gold value is, so that a person who is the answer
    keeps the name everywhere.
    """
    wanted = [value for value in dict.fromkeys(gold) if value]
    spans = [span for value in wanted for span in _occurrences(text, value)]
    if names:
        parts = {word for value in wanted for word in _NAMES.findall(value) if word[0].isupper()}
        spans += [span for part in parts for span in _found(text, part) if _is_whole(text, span)]
    return _merged(spans)


def _occurrences(text: str, value: str) -> list[Span]:
    every = _found(text, value)
    whole = [span for span in every if _is_whole(text, span)]
    return whole or every


def _found(text: str, value: str) -> list[Span]:
    spans = []
    at = text.find(value)
    while at >= 0:
        spans.append((at, at + len(value)))
        at = text.find(value, at + 1)
    return spans


def _is_whole(text: str, span: Span) -> bool:
    """Whether no word goes on over either end."""
    start, stop = span
    return not (_joins(text, start) or _joins(text, stop))


def _joins(text: str, at: int) -> bool:
    if not 0 < at < len(text):
        return False
    before, after = class_of(ord(text[at - 1])), class_of(ord(text[at]))
    return bool(after & GLUE) or bool(before & _WORD and after & _WORD)


def _merged(spans: Sequence[Span]) -> list[Span]:
    merged: list[Span] = []
    for start, stop in sorted(spans):
        if merged and start < merged[-1][1]:
            merged[-1] = merged[-1][0], max(stop, merged[-1][1])
        else:
            merged.append((start, stop))
    return merged


def free_parts(text: str, spans: Sequence[Span]) -> list[tuple[str, bool]]:
    """A text in parts, each with whether it may be changed.

    >>> free_parts("born in Ulm, 1879", [(8, 11)])
    [('born in ', True), ('Ulm', False), (', 1879', True)]
    """
    parts: list[tuple[str, bool]] = []
    at = 0
    for start, stop in spans:
        parts += [(text[at:start], True), (text[start:stop], False)]
        at = stop
    return [part for part in (*parts, (text[at:], True)) if part[0]]
