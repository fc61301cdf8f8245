"""The text of posts and comments, cleaned as RedditAdvice2019 was.

What authors added later ("Edit: thanks!") is not part of what was asked or advised, and would often
give away how a situation ended.
"""

import re
from html import unescape

_LATER = r"[^\w\n]*(?:edit|update)"
_LATER_LINE = re.compile(_LATER, re.IGNORECASE)
_LATER_BELOW = re.compile(rf"\n{_LATER}", re.IGNORECASE)
_PARAGRAPH_END = re.compile(r"\n[^\S\n]*\n")
_LETTER = re.compile(r"\w")
_INVISIBLE = re.compile(r"&(?:amp;)?(?:#x200b|nbsp);", re.IGNORECASE)
_BREAK = re.compile(r"\s+\n")
_AFTER_STOP = re.compile(r"\. +")
_GAPS = re.compile(r"\s+")


def cleaned(text: str) -> str:
    """A text without later additions, invisible characters, entities and superfluous spaces.

    >>> cleaned("Should I go?\\n\\nEDIT: I went.")
    'Should I go?'
    """
    text = without_additions(printable(text))
    text = unescape(_INVISIBLE.sub("", text))
    return _AFTER_STOP.sub(". ", _BREAK.sub("\n\n", text)).strip()


def cleaned_title(title: str) -> str:
    """A title on one line, without entities and invisible characters; emoji stay.

    >>> cleaned_title("Me &amp; my\\tboss\\u200b 🙂")
    'Me & my boss 🙂'
    """
    return printable(_GAPS.sub(" ", unescape(_INVISIBLE.sub("", title)))).strip()


def printable(text: str) -> str:
    """Characters that can be seen, spaces and line breaks; a tab is a space.

    >>> printable("a\\tb\\u200b\\r\\nc")
    'a b\\nc'
    """
    if text.isprintable():
        return text
    spaced = text.replace("\t", " ")
    return "\n".join(
        line if line.isprintable() else "".join(filter(str.isprintable, line))
        for line in spaced.split("\n")
    )


def without_additions(text: str) -> str:
    """A text without what begins with "edit" or "update", whatever symbols stand before that.

    Such last lines and first paragraphs go as long as there are any, with lines of symbols at the
    beginning; then everything from the first such line that is left.
    """
    while True:
        shorter = _without_first(_without_last(text.strip()))
        if shorter == text:
            break
        text = shorter
    below = _LATER_BELOW.search(text)
    return text[: below.start()].rstrip() if below else text


def _without_last(text: str) -> str:
    start = text.rfind("\n") + 1
    return text[:start].rstrip() if _LATER_LINE.match(text, start) else text


def _without_first(text: str) -> str:
    if _LATER_LINE.match(text):
        end = _PARAGRAPH_END.search(text)
        return text[end.end() :].lstrip() if end else ""
    line, _, below = text.partition("\n")
    return text if _LETTER.search(line) else below.lstrip()
