"""What can be noticed about a try without asking anybody: it is empty, copied, or in another language.

A notice refuses nothing and changes no verdict: it is named beside the example. Rules may ask here
before a try is sent, and whoever reads the examples of a round asks again.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from palaver.games.model_in_the_loop.folding import words_of
from palaver.games.model_in_the_loop.languages import is_other_language
from palaver.games.model_in_the_loop.writing import WritingBrief

EMPTY, COPIED, LANGUAGE, DUPLICATE = "empty", "copied", "language", "duplicate"
# Fewer words than this are nobody's; where words are not written apart, one long "word" is enough.
LEAST_COPIED, LONG_WORD = 4, 8
# Of a stretch that was copied, so many words may be left out: one in ten.
LEFT_OUT = 10


def notices(asked: WritingBrief, values: Mapping[str, Any]) -> tuple[str, ...]:
    """What is noticed about the values of a try, given what its session asks for."""
    form = asked.form
    texts = [str(values.get(each.name) or "") for each in form.texts]
    sources = [
        str(asked.context.get(each.name) or "") for each in form.reads if each.form == "text"
    ]
    return notices_of(texts, sources, language=form.language)


def notices_of(
    texts: Sequence[str], sources: Sequence[str], *, language: str = ""
) -> tuple[str, ...]:
    """What is noticed about texts that somebody wrote about these sources.

    The language is looked at only where it is given.

    >>> notices_of(["a signal FAILED near Hamburg"], ["A signal failed near Hamburg, at night."])
    ('copied',)
    >>> notices_of(["A signal did not fail near Hamburg"], ["A signal failed near Hamburg."])
    ()
    """
    found = []
    if any(not words_of(text) for text in texts):
        found.append(EMPTY)
    if any(is_copied(text, source) for text in texts for source in sources):
        found.append(COPIED)
    if language and any(is_other_language(text, language) for text in texts):
        found.append(LANGUAGE)
    return tuple(found)


def is_copied(text: str, source: str) -> bool:
    """Whether a text is a stretch of the source, or one with a few words left out.

    Case, spaces and punctuation make no difference. A single other word does: "not" may be all that
    somebody needed to write.
    """
    words, among = words_of(text), words_of(source)
    if len(words) < LEAST_COPIED:
        long = "".join(words)
        return len(long) >= LONG_WORD and len(words) == 1 and long in "".join(among)
    # Most texts end in a word that their source does not have.
    if words[-1] not in among:
        return False
    slack = len(words) // LEFT_OUT
    starts = (place for place, word in enumerate(among) if word == words[0])
    return any(_follows(words, among, start, slack) for start in starts)


def _follows(words: Sequence[str], among: Sequence[str], place: int, slack: int) -> bool:
    """Whether all words come in this order from a place on, with at most `slack` others between."""
    for word in words:
        while place < len(among) and among[place] != word and slack > 0:
            place, slack = place + 1, slack - 1
        if place >= len(among) or among[place] != word:
            return False
        place += 1
    return True
