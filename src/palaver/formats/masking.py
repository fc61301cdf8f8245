"""Masking: what people type about themselves is replaced before a file leaves the house.

E-mail addresses become [email], telephone numbers [phone], other strings of six digits or more
(cards, accounts, codes) [number]. Years, dates, times, prices, decimals and short numbers stay.
This is a net for what slips into conversation, not anonymisation: names and places stay too. In
doubt about six or more digits it masks.

Every pattern is anchored and possessive or bounded, so the time grows with the length of the text.
"""

import hashlib
import re
import unicodedata
from typing import Any, TypeVar

import msgspec

from palaver.core.events import Event
from palaver.core.records import DialogueRecord, LabelRecord
from palaver.core.scenario import Scenario, SeedUtterance

L = TypeVar("L", bound=LabelRecord)

EMAIL, PHONE, NUMBER = "[email]", "[phone]", "[number]"
LONG = 6  # digits that make a number long
_SHORTEST_PHONE, _LONGEST_PHONE = 7, 15  # E.164 allows 15


def mask(text: str) -> str:
    """The text with e-mail addresses, telephone numbers and long numbers replaced."""
    masked = _mask_emails(text)
    return _NUMBERS.sub(_replacement, masked) if _LONG_NUMBER.search(masked) else masked


def mask_value(value: Any) -> Any:
    """The value with every string in it masked, however deep; keys stay."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {key: mask_value(inner) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(mask_value(inner) for inner in value)
    return value


def mask_scenario(scenario: Scenario) -> Scenario:
    """The scenario with what the seats know and say masked."""
    return msgspec.structs.replace(
        scenario,
        personas=mask_value(scenario.personas),
        seeds=tuple(SeedUtterance(seat=s.seat, text=mask(s.text)) for s in scenario.seeds),
        kbs=mask_value(scenario.kbs),
        extra=mask_value(scenario.extra),
    )


def mask_dialogue(record: DialogueRecord) -> DialogueRecord:
    """The record with everything that was said masked."""
    return msgspec.structs.replace(
        record,
        source_id=mask_id(record.source_id),
        scenario=mask_scenario(record.scenario),
        events=[_mask_event(event) for event in record.events],
    )


def mask_label(record: L) -> L:
    """The record with its answer masked."""
    return msgspec.structs.replace(
        record,
        item=mask_id(record.item),
        source_id=mask_id(record.source_id),
        second_source_id=mask_id(record.second_source_id),
        value=mask_value(record.value),
        label=mask_value(record.label),
    )


def mask_id(id: str | None) -> str | None:
    """A name out of a file: addresses are replaced; a number stays, or nothing could be joined by it."""
    return None if id is None else _mask_emails(id)


def origin_pseudonym(salt: str, id: str) -> str:
    """What stands for a person whom a file names as a dialogue's origin; the same for one salt and id.

    Files carry student numbers and worker ids. An import writes this in their place; with the salt in
    the study file (`origin_salt`) the server recognises who comes to judge a dialogue of their own.

    >>> origin_pseudonym("pepper", "student-17")
    'w3166d96e32ba'
    """
    return "w" + hashlib.sha256((salt + id).encode()).hexdigest()[:12]


def _mask_event(event: Event) -> Event:
    masked = mask_value(event.data)
    return event if masked == event.data else msgspec.structs.replace(event, data=masked)


# --- E-mail addresses -----------------------------------------------------------------------------
#
# Each "@" is looked at once: to its left until a letter that no address has, never further than the
# "@" or the match before; to its right no further than a domain can be long.

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


def _mask_emails(text: str) -> str:
    pieces, done = [], 0
    for at in _AT.finditer(text):
        if at.start() < done:
            continue
        start = _local_start(text, at.start(), done)
        domain = _DOMAIN.match(text, at.end(), at.end() + _DOMAIN_LIMIT)
        if start == at.start() or domain is None:
            continue
        pieces += [text[done:start], EMAIL]
        done = domain.end()
    return "".join([*pieces, text[done:]]) if pieces else text


def _local_start(text: str, at: int, floor: int) -> int:
    floor = max(floor, at - _LOCAL_LIMIT)
    char = _SPACED_CHAR if at > floor and _SPACED_CHAR.match(text, at - 1) else _ANY_CHAR
    start = at
    while start > floor and char.match(text, start - 1):
        start -= 1
    while start < at and not text[start].isalnum():
        start += 1  # a quotation mark or a dash before the address
    return start


# --- Numbers --------------------------------------------------------------------------------------
#
# One pass. A date or a number with commas is recognised first and left alone; anything else that is
# digits with the separators of telephone and card numbers is a candidate, and `_replacement`
# decides. `\d` is a digit of any script.

_SPACE = " \t\u00a0\u2007\u2009\u202f"
_DASH = "\\-\u2010-\u2015\u2212"
_YEAR = r"(?:1[5-9]|20|21)\d\d"
_MONTH_DAY = r"(?:0?[1-9]|1[0-2])(?P=s1)(?:0?[1-9]|[12]\d|3[01])"
_DAY = r"(?:0?[1-9]|[12]\d|3[01])"
_CLOCK = r"(?:[T ]\d\d?:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
# A group of digits is not cut from a longer one, and neither half of 10:30 is one.
_GROUP = r"(?<!\d)(?:(?<!\d:)|(?=\d{3}))\d++(?!:\d)"
_NUMBERS = re.compile(
    rf"""
    (?P<ordinary>
        (?<![\d.,])\d{{1,3}}(?:[,٬]\d{{3}})++(?:[.٫]\d++)?(?![,٬]?\d)      # 1,299,000.50
      | (?<![\d.,])\d{{1,3}}[,٫]\d++(?![,.]\d)                             # 3,14159265
      | (?<!\d){_YEAR}(?P<s1>[-./]){_MONTH_DAY}(?!\d|(?P=s1)\d){_CLOCK}    # 2026-11-15 10:30
      | (?<!\d)(?:{_DAY}\.?[{_DASH}/][ ]?)?                                # 15-20.11.2026
        (?:{_DAY}(?P<s2>[-./]){_DAY}(?P=s2)(?:{_YEAR}|\d\d))(?!\d|(?P=s2)\d)
    )
    | (?P<plus>[+＋]?)(?P<open>\(?){_GROUP}(?:[{_SPACE}{_DASH}.()/]{{1,3}}{_GROUP})*+
    """,
    re.VERBOSE,
)
# Most texts have no such thing; this finds out ten times faster.
_LONG_NUMBER = re.compile(rf"\d(?:[{_SPACE}{_DASH}.()/]{{0,3}}\d){{{LONG - 1}}}")
_AMOUNT = rf"(?:[1-9]\d?(?:[{_SPACE}.']\d{{3}})+|[1-9]\d\d[{_SPACE}.']\d{{3}})"
_AMOUNTS = re.compile(rf"{_AMOUNT}(?:[{_SPACE}]?[{_DASH}][{_SPACE}]?{_AMOUNT})?")
_DECIMAL = r"\d{1,5}\.\d+"
_DECIMALS = re.compile(rf"{_DECIMAL}(?:[{_SPACE}]{{1,3}}{_DECIMAL})*")
_CURRENCY = "$€£¥₹₽₩₺฿₫₴₪₱₦"
_CODES = r"(?:USD|EUR|GBP|JPY|CNY|INR|CHF|CAD|AUD|SEK|NOK|DKK|PLN|kr|Kč|zł|Ft)"
_PRICED_BEFORE = re.compile(rf"(?:[{_CURRENCY}]|\b{_CODES})[{_SPACE}]?\Z")
_PRICED_AFTER = re.compile(
    rf"[{_SPACE}]?(?:[{_CURRENCY}]|{_CODES}\b|(?:dollar|euro|pound|yen)s?\b)"
)


def _replacement(found: re.Match[str]) -> str:
    whole = found.group()
    if len(whole) < LONG or found["ordinary"] is not None:
        return whole
    lead = len(found["plus"]) + len(found["open"])
    body = _western(whole[lead:])
    groups = re.findall(r"\d+", body)
    count = sum(map(len, groups))
    if count < LONG or (not found["plus"] and _is_ordinary(found, body, groups)):
        return whole
    kind = _kind(found["plus"], groups, count)
    # A bracket that this number does not close stays where it is.
    keep = found["open"] if found["open"] and ")" not in whole else ""
    return keep + kind


def _kind(plus: str, groups: list[str], count: int) -> str:
    if not _SHORTEST_PHONE <= count <= _LONGEST_PHONE:
        return NUMBER
    if plus or groups[0].startswith("00"):
        return PHONE
    if len(groups) == 1:
        return PHONE if groups[0].startswith("0") and 9 <= count <= 11 else NUMBER
    sizes = [len(group) for group in groups]
    is_card, is_security_number = count >= 13, sizes == [3, 2, 4]
    return NUMBER if is_card or is_security_number else PHONE


def _is_ordinary(found: re.Match[str], body: str, groups: list[str]) -> bool:
    text = found.string
    if _PRICED_BEFORE.search(text, max(0, found.start() - 4), found.start()):
        return True
    if _PRICED_AFTER.match(text, found.end()):
        return True
    if len(groups) == 1:
        return False
    if _AMOUNTS.fullmatch(body) or _DECIMALS.fullmatch(body) or _are_years(groups):
        return True
    if all(group.endswith("00") for group in groups):
        return True  # 500-1000
    spaced = not body.translate(_NO_SPACES).strip("0123456789")
    return spaced and _is_list(groups)


def _are_years(groups: list[str]) -> bool:
    """Whether these are years, or one year beside a small number (15 2026, 2025/26)."""
    years = [group for group in groups if re.fullmatch(_YEAR, group)]
    others = [group for group in groups if not re.fullmatch(_YEAR, group)]
    return bool(years) and (not others or (len(groups) == 2 and len(others[0]) <= 3))


def _is_list(groups: list[str]) -> bool:
    """Whether groups set apart by spaces are a list of small numbers (4 8 15 16 23 42)."""
    sizes = {len(group) for group in groups}
    if not sizes <= {1, 2}:
        return False
    dictated = sizes == {1} or (sizes == {2} and len(groups) > 3)
    return not dictated


_NO_SPACES = {ord(space): None for space in _SPACE}


def _western(text: str) -> str:
    if text.isascii():
        return text
    return "".join(str(unicodedata.digit(c)) if c.isdecimal() else c for c in text)
