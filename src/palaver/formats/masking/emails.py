"""E-mail addresses, also as people write them for other people: "ann (at) example dot org".

Each "@" is looked at once: to its left until a letter that no address has, never further than the
"@" or the match before; to its right no further than a domain can be long.
"""

import re
from collections.abc import Iterator

from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText, vocabulary

_LOCAL_LIMIT, _DOMAIN_LIMIT = 256, 255
_AT = re.compile("[@＠]")
# Scripts written without spaces: there the words before an address touch it.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
# Combining marks and the Indic blocks count as letters here; Python's \w leaves out their signs.
_LETTER = r"\w\u0300-\u036f\u0900-\u0dff"
_SPACED_CHAR = re.compile(rf"[{_LETTER}.%+'!#$&*=?^`~-](?<![{_UNSPACED}])")
_ANY_CHAR = re.compile(rf"[{_LETTER}.%+'-]")
_DOMAIN = re.compile(
    r"(?:[A-Za-z0-9-]{1,63}+\.)+[A-Za-z][A-Za-z0-9-]{1,62}"
    rf"|(?:[{_LETTER}-]{{1,63}}+[.。])+[^\W\d_][{_LETTER}-]{{1,62}}"
)

# "(at)", "[ät]", "{@}"; "(a)" is common in Czech and German.
_BRACKETED = re.compile(
    r"[ ]{0,2}[\[({<][ ]?(?:at|ät|a|@|et|arroba|chez|chiocciola|kukac|apenstaartje)[ ]?[\])}>][ ]{0,2}",
    re.IGNORECASE,
)
# " at " and " @ " only where a domain with a dot follows, spoken or written with spaces.
_SPACED = re.compile(r"(?<=\w)[ ]{1,2}(?:at|@|arroba|ät|chiocciola)[ ]{1,2}(?=\w)", re.IGNORECASE)
_DOT = r"(?:[ ]?[\[({<][ ]?(?:dot|\.|punkt|point|punto|ponto|punt)[ ]?[\])}>][ ]?"
_SPOKEN_DOT = rf"{_DOT}|[ ]{{1,2}}(?:dot|punkt|point|punto|ponto|punt)[ ]{{1,2}}|[ ]\.[ ]?|\.)"
_SPOKEN_DOMAIN = re.compile(
    rf"[\w-]{{1,63}}(?:{_SPOKEN_DOT}[\w-]{{1,63}}){{0,3}}?{_SPOKEN_DOT}"
    r"(?P<end>com|org|net|edu|gov|info|io|me|co|uk|[a-z]{2})\b"
    rf"(?:{_SPOKEN_DOT}[a-z]{{2}}\b)?",
    re.IGNORECASE,
)
# After a spoken "at" what is written with a plain dot may be any site; these send mail.
_PROVIDER = re.compile(
    r"(?:gmail|googlemail|hotmail|outlook|live|yahoo|icloud|proton(?:mail)?|gmx|web|aol|msn|posteo"
    r"|mailbox|zoho|yandex|mail|qq|163|orange|free|laposte|libero|wanadoo|t-online|ziggo|btinternet)\b",
    re.IGNORECASE,
)
_DOTTED_BEFORE = re.compile(r"(?<![\w.])[\w-]{1,32}[ ](?:dot|punkt|point|punto|ponto)[ ]\Z", re.I)
_AT_WORDS = vocabulary("at ät a et arroba chez chiocciola kukac apenstaartje")
_DOT_WORDS = vocabulary("dot punkt point punto ponto punt")
_NO_LOCAL = vocabulary(
    "look looking looked me us it be is are was were check available found find reach out "
    "here there site website online live shop page them up am arrived waiting work hosted buy"
)


def find_emails(reading: ReadText) -> Iterator[Find]:
    """The addresses of a text, with a domain that could be one."""
    text = reading.text
    if "@" in text or "＠" in text:
        yield from written_emails(text)
        yield from _spelled(text)
    elif reading.has_any(_AT_WORDS) and (reading.has_any(_DOT_WORDS) or "." in text):
        yield from _spelled(text)


def written_emails(text: str) -> Iterator[Find]:
    """The addresses that are written with their sign."""
    done = 0
    for at in _AT.finditer(text):
        if at.start() < done:
            continue
        start = _local_start(text, at.start(), done)
        domain = _DOMAIN.match(text, at.end(), at.end() + _DOMAIN_LIMIT)
        if start == at.start() or domain is None:
            continue
        yield Find(start, domain.end(), "email")
        done = domain.end()


def _spelled(text: str) -> Iterator[Find]:
    done = 0
    for at in _BRACKETED.finditer(text):
        domain = _SPOKEN_DOMAIN.match(text, at.end(), at.end() + _DOMAIN_LIMIT)
        start = _local_start(text, at.start(), done)
        if domain is not None and start < at.start():
            yield Find(_with_spoken_dots(text, start, done), domain.end(), "email")
            done = domain.end()
    done = 0
    for at in _SPACED.finditer(text):
        domain = _SPOKEN_DOMAIN.match(text, at.end(), at.end() + _DOMAIN_LIMIT)
        if domain is None or not _is_mail(at.group(), domain.group()):
            continue
        start = _local_start(text, at.start(), done)
        if start < at.start() and text[start : at.start()].casefold() not in _NO_LOCAL:
            yield Find(_with_spoken_dots(text, start, done), domain.end(), "email")
            done = domain.end()


def _is_mail(at: str, domain: str) -> bool:
    """Whether "… at DOMAIN" is an address: its dots are spoken, or it is known to send mail."""
    spelled = re.search(r"[ \])}>]", domain) is not None
    return spelled or "@" in at or _PROVIDER.match(domain) is not None


def _with_spoken_dots(text: str, start: int, floor: int) -> int:
    """Where "ann dot lee at …" begins."""
    for _ in range(4):
        before = _DOTTED_BEFORE.search(text, max(floor, start - 45), start)
        if before is None:
            break
        start = before.start()
    return start


def _local_start(text: str, at: int, floor: int) -> int:
    floor = max(floor, at - _LOCAL_LIMIT)
    char = _SPACED_CHAR if at > floor and _SPACED_CHAR.match(text, at - 1) else _ANY_CHAR
    start = at
    while start > floor and char.match(text, start - 1):
        start -= 1
    while start < at and not text[start].isalnum():
        start += 1  # a quotation mark or a dash before the address
    return start
