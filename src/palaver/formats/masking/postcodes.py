"""Postcodes: those that have a shape of their own, and plain digits beside a street or its word."""

import re
from collections.abc import Iterator, Sequence

from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText, vocabulary

_UK_AREAS = vocabulary(
    "AB AL B BA BB BD BH BL BN BR BS BT CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT "
    "DY E EC EH EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L "
    "LA LD LE LL LN LS LU M ME MK ML N NE NG NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S "
    "SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W WA WC WD WF WN WR "
    "WS WV YO ZE"
)
_UK = re.compile(
    r"(?<!\w)(?P<area>[A-Z]{1,2})\d[A-Z\d]?(?P<gap>[ ]?)\d(?P<unit>[ABD-HJLNP-UW-Z]{2})(?!\w)",
    re.IGNORECASE,
)
_CANADA = re.compile(
    r"(?<!\w)[ABCEGHJ-NPRSTVXY]\d[ABCEGHJ-NPRSTV-Z](?P<gap>[ -]?)\d[ABCEGHJ-NPRSTV-Z]\d(?!\w)",
    re.IGNORECASE,
)
_STATES = (
    "AL|AK|AZ|AR|CA|CO|CT|DE|FL|GA|HI|ID|IL|IN|IA|KS|KY|LA|ME|MD|MA|MI|MN|MS|MO|MT|NE|NV|NH|NJ|NM"
    "|NY|NC|ND|OH|OK|OR|PA"
    "|RI|SC|SD|TN|TX|UT|VT|VA|WA|WV|WI|WY|DC|PR|NSW|VIC|QLD|WA|SA|TAS|ACT|NT"
)
_US = re.compile(rf"(?<!\w)(?:{_STATES}),?[ ](?P<code>\d{{4,5}}(?:-\d{{4}})?)(?!\w|[.,]\d)")
_NETHERLANDS = re.compile(
    r"(?<!\w)[1-9]\d{3}[ ]?(?!SA|SD|SS)[A-Z]{2}(?=,?[ ]{1,2}[A-Z']|[ ]?$|[.,;!])"
)
# A country's letter before the digits, Japan's sign, Poland's hyphen with a town behind it.
_MARKED = re.compile(
    r"(?<!\w)(?:(?:D|A|CH|F|B|L|I|E|S|SE|DK|FI|PL)-(?P<code>\d{4,5})(?!\w)|〒[ ]?"
    r"(?P<japan>\d{3}-\d{4})|(?P<poland>\d\d-\d{3})(?=[ ][A-ZŁŚŻŹĆ][a-ząćęłńóśźż]))"
)
_ANY_CODE = (
    r"\d{5}(?:-\d{4})?|\d{3}[ ]\d{2}|\d{4}[ ]?[A-Z]{2}|\d{4}(?:-\d{3})?|\d{2}-\d{3}|\d{6}"
    r"|\d{3}[ ]\d{3}|[A-Z]\d[A-Z][ -]?\d[A-Z]\d"
    r"|[A-Z]{1,2}\d[A-Z\d]?[ ]?\d[A-Z]{2}|[A-Z]\d\d[ ][A-Z0-9]{4}"
)
_SAID = re.compile(
    rf"""(?<!\w)(?:zip(?:[ -]?code)?|post[ ]?code|postal[ ]code|postcode|plz|postleitzahl
      |code[ ]postal|c[óo]digo[ ]postal
    |cap|cep|kod[ ]pocztowy|postnummer|postinumero|pin[ ]?code|eircode|psč|индекс|邮编)
    (?:[ ](?:is|was|ist|lautet|es|est|è|é|jest|är|er)|'s|:)?[ ]?:?[ ]?(?P<code>{_ANY_CODE})(?![\w]
      |[.,]\d)""",
    re.IGNORECASE | re.VERBOSE,
)
_LIVING = re.compile(
    r"(?<!\w)(?:live|living|wohne|wohnhaft|lebe|habite|vivo|abito|moro|woon|bor|mieszkam)[ ](?:in"
    r"|à|en|a|em|w|i)[ ](?P<code>\d{4,5})[ ][A-ZÄÖÜÀ-Ý]",
    re.IGNORECASE,
)
# Behind a street: the town may come first.
_BEHIND = re.compile(
    rf"[,;]?[\s]{{0,2}}(?:[A-Z]{{1,2}}-)?(?:(?P<first>{_ANY_CODE})(?![\w]|[.,]\d)"
    rf"|(?:[^\W\d_][\w.'’-]{{0,24}}[ ,]{{1,2}}){{1,4}}(?P<code>{_ANY_CODE})(?![\w]|[.,]\d))"
)
# Before it: "10827 Berlin, Hauptstraße 17".
_AHEAD = re.compile(r"(?<!\w)(?P<code>\d{4,5})[ ](?:[^\W\d_][\w.'’-]{1,24}[ ]?){1,3},[ ]?\Z")
_LETTERED = re.compile(r"[A-Za-z]\d")
_CAPITALS = re.compile(r"[A-Z]{2}")
_SAID_WORDS = vocabulary(
    "zip zipcode post postcode postal plz postleitzahl código codigo cap cep kod postnummer "
    "postinumero pin pincode eircode psč "
    "индекс live living wohne wohnhaft lebe habite vivo abito moro woon bor mieszkam"
)


def find_postcodes(reading: ReadText, streets: Sequence[Find]) -> Iterator[Find]:
    """The postcodes of a text, of which `streets` are the streets."""
    text = reading.text
    if reading.digits < 2:
        return
    if _LETTERED.search(text):
        for found in _UK.finditer(text):
            if _is_uk(found):
                yield Find(*found.span(), "address")
        for found in _CANADA.finditer(text):
            if found["gap"] or found.group().isupper():
                yield Find(*found.span(), "address")
    patterns = []
    if reading.digits >= 4 and _CAPITALS.search(text):
        patterns = [_NETHERLANDS, _US]
    if "-" in text or "〒" in text:
        patterns.append(_MARKED)
    if reading.has_any(_SAID_WORDS) or "邮编" in text:
        patterns += [_SAID, _LIVING]
    for pattern in patterns:
        for found in pattern.finditer(text):
            yield Find(*found.span(found.lastgroup or 0), "address")
    for street in streets:
        behind = _BEHIND.match(text, street.end)
        if behind is not None:
            yield Find(*behind.span(behind.lastgroup or 0), "address")
        ahead = _AHEAD.search(text, max(0, street.start - 60), street.start)
        if ahead is not None:
            yield Find(*ahead.span("code"), "address")


def _is_uk(found: re.Match[str]) -> bool:
    if found["area"].casefold() not in _UK_AREAS:
        return False
    # "M2 8GB" is a computer; small letters without a gap are anything.
    return found["unit"].upper() not in ("GB", "TB") and (
        bool(found["gap"]) or found.group().isupper()
    )
