"""Names where a sentence says them: "my name is …", "Dear …", the line under "Kind regards".

A cue says that a name may follow; `_name_end` reads it. After a sure cue ("my name is") a name may be
in small letters and need not be known; after an unsure one ("I'm") it has its capital and is not an
ordinary word, or is a known given name; after a doubtful one ("this is") it is a known given name.
"""

import re
from collections.abc import Iterator

from palaver.formats.masking.finds import Find
from palaver.formats.masking.name_cues import (
    CHINESE,
    CLOSING,
    CLOSING_WORDS,
    CUE_PATTERNS,
    CUES_BY_WORD,
    DASHED,
    ENDED,
    GREETING,
    GREETING_WORDS,
    HERE,
    HERE_WORDS,
    JAPANESE,
    KOREAN,
    LABELLED,
    LINE_END,
    NO_KOREAN,
    NO_TITLED,
    SPEAKING,
    SPEAKING_WORDS,
    SURE_JAPANESE,
    TITLE_WORDS,
    TITLED,
    Cue,
)
from palaver.formats.masking.reading import ReadText, vocabulary
from palaver.formats.masking.words import given_names, no_names

_TOKEN = re.compile(
    r"[^\W\d_]\.(?=[ ]?[^\W\d_])|[^\W\d_](?:[\w\u0300-\u036f\u0900-\u0dff]|['’-](?=[^\W\d_]))*"
)
_PARTICLES = vocabulary(
    "van von der den de del della di da do dos das la le el al bin binti ben ibn ter ten zu "
    "af av mac mc y e san st"
)
_MOST_WORDS = 5


def find_names(reading: ReadText) -> Iterator[Find]:
    """The names of a text that it says are names."""
    text, shouted = reading.text, reading.text.isupper()
    yield from _after_cues(reading, shouted)
    if ":" in text or "=" in text or "：" in text:
        for label in LABELLED.finditer(text):
            yield from _name(text, label.end(), Cue.SURE, shouted)
    if reading.has_any(GREETING_WORDS):
        for greeting in GREETING.finditer(text):
            yield from _after_greeting(text, greeting.end(), shouted)
    if reading.has_any(TITLE_WORDS):
        yield from _titled(text)
    if reading.has_any(HERE_WORDS):
        for here in HERE.finditer(text):
            name = here["name"].casefold()
            if name in given_names() and name not in no_names():
                yield Find(*here.span("name"), "name")
    yield from _signatures(reading, shouted)
    if not text.isascii():
        yield from _unspaced(text)


def _after_cues(reading: ReadText, shouted: bool) -> Iterator[Find]:
    numbers = {n for word in reading.words & CUES_BY_WORD.keys() for n in CUES_BY_WORD[word]}
    if not numbers:
        return
    # A doubtful cue is worth a look only where a given name is, or a word that makes it sure.
    hopeful = reading.has_any(given_names()) or reading.has_any(SPEAKING_WORDS)
    for number in sorted(numbers):
        _, pattern, certainty = CUE_PATTERNS[number]
        if hopeful or certainty is not Cue.DOUBTFUL:
            for cue in pattern.finditer(reading.text):
                yield from _after_cue(reading.text, cue.end(), certainty, shouted)


def _after_cue(text: str, start: int, certainty: Cue, shouted: bool) -> Iterator[Find]:
    found = [*_name(text, start, certainty, shouted)]
    if not found and certainty is Cue.DOUBTFUL:
        # "this is Odile speaking" is sure of a name that "this is Odile" is not.
        unsure = _name(text, start, Cue.UNSURE, shouted)
        found = [name for name in unsure if SPEAKING.match(text, name.end)]
    yield from found


def _titled(text: str) -> Iterator[Find]:
    for title in TITLED.finditer(text):
        for found in _name(text, title.end(), Cue.UNSURE, False):
            name = text[found.start : found.end]
            if name[0].isupper() and name.casefold() not in NO_TITLED:
                yield found


def _after_greeting(text: str, start: int, shouted: bool) -> Iterator[Find]:
    title = TITLED.match(text, start)
    at = title.end() if title else start
    for found in _name(text, at, Cue.UNSURE, shouted):
        first = _word(text, found.start)
        if title or first in given_names() or ENDED.match(text, found.end):
            yield found


def _signatures(reading: ReadText, shouted: bool) -> Iterator[Find]:
    text = reading.text
    for closing in CLOSING.finditer(text) if reading.has_any(CLOSING_WORDS) else ():
        own_line = "\n" in closing["gap"]
        certainty = Cue.SURE if own_line else Cue.UNSURE
        for found in _name(text, closing.end(), certainty, shouted):
            if LINE_END.match(text, found.end):
                yield found
    dashed = DASHED.search(text, max(0, len(text) - 60)) if _has_dash(text) else None
    if dashed is not None:
        for found in _name(text, dashed.start("name"), Cue.UNSURE, shouted):
            if LINE_END.match(text, found.end):
                yield found


def _has_dash(text: str) -> bool:
    return "-" in text or "~" in text or "x" in text or not text.isascii()


def _unspaced(text: str) -> Iterator[Find]:
    for found in CHINESE.finditer(text):
        yield Find(*found.span("name"), "name")
    for found in JAPANESE.finditer(text):
        if SURE_JAPANESE.search(found.group()):
            yield Find(*found.span("name"), "name")
    for found in KOREAN.finditer(text):
        if found["name"] not in NO_KOREAN:
            yield Find(*found.span("name"), "name")


def _name(text: str, start: int, certainty: Cue, shouted: bool) -> Iterator[Find]:
    end = _name_end(text, start, certainty, shouted)
    if end is not None:
        yield Find(start, end, "name")


def _word(text: str, start: int) -> str:
    token = _TOKEN.match(text, start)
    return "" if token is None else _bare(token.group())


def _bare(token: str) -> str:
    """A word in small letters, without the "'s" of an owner."""
    lowered = token.casefold().replace("’", "'")
    return lowered.removesuffix("'s")


def _name_end(text: str, start: int, certainty: Cue, shouted: bool) -> int | None:
    """Where the name that begins here ends; None where no name begins."""
    first = _TOKEN.match(text, start)
    if first is None or not _begins_name(first.group(), certainty, shouted):
        return None
    end, words = first.end(), 1
    small = first.group()[0].islower()
    while words < _MOST_WORDS and end < len(text) and text[end] == " ":
        token = _TOKEN.match(text, end + 1)
        if token is None:
            break
        if _continues_name(text, token, certainty, small or shouted):
            end, words = token.end(), words + 1
        elif (after := _after_particles(text, token)) is not None and not small:
            end, words = after, words + 2
        else:
            break
    tail = re.search(r"['’]s\Z", text[start:end])
    return end - len(tail.group()) if tail else end


def _begins_name(token: str, certainty: Cue, shouted: bool) -> bool:
    word = _bare(token)
    listed, ordinary = word in given_names(), word in no_names()
    # In a script without capitals every word is as good as any other.
    capital = (token[0].isupper() and not shouted) or not (token[0].islower() or token[0].isupper())
    if len(word) < 2:
        return certainty is Cue.SURE and capital
    if word.endswith(("n't", "'ll", "'re", "'ve", "'d")) or (
        "'" in word[:2] and word.startswith("i")
    ):
        return False
    if certainty is Cue.SURE:
        return listed or not ordinary
    if certainty is Cue.DOUBTFUL:
        return listed and (capital or not ordinary)
    return (capital and (listed or not ordinary)) or (listed and not ordinary)


def _continues_name(text: str, token: re.Match[str], certainty: Cue, small: bool) -> bool:
    word = _bare(token.group())
    if word in no_names() and word not in given_names():
        return False
    if not small:
        return token.group()[0].isupper() and token.group() != "I"
    if certainty is not Cue.SURE or len(word) < 3 or word in no_names():
        return False
    after = text[token.end() : token.end() + 5].casefold()
    return bool(ENDED.match(text, token.end())) or after.startswith((" and ", " but "))


def _after_particles(text: str, token: re.Match[str]) -> int | None:
    """Where the name behind "van der" ends; None where these words are no part of a name."""
    for _ in range(3):
        if token.group().casefold() not in _PARTICLES:
            break
        following = (
            _TOKEN.match(text, token.end() + 1)
            if text[token.end() : token.end() + 1] == " "
            else None
        )
        if following is None:
            return None
        token = following
        if token.group()[0].isupper():
            return token.end()
    return None
