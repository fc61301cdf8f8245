"""Streets with a number, in the shapes of several languages, and post boxes."""

import re
from collections.abc import Iterator

from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText, vocabulary

_NUMBER = r"\d{1,5}[a-z]?(?:[ ]?[-/–][ ]?\d{1,4}[a-z]?)?"
_UNIT = (
    r"(?:,?[ ](?:\#[ ]?\d{1,5}[a-z]?|(?:apt|apartment|flat|unit|suite|ste|floor|fl|room|rm|no|bldg"
    r"|lot)\b\.?[ ]?\#?[ ]?"
    r"(?:\d{1,5}[a-z]?|[a-z]\d{0,4})\b))?"
)

# --- English: number, name, type ------------------------------------------------------------------

_TYPES = (
    "street|st|road|rd|avenue|ave|av|lane|ln|drive|dr|boulevard|blvd|court|ct|place|pl|square|sq"
    "|terrace|terr"
    "|close|crescent|cres|gardens|gdns|grove|mews|parade|highway|hwy|parkway|pkwy|circle|cir|trail"
    "|trl|wharf"
    "|way|walk|row|hill|rise|quay|alley|green|park|view|crossing|loop|path|pike|turnpike"
)
# These are also ordinary words or shortened ones: before them the name has a capital.
_LOOSE = vocabulary(
    "st av place pl court ct square sq close way walk row hill rise green park view drive dr "
    "circle cir trail path loop crossing pike parade grove gardens av ave ln rd"
)
_ENGLISH = re.compile(
    rf"{_NUMBER},?[ ]"
    rf"(?:(?:north|south|east|west|n|s|e|w|ne|nw|se|sw)\b\.?[ ])?"
    rf"(?P<name>[^\W\d_][\w'’.-]{{0,24}}|\d{{1,3}}(?:st|nd|rd|th))"
    rf"(?P<more>(?:[ ][^\W\d_][\w'’.-]{{0,24}}){{0,3}}?)[ ](?P<type>{_TYPES})\b\.?(?:[ ](?:north"
    rf"|south|east|west|ne|nw|se|sw|n|s|e|w)\b\.?)?{_UNIT}",
    re.IGNORECASE,
)
_NO_STREET = vocabulary(
    "of in on at to from by for and or but the a an is are was were am pm minutes minute min "
    "mins hours hour hrs days day weeks week months years year miles mile km kilometers "
    "meters metres feet degrees percent people men women kids cars car times more less other "
    "others different dozen one two way lane star hour per blocks block houses house dollars "
    "euros pounds bucks times players points it i you we they he she my your our their this "
    "that these those with down up off across along into over past out going go goes went new "
    "busy long short big small old nice great good bad best empty dark narrow quiet square "
    "green open full half"
)

# --- Number behind the name -----------------------------------------------------------------------

# Germanic and Nordic: the type ends the word, or is a word of its own.
_STREET_ENDINGS = [
    "straße",
    "strasse",
    "str.",
    "str",
    "gasse",
    "allee",
    "platz",
    "damm",
    "ufer",
    "chaussee",
    "weg",
    "ring",
    "steig",
    "stieg",
    "straat",
    "laan",
    "gracht",
    "plein",
    "kade",
    "dijk",
    "singel",
    "steeg",
    "dreef",
    "gatan",
    "gata",
    "vägen",
    "väg",
    "gränd",
    "torget",
    "veien",
    "vei",
    "gaten",
    "gate",
    "gade",
    "vej",
    "allé",
    "plads",
    "katu",
    "kuja",
]
_ENDINGS = "|".join(map(re.escape, _STREET_ENDINGS))
# Nearly every other number is told from a house's by the two letters before it.
_LAST_LETTERS = tuple(
    {change(ending[-2:]) for ending in _STREET_ENDINGS for change in (str.lower, str.upper)}
)
_GERMANIC = re.compile(
    rf"(?:{_ENDINGS})[ ](?:n(?:r|o)\.?[ ])?{_NUMBER}(?:[ ]?[a-h]\b)?(?!\w|[.,]\d|[ ]?(?:%|€|km|min"
    rf"|uhr|jahre))",
    re.IGNORECASE,
)
_BEFORE_NUMBER = re.compile(r"(?<=[\w.])[ ](?=\d|n(?:r|o)\.?[ ]\d)", re.IGNORECASE)
_ENDING = re.compile(rf"(?:{_ENDINGS})[ ]\Z", re.IGNORECASE)
_WORD_BEFORE = re.compile(r"(?:[^\W\d_][\w.'’-]{0,30}[ -]){0,3}[^\W\d_]?[\w.'’-]{0,30}\Z")
_CONNECT = vocabulary("am an der den dem des im in zum zur auf unter van de het ten ter den von la")
_STREET_NAMES = re.compile(
    r"(?<!\w)(?:Am|An der|An den|Auf der|Auf dem|Im|In der|Unter den|Zum|Zur|Hinter der|Aan de|Op de)[ ]"
    rf"(?:[A-ZÄÖÜ][\w-]{{2,24}}[ ]){{1,2}}(?!(?:19|20)\d\d\b){_NUMBER}(?![\w.:,]\d|\w|[ ]?(?:Uhr"
    rf"|Jahre|km|%|€|Minuten|Leute|Leuten))"
)
# Romance and Slavic: the type stands before the name; the number before it (French) or behind.
_SMALL = (
    r"(?:de|du|des|la|le|les|del|de[ ]la|de[ ]los|das|dos|da|do|di|dei|della|delle|degli|d[’']"
    r"|l[’']|e|y|i|san|santa|saint|sainte|st)"
)
_FRENCH = re.compile(
    rf"\d{{1,4}}(?:[ ]?(?:bis|ter|quater|[a-d]))?,?[ ](?:rue|avenue|av\.|boulevard|bd|blvd|place"
    rf"|chemin|allée|impasse|quai|cours|route"
    rf"|square|passage|faubourg|rond-point|sentier|villa|esplanade)[ ]"
    rf"(?:{_SMALL}[ ]?){{0,3}}[^\W\d_][\w’'-]{{1,24}}"
    rf"(?:[ -](?:{_SMALL}[ ])?(?-i:[A-ZÀ-Ý])[\w’'-]{{1,24}}){{0,4}}",
    re.IGNORECASE,
)
_TYPE_FIRST = re.compile(
    rf"(?<!\w)(?:[Cc]alle|[Cc]/|[Aa]venida|[Aa]vda\.?|[Aa]v\.|[Pp]aseo|[Pp]laza|[Cc]arrer"
    rf"|[Cc]amino|[Rr]onda|[Vv]ia|[Vv]iale|[Cc]orso|[Pp]iazza(?:le)?|[Ll]argo|[Vv]icolo"
    rf"|[Ss]trada|[Rr]ua|[Tt]ravessa|[Pp]raça|[Aa]lameda|[Ee]strada|[Rr]odovia|ul\.|[Uu]lica"
    rf"|[Uu]licy|al\.|[Aa]leja|pl\.|os\.|[Uu]lice|ул\.|[Уу]лица|[Уу]лице|[Пп]роспект|пр\.|пер\."
    rf"|[Cc]addesi|[Ss]okak|[Oo]dos|[Rr]ue)"
    rf"[ ]?(?:{_SMALL}[ ]?){{0,3}}(?:[A-ZÀ-ÝŁŚŻŹĆА-Я]|\d{{1,2}}[ ](?:de[ ])?[A-Z])[\w’'.-]{{1,24}}"
    rf"(?:[ ](?:{_SMALL}[ ]){{0,2}}[A-ZÀ-ÝŁŚŻŹĆА-Я][\w’'.-]{{0,24}}){{0,4}}"
    rf",?[ ](?:n[.ºo°]{{0,2}}[ ]?|nr[ ]|núm\.?[ ]|número[ ]|numero[ ]|д\.?[ ]?"
    rf"|дом[ ])?\d{{1,5}}[A-Za-z]?(?:[/-]\d{{1,4}}[A-Za-z]?)?"
    rf"(?:,[ ](?:m\.[ ]?|кв\.[ ]?|piso[ ]|apto?\.?[ ]|int\.?[ ])?\d{{1,3}}(?!\d)[ºª°]?"
    rf"(?:[ ]?[A-Z]\b)?|[ ]m\.[ ]?\d{{1,4}})?"
)
_BOX = re.compile(
    r"(?<!\w)(?:p\.?[ ]?o\.?[ ]?box|postfach|postbus|b\.?p\.?|apartado(?:[ ]de[ ]correos)?"
    r"|casella[ ]postale|caixa[ ]postal|box|postboks|skr(?:ytka)?\.?[ ]poczt(?:owa)?\.?)"
    r"[ ]\#?\d{1,3}(?:[ ]?\d{1,3})?(?!\w)",
    re.IGNORECASE,
)
# "9 The Crescent", "3 Church Walk": nothing else in English is written so.
_THE = re.compile(
    r"\d{1,4}[a-zA-Z]?,?[ ]The[ ](?:[A-Z][\w’'-]{1,24}[ ])?(?:Crescent|Green|Close|Lane|Avenue"
    r"|Drive|Grove|Gardens|Mews|Terrace|Square|Parade|Street|Hill|Rise|Row|Walk|Oaks|Cottages?)\b"
)
# Words without which the patterns find nothing.
_HOUSE_WORDS = vocabulary(_TYPES.replace("|", " ")) | vocabulary(
    "oaks cottage cottages rue avenue av boulevard bd blvd place chemin allée impasse quai cours "
    "route square passage faubourg rond sentier villa esplanade"
)
_TYPE_FIRST_WORDS = vocabulary(
    "calle c avenida avda av paseo plaza carrer camino ronda via viale corso piazza piazzale "
    "largo vicolo strada rua travessa praça "
    "alameda estrada rodovia ul ulica ulicy al aleja pl os ulice ул улица улице проспект пр пер "
    "caddesi sokak odos rue"
)
_STREET_NAME_STARTS = (
    "Am ",
    "An de",
    "Auf de",
    "Im ",
    "In der ",
    "Unter den ",
    "Zum ",
    "Zur ",
    "Hinter der ",
    "Aan de ",
    "Op de ",
)
_BOX_WORDS = vocabulary("box o postfach postbus bp p b apartado casella caixa postboks skr skrytka")
# Where a house number may begin, and the flat that may stand before it.
_HOUSE = re.compile(r"(?<![\w$€£.,:/-])\d{1,5}")
_FLAT = re.compile(r"(?<!\w)(?:flat|apt|unit|suite)\.?[ ]\w{1,4},?[ ]\Z", re.IGNORECASE)


def find_streets(reading: ReadText) -> Iterator[Find]:
    """The streets of a text that have a number, and the post boxes."""
    text = reading.text
    if reading.has_any(_HOUSE_WORDS):
        for house in _HOUSE.finditer(text):
            yield from _at_house(text, house.start())
    if reading.has_any(_TYPE_FIRST_WORDS):
        yield from (Find(*found.span(), "address") for found in _TYPE_FIRST.finditer(text))
    if any(start in text for start in _STREET_NAME_STARTS):
        yield from (Find(*found.span(), "address") for found in _STREET_NAMES.finditer(text))
    for number in _BEFORE_NUMBER.finditer(text):
        if not text.endswith(_LAST_LETTERS, 0, number.start()):
            continue
        ending = _ENDING.search(text, max(0, number.start() - 12), number.end())
        if ending is not None and (found := _GERMANIC.match(text, ending.start())):
            start = _germanic_start(text, found.start())
            if start is not None:
                yield Find(start, found.end(), "address")
    if reading.has_any(_BOX_WORDS):
        for found in _BOX.finditer(text):
            if not found.group().casefold().startswith(("box", "bp")) or found.group()[0].isupper():
                yield Find(*found.span(), "address")


def _at_house(text: str, start: int) -> Iterator[Find]:
    """The street whose house number stands here."""
    found = _ENGLISH.match(text, start)
    if found is not None and _is_english(found):
        flat = _FLAT.search(text, max(0, start - 12), start)
        yield Find(flat.start() if flat else start, found.end(), "address")
    for pattern in (_THE, _FRENCH):
        if found := pattern.match(text, start):
            yield Find(start, found.end(), "address")


def _is_english(found: re.Match[str]) -> bool:
    words = [found["name"], *found["more"].split()]
    if any(word.casefold().strip(".,") in _NO_STREET for word in words):
        return False
    capital = all(word[:1].isupper() or word[:1].isdigit() for word in words)
    return capital or (found["type"].casefold() not in _LOOSE and len(words) <= 2)


def _germanic_start(text: str, ending: int) -> int | None:
    """Where the street begins whose name's last part begins here; None where it has no capital."""
    before = _WORD_BEFORE.search(text, max(0, ending - 70), ending)
    if before is None:
        return None
    words = before.group().split(" ")
    last = words[-1]
    if last:
        # The type ends a word: Linden|allee.
        start = ending - len(last)
        is_name = len(last) >= 2 and last[0] not in "-.'’"
        return (
            start
            if is_name and (last[0].isupper() or len(last) >= 3) and _is_long(text, start, ending)
            else None
        )
    # The type is a word of its own: Berliner |Straße.
    start, taken = ending, 0
    for word in reversed(words[:-1]):
        if not (word[:1].isupper() or (taken and word.casefold() in _CONNECT)):
            break
        start -= len(word) + 1
        taken += 1
    capital = text[ending].isupper()
    return start if taken and capital and text[start].isupper() else None


def _is_long(text: str, start: int, ending: int) -> bool:
    # "weg 5" in "geht weg 5" and "ring" in "spring 2024" end words that are no streets.
    whole = text[start : ending + 8].split(" ")[0]
    return whole[0].isupper() or whole.casefold().rstrip(".").endswith(
        (
            "straße",
            "strasse",
            "str",
            "straat",
            "gracht",
            "laan",
            "gatan",
            "vägen",
            "gasse",
            "allee",
            "veien",
            "gade",
        )
    )
