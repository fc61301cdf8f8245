"""Addresses of machines: IPv4, IPv6 and MAC."""

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address

from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText

_IPV4 = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?!\w|\.\d)")
# Four numbers with dots are a version after these words.
_VERSION_BEFORE = re.compile(
    r"(?:version|versions|ver|release|build|firmware|driver|update|upgrade|upgraded|patch|kernel"
    r"|chapter|section|§|v)"
    r"[^\S\n]?(?:to|is|no|from|:|\.)?[^\S\n]?\Z",
    re.IGNORECASE,
)
_IPV6 = re.compile(r"(?<![\w:.])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{1,38}(?:(?:\d{1,3}\.){3}\d{1,3})?")
_MAC = re.compile(
    r"(?<![\w:.-])(?:[0-9A-F]{2}(?P<s>[:-])(?:[0-9A-F]{2}(?P=s)){4}[0-9A-F]{2}"
    r"|[0-9A-F]{4}\.[0-9A-F]{4}\.[0-9A-F]{4})(?![\w:]|[.-]\w)",
    re.IGNORECASE,
)


def find_machines(reading: ReadText) -> Iterator[Find]:
    """The IP and MAC addresses of a text; version numbers and times are none."""
    text = reading.text
    if reading.digits < 3:
        return
    if "." in text:
        for found in _IPV4.finditer(text):
            if _is_ipv4(text, found):
                yield Find(*found.span(), "ip")
    if ":" in text:
        for found in _IPV6.finditer(text):
            end = found.start() + len(found.group().rstrip(":") or found.group())
            if _is_ipv6(text, found.start(), end):
                yield Find(found.start(), end, "ip")
    if ":" in text or "-" in text or "." in text:
        for found in _MAC.finditer(text):
            if found["s"] == ":" or re.search("[A-Fa-f]", found.group()):
                yield Find(*found.span(), "mac")


def _is_ipv4(text: str, found: re.Match[str]) -> bool:
    parts = found.group().split(".")
    if any(int(part) > 255 or (len(part) > 1 and part[0] == "0") for part in parts):
        return False
    return _VERSION_BEFORE.search(text, max(0, found.start() - 12), found.start()) is None


def _is_ipv6(text: str, start: int, end: int) -> bool:
    given = text[start:end]
    if given.count(":") < 2 or len(given) < 5 or not any(c.isdigit() for c in given):
        return False
    if end < len(text) and (text[end].isalnum() or text[end] == "_"):
        return False
    try:
        IPv6Address(given)
    except AddressValueError:
        return False
    return True
