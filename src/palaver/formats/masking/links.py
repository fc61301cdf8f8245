"""Web addresses that lead to a person: profiles, meetings, shared files, and what carries a key.

Other addresses stay: a page of an encyclopedia or of the news says nothing about who read it.
"""

import re
from collections.abc import Iterator

from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText, vocabulary

# A host without a scheme is believed where its site is known.
_PROFILE_HOSTS = (
    "twitter|x|facebook|fb|instagram|instagr|linkedin|tiktok|threads|bsky|snapchat|pinterest|tumblr"
    "|github|gitlab|bitbucket|keybase|stackoverflow|kaggle|huggingface|twitch|soundcloud|vimeo|flickr"
    "|medium|substack|patreon|ko-fi|buymeacoffee|onlyfans|linktr|about|behance|dribbble|etsy|ebay"
    "|deviantart|strava|xing|researchgate|orcid|vk|ok|weibo|telegram|t|wa|m|paypal|venmo|cash"
    "|calendly|doodle|steamcommunity|goodreads|letterboxd|last|duolingo|chess|lichess|roblox|tinder"
    "|youtube|youtu|reddit|quora|spotify|open.spotify|discord|signal|line|matrix|mastodon|skype"
)
_URL = re.compile(
    rf"""(?:https?://|www\.)[^\s<>"'»”]{{3,2000}}
    |(?<![\w.@/-])(?:[a-z0-9-]{{1,40}}\.){{0,3}}(?:{_PROFILE_HOSTS})
      \.(?:com|me|org|net|tv|gg|ee|fm|social|app|io|ru|be|us|de|link)/[^\s<>"'»”]{{1,2000}}""",
    re.IGNORECASE | re.VERBOSE,
)
_PARTS = re.compile(
    r"(?:https?://)?(?P<user>[^/@\s]*@)?(?P<host>[^/?#:]*)(?::\d*)?(?P<rest>.*)", re.I | re.S
)
_PROFILE_HOST = re.compile(
    rf"(?:^|\.)(?:{_PROFILE_HOSTS})\.[a-z]{{2,6}}(?:\.[a-z]{{2}})?$", re.IGNORECASE
)
# Sites where only some paths are people.
_MIXED = re.compile(
    r"(?:^|\.)(?:youtube|youtu|reddit|quora|spotify|medium|stackoverflow|ebay|etsy|chess|goodreads)\.",
    re.I,
)
_SHARED_HOST = re.compile(
    r"(?:^|\.)(?:zoom\.us|meet\.google\.com|teams\.microsoft\.com|docs\.google\.com|drive\.google\.com"
    r"|forms\.gle|calendly\.com|dropbox\.com|1drv\.ms|onedrive\.live\.com|wetransfer\.com|we\.tl"
    r"|icloud\.com"
    r"|photos\.app\.goo\.gl|photos\.google\.com|discord\.gg|chat\.whatsapp\.com|webex\.com|notion\.so"
    r"|gofundme\.com|paypal\.me)$",
    re.IGNORECASE,
)
_GENERIC = vocabulary(
    "about account ads api app apps article articles blog business careers channel contact "
    "cookies de developers discover docs download en events explore faq features feed groups "
    "hashtag help home i intent jobs learn legal login logout marketplace messages news "
    "notifications pages pin policies policy pricing privacy products r reel reels search "
    "security settings share shop signup stories store support tag tags terms topics trending "
    "tos trends watch wiki"
)
_PERSONAL_PATH = re.compile(
    r"/~\w|/@\w|/(?:u|usr|user|users|profile|profiles|people|person|member|members|author|authors"
    r"|in|id|staff|team|channel|c|athletes|mitarbeiter|personen|profil|perfil|profilo)/[\w%.~-]{2,}"
    r"|/profile\.php",
    re.IGNORECASE,
)
_PERSONAL_KEY = re.compile(
    r"[?&#;](?:[a-z_-]*(?:user|email|e-mail|mail|name|token|session|auth|login|passwo?r?d|pwd"
    r"|phone|key|uid"
    r"|invite|signature|participant|worker|prolific)[a-z_-]*|id|sid|pid|code)=[^&\s]{2,}",
    re.IGNORECASE,
)
_OWN_BEFORE = re.compile(
    r"\b(?:my|our|mein|meine|meiner|unsere|mon|ma|notre|mi|nuestra|mio|mia|meu|minha|mijn|min|moja"
    r"|мой|моя|мою)"
    r"[^\S\n](?:\w+[^\S\n]){0,2}(?:web ?site|site|home ?page|page|blog|portfolio|profile|channel"
    r"|shop|web|domain"
    r"|seite|webseite|kanal|profil|página|pagina|sito|canal|perfil|сайт|блог|страница)"
    r"(?:[^\S\n](?:is|at|here|ist|est|es|è|é|unter|en)|:|,)?[^\S\n]?[:(]?[^\S\n]?\Z",
    re.IGNORECASE,
)
_DOTTED = re.compile(r"[a-z0-9]\.[a-z]", re.IGNORECASE)
_BARE = re.compile(
    r"(?<![\w.@/-])(?:[a-z0-9-]{1,63}\.){1,3}[a-z]{2,12}(?:/[^\s<>\"']{0,500})?(?![\w@])", re.I
)


def find_links(reading: ReadText) -> Iterator[Find]:
    """The web addresses of a text that lead to somebody."""
    text = reading.text
    if "." not in text[:-1]:
        return
    if "/" in text or "www" in text.casefold():
        for found in _URL.finditer(text):
            address = _without_closing(found.group())
            end = found.start() + len(address)
            if _is_personal(address) or _is_own(text, found.start()):
                yield Find(found.start(), end, "link")
    if not _DOTTED.search(text):
        return
    for found in _BARE.finditer(text):
        if _is_own(text, found.start()):
            yield Find(found.start(), found.start() + len(_without_closing(found.group())), "link")


def _without_closing(address: str) -> str:
    address = address.rstrip(".,;:!?…*_")
    if address.endswith(")") and "(" not in address:
        address = address[:-1].rstrip(".,;:!?")
    return address.rstrip("]}")


def _is_own(text: str, start: int) -> bool:
    return _OWN_BEFORE.search(text, max(0, start - 50), start) is not None


def _is_personal(address: str) -> bool:
    parts = _PARTS.match(address)
    if parts is None:
        return False
    host, rest = parts["host"].removeprefix("www."), parts["rest"]
    if parts["user"] or _PERSONAL_PATH.search(rest) or _PERSONAL_KEY.search(rest):
        return True
    first = rest.lstrip("/").split("/")[0].split("?")[0].casefold()
    if _SHARED_HOST.search(host):
        return bool(first)
    if not _PROFILE_HOST.search(host) or _MIXED.search(host):
        return False
    return bool(first) and first not in _GENERIC
