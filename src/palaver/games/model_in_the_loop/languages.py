"""Which language a sentence is in, where that is plain: by its script, or by its small words.

This is for noticing that somebody wrote in another language than was asked for. It says nothing
rather than something doubtful: short sentences, names and mixtures have no language here.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache

from palaver.games.model_in_the_loop.folding import words_of

# Fewer words than this are not judged.
LEAST_WORDS = 4
# Characters that weigh as much where words are not written apart.
LEAST_CHARACTERS = 8
# A language is plain by its small words if so many of them are its own, and such a share of all words.
LEAST_HITS, LEAST_SHARE = 2, 0.25
# A text is plainly in other scripts if this share of its letters is.
PLAIN_SCRIPT = 0.7

SMALL_WORDS: Mapping[str, frozenset[str]] = {
    language: frozenset(words.split())
    for language, words in {
        "da": "og er det ikke jeg af på til som en et var den med har han hun de vi kan blev fra "
        "eller men hvad ved efter også nogle meget mange havde bliver",
        "de": "und der die das ist nicht ich ein eine einen einem einer den dem des mit auf für von "
        "sich auch es sie wir war hat haben werden wird aus bei nach zum zur über oder aber wenn "
        "noch nur wie kein keine dass sind er im am um als vor durch unter mehr sehr",
        "en": "the and is are was were of to in that it not on for with as at by this from they he she "
        "his her their an be have has had or but which who what there been will would can could did "
        "does when than its into about all more some no you i a we",
        "es": "el la los las y es no en que un una de del con por para se su lo como más pero fue son "
        "está este esta al ha hay muy sin sobre también era cuando donde porque sus nada todo",
        "fi": "ja on ei se hän että oli ovat mutta kun niin kuin mitä tämä joka myös minä sinä he "
        "ole olla vain jos sitten nyt tai jo hänen ollut eivät",
        "fr": "le la les et est des une un du que qui dans pas ne pour sur au aux avec il elle ils "
        "ce cette ces sont était par plus mais ou où se sa son ses leur nous vous je été tout en de",
        "it": "il lo la gli le e è di che non un una del della dei delle in per con sono si da al alla "
        "nel nella più anche ma come questo questa era ha hanno loro suo sua quando dove perché",
        "nl": "de het een en van is niet in dat op te zijn voor met die er aan om ook als maar door "
        "naar bij nog wel heeft hij ze zij wordt werd over uit dan geen wat was deze dit ik je",
        "pl": "i w nie na się z że jest to do o jak ale po za od przez dla czy był była było są tym "
        "tego tylko jego jej ich przed bez już może ma który która które",
        "pt": "o a os as e é de do da dos das que não em um uma no na com por para se mais foi são "
        "como mas ao está ele ela eles seu sua muito também era quando onde porque nos pelo pela",
        "sv": "och är det inte jag att en ett som på av för med den till har han hon de vi kan var "
        "från eller men vad vid efter också några mycket många hade blir sig sin om",
        "tr": "ve bir bu da de için ile o çok ama gibi daha var yok değil ne mi kadar sonra olarak "
        "olan her ben sen biz onlar en şey ki ise diye",
    }.items()
}
# How a character's name in Unicode begins, and the languages that are written so.
SCRIPTS: Mapping[str, frozenset[str]] = {
    "ARABIC": frozenset({"ar", "fa", "ur", "ps"}),
    "CJK": frozenset({"zh", "ja", "yue"}),
    "CYRILLIC": frozenset({"ru", "uk", "bg", "sr", "be", "mk", "kk", "mn"}),
    "DEVANAGARI": frozenset({"hi", "mr", "ne", "sa"}),
    "GREEK": frozenset({"el"}),
    "HANGUL": frozenset({"ko"}),
    "HEBREW": frozenset({"he", "yi"}),
    "HIRAGANA": frozenset({"ja"}),
    "KATAKANA": frozenset({"ja"}),
    "LATIN": frozenset(SMALL_WORDS) | {"cs", "hu", "id", "no", "nb", "ro", "sr", "vi"},
    "THAI": frozenset({"th"}),
}
# The languages that have a word among their small ones.
_LANGUAGES: Mapping[str, tuple[str, ...]] = {
    word: tuple(language for language, small in SMALL_WORDS.items() if word in small)
    for word in frozenset().union(*SMALL_WORDS.values())
}
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "THAI")


def is_other_language(text: str, language: str) -> bool:
    """Whether a text is plainly not in `language` ("en", "pt-BR"); False wherever that is open.

    >>> is_other_language("Der Zug kam nicht um sechs Uhr an", "en")
    True
    >>> is_other_language("The train did not come at six", "en")
    False
    >>> is_other_language("Поезд пришёл только утром, в девять", "en")
    True
    >>> is_other_language("Der Zug kam", "en")
    False
    """
    wanted, own = _spoken(language)
    words = words_of(text)
    scripts = _scripts(text)
    letters = sum(scripts.values())
    if not letters:
        return False
    if len(words) < LEAST_WORDS and _count(scripts, UNSPACED) < LEAST_CHARACTERS:
        return False
    if own and _count(scripts, own) <= (1 - PLAIN_SCRIPT) * letters:
        return True
    return wanted in SMALL_WORDS and _is_other_by_words(words, wanted)


@cache
def _spoken(language: str) -> tuple[str, tuple[str, ...]]:
    """A language without its region, and the scripts it is written in."""
    wanted = language.lower().replace("_", "-").split("-")[0]
    return wanted, tuple(script for script, languages in SCRIPTS.items() if wanted in languages)


def _count(scripts: Mapping[str, int], some: Iterable[str]) -> int:
    return sum(scripts.get(script, 0) for script in some)


def _is_other_by_words(words: Sequence[str], wanted: str) -> bool:
    hits: dict[str, int] = {}
    for word in words:
        for language in _LANGUAGES.get(word, ()):
            hits[language] = hits.get(language, 0) + 1
    own = hits.pop(wanted, 0)
    other = max(hits.values(), default=0)
    # Neighbours share words: the other language must have far more of its own.
    return other >= LEAST_HITS and other >= LEAST_SHARE * len(words) and other > 2 * own


def _scripts(text: str) -> Mapping[str, int]:
    """How many letters of each script a text has."""
    if text.isascii():
        return {"LATIN": sum(map(str.isalpha, text))}
    others = "".join(_NOT_ASCII.findall(text))
    found = Counter(LATIN=sum(map(str.isalpha, text)) - sum(map(str.isalpha, others)))
    for letter in others:
        if letter.isalpha():
            found[unicodedata.name(letter, "").split(" ")[0]] += 1
    return +found
