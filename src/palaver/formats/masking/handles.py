"""Handles: @name, name#1234, u/name, and what follows "my insta is"."""

import re
from collections.abc import Iterator

from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText, vocabulary
from palaver.formats.masking.words import no_names

# A domain may follow, as in Mastodon's @name@server.
_AT_NAME = re.compile(
    r"(?<![\w@./])[@＠](?P<name>[^\W\d](?:[\w.-]{0,38}\w)|\d[\w.]{0,20}[^\W\d]\w*)"
    r"(?P<server>@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4})?"
)
# Words of code and of places that stand behind an "@" and name nobody.
_NO_HANDLE = vocabulary(
    "all channel here everyone home work school uni office gym lunch noon midnight night "
    "dinner property media import param params return returns throws override test autowired "
    "staticmethod classmethod dataclass abstractmethod cache cached lru_cache keyframes font "
    "supports charset pytest bean component service deprecated type types input output "
    "injectable page layer container apply tailwind include extend mixin use if else for each "
    "while"
)
_TIME = re.compile(r"\d{1,2}(?:[:.]\d\d)?(?:am|pm|h|uhr)?\d*\Z", re.IGNORECASE)
_TAG = re.compile(r"(?<![\w#.])(?P<name>[^\W\d_][\w.]{1,31})#\d{4}(?!\w)")
_NO_TAG = vocabulary(
    "issue pr bug ticket order room no nr number item case invoice page chapter track apt "
    "suite unit bestellung rechnung case ref color colour ep episode question task figure "
    "table version"
)
_REDDIT = re.compile(r"(?<![\w/.])/?u/[\w-]{3,20}(?![\w/])")

_SITES = (
    r"insta(?:gram)?|ig|twitter|tw|x[ ]account|snap(?:chat)?|tik ?tok|telegram|tg|discord|reddit"
    r"|steam|psn|xbox(?:[ ]live)?"
    r"|gamer ?tag|skype|we ?chat|kik|facebook|fb|linked ?in|mastodon|blue ?sky|threads|twitch|you "
    r"?tube|github|gitlab"
    r"|whats ?app|signal|vk|qq|kakao(?:talk)?|line|tumblr|pinterest|onlyfans|spotify|letterboxd"
    r"|strava|venmo|paypal|cash ?app"
    r"|roblox|minecraft|fortnite|epic|battle ?net|origin|nintendo|switch|zoom|slack|tinder"
    r"|soundcloud|bereal"
)
_ROLES = (
    r"user ?name|user[ ]?id|handle|nick(?:name)?|account|user|tag|id|name|friend[ ]code|alias|@"
    r"|profil(?:e)?|screen[ ]name|login|benutzername|usuario|pseudo|nom[ ]d'utilisateur"
    r"|nome[ ]utente"
)
_IS = r"(?:[ ]is|[ ]ist|[ ]es|[ ]est|[ ]è|[ ]é|'s|[ ]jest|[ ]är|[ ]:|:|[ ]=|=|[ ]->|[ ]-)"
_MY = r"(?:my|mein|meine|mon|mi|meu|o[ ]meu|mio|il[ ]mio|mijn|min|mój|moje)"
# "my insta is …", "mein Discord: …", "my handle on twitter is …"
_MINE = re.compile(
    rf"(?<!\w){_MY}[ ](?:(?:{_SITES})(?:[ ](?:{_ROLES}))?|user[ ]?name|handle|gamer ?tag"
    rf"|screen[ ]name|nick(?:name)?|benutzername|usuario|pseudo)"
    rf"(?:[ ](?:on|for|at|auf|sur|en)[ ](?:{_SITES}))?{_IS}[ ]?[@\"']?"
    rf"(?P<name>[\w][\w.-]{{1,30}}\w)(?!\w|@)",
    re.IGNORECASE,
)
# "discord: …", "on telegram as …", "psn id …": what follows must look like a handle.
_SITE = re.compile(
    rf"(?<!\w)(?:{_SITES}|user ?name|handle|gamer ?tag)(?:[ ](?:{_ROLES}))?"
    rf"(?:{_IS}|[ ](?:as|als|under|unter|i'?m|am|at|@)|,|[ ](?=\S*[\d_]))[ ]?[@\"']?"
    rf"(?P<name>\w[\w.-]{{1,30}}\w)(?!\w|@)",
    re.IGNORECASE,
)
# "add me: …", "I go by … online", "find me as …"
_ME = re.compile(
    r"(?<!\w)(?:(?:add|follow|find|dm|message|hmu|tag|pm)[ ](?:me|us)(?:[ ](?:on|at|as|under|via)"
    r"(?:[ ]\w+){0,2}?)?|i[ ]go[ ]by|i[ ]post[ ]as)"
    r"[ ]?[:,-]?[ ]?[@\"']?(?P<name>\w[\w.-]{1,30}\w)(?!\w|@)",
    re.IGNORECASE,
)
_SITE_WORDS = vocabulary(
    "insta instagram ig twitter tw x snap snapchat tik tiktok telegram tg discord reddit steam "
    "psn xbox gamer gamertag skype "
    "we wechat kik facebook fb linked linkedin mastodon blue bluesky threads twitch you youtube "
    "github gitlab whats whatsapp "
    "signal vk qq kakao kakaotalk line tumblr pinterest onlyfans spotify letterboxd strava venmo "
    "paypal cash cashapp roblox "
    "minecraft fortnite epic battle battlenet origin nintendo switch zoom slack tinder soundcloud "
    "bereal user username handle "
    "nick nickname screen benutzername usuario pseudo"
) - vocabulary("we you line blue x")
_ME_WORDS = vocabulary("add follow find dm message hmu tag pm go post")


def find_handles(reading: ReadText) -> Iterator[Find]:
    """The handles of a text."""
    text = reading.text
    if "@" in text or "＠" in text:
        for found in _AT_NAME.finditer(text):
            name = found["name"].casefold()
            if name not in _NO_HANDLE and not _TIME.match(name):
                yield Find(*found.span(), "handle")
    if "#" in text:
        for found in _TAG.finditer(text):
            if found["name"].casefold() not in _NO_TAG:
                yield Find(*found.span(), "handle")
    if "u/" in text:
        for found in _REDDIT.finditer(text):
            yield Find(*found.span(), "handle")
    if reading.has_any(_SITE_WORDS):
        for found in _MINE.finditer(text):
            if _could_be_handle(found["name"]):
                yield Find(*found.span("name"), "handle")
        for found in _SITE.finditer(text):
            if _looks_like_handle(found["name"]):
                yield Find(*found.span("name"), "handle")
    if reading.has_any(_ME_WORDS):
        for found in _ME.finditer(text):
            if _looks_like_handle(found["name"]):
                yield Find(*found.span("name"), "handle")


def _could_be_handle(name: str) -> bool:
    return name.casefold() not in no_names() and not name.isdigit()


def _looks_like_handle(name: str) -> bool:
    """Whether no ordinary word is written so: ann_92, moon.pie, xXannXx."""
    if re.fullmatch(r"\d[\d.,-]*|\d+(?:am|pm|k|m|gb|mb|p|st|nd|rd|th)", name, re.IGNORECASE):
        return False
    if "_" in name or any(char.isdigit() for char in name):
        return True
    if re.search(r"[a-z][A-Z]", name) and name.casefold() not in _BRANDS:
        return True
    inner = re.fullmatch(r"[^\W\d_]{2,}\.[^\W\d_]{2,}", name)
    return inner is not None and not name.endswith((".com", ".org", ".net", ".de"))


_BRANDS = vocabulary(
    "youtube tiktok linkedin whatsapp github gitlab iphone ipad javascript typescript paypal"
)
