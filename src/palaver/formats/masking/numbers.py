"""Numbers: telephone numbers, cards, and other strings of six digits or more.

One pass. A date or a number with commas is recognised first and left alone; anything else that is
digits with the separators of telephone and card numbers is a candidate, and `_found` decides. Years,
dates, times, prices, decimals, counted things and short numbers stay. A digit of any script is one.
"""

import re
import unicodedata
from collections.abc import Iterator

from palaver.formats.masking.checksums import luhn
from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText

LONG = 6  # digits that make a number long
_SHORTEST_PHONE, _LONGEST_PHONE = 7, 15  # E.164 allows 15

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


# What is counted is no secret.
_COUNTED_AFTER = re.compile(
    rf"[{_SPACE}]?(?:people|inhabitants|users|followers|subscribers|views|likes|votes|copies|times|words"
    r"|characters|lines|points|steps|years|days|hours|minutes|seconds|ms|km|kilomet(?:er|re)s|miles"
    r"|met(?:er|re)s|feet|bytes|kb|mb|gb|tons?|tonnes|kg|grams|calories|kcal|square|%|percent"
    r"|Einwohner|Menschen|Leute|Jahre|personnes|habitants|personas|habitantes|persone|abitanti)\b",
    re.IGNORECASE,
)
_BOOK_BEFORE = re.compile(r"\b(?:ISBN|ISSN|DOI|arXiv)(?:-1[03])?[:.]?[ ]?\Z", re.IGNORECASE)
_EXTENSION = re.compile(
    rf"[{_SPACE},]{{0,2}}(?:ext|extension|extn|x|Durchwahl|poste|interno)[.:]?[{_SPACE}]?\d{{1,6}}\b",
    re.IGNORECASE,
)


def find_numbers(reading: ReadText) -> Iterator[Find]:
    """The telephone numbers, cards and other long numbers of a text."""
    text = reading.text
    if reading.digits >= LONG and _LONG_NUMBER.search(text):
        for match in _NUMBERS.finditer(text):
            found = _found(match)
            if found is not None:
                yield found


def _found(match: re.Match[str]) -> Find | None:
    whole = match.group()
    if len(whole) < LONG or match["ordinary"] is not None:
        return None
    lead = len(match["plus"]) + len(match["open"])
    body = _western(whole[lead:])
    groups = re.findall(r"\d+", body)
    count = sum(map(len, groups))
    if count < LONG or (not match["plus"] and _is_ordinary(match, body, groups)):
        return None
    kind = _kind(match["plus"], groups, count)
    # A bracket that this number does not close stays where it is.
    start = match.start() + (len(match["open"]) if match["open"] and ")" not in whole else 0)
    extension = _EXTENSION.match(match.string, match.end()) if kind == "phone" else None
    return Find(start, extension.end() if extension else match.end(), kind)


def _kind(plus: str, groups: list[str], count: int) -> str:
    if 13 <= count <= 19 and not plus and luhn("".join(groups)):
        return "card"
    if not _SHORTEST_PHONE <= count <= _LONGEST_PHONE:
        return "number"
    if plus or groups[0].startswith("00"):
        return "phone"
    if len(groups) == 1:
        return "phone" if groups[0].startswith("0") and 9 <= count <= 11 else "number"
    sizes = [len(group) for group in groups]
    is_card, is_security_number = count >= 13, sizes == [3, 2, 4]
    return "number" if is_card or is_security_number else "phone"


def _is_ordinary(match: re.Match[str], body: str, groups: list[str]) -> bool:
    text = match.string
    if _PRICED_BEFORE.search(text, max(0, match.start() - 4), match.start()):
        return True
    if _PRICED_AFTER.match(text, match.end()):
        return True
    if _BOOK_BEFORE.search(text, max(0, match.start() - 10), match.start()):
        return True
    if len(groups) == 1:
        return _COUNTED_AFTER.match(text, match.end()) is not None
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
