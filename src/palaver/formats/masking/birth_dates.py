"""Birth dates: dates in a sentence that speaks of a birth. A year alone is none."""

import re
from collections.abc import Iterator

from palaver.formats.masking.finds import Find
from palaver.formats.masking.reading import ReadText, vocabulary

_CUE = re.compile(
    r"""(?<!\w)(?:born|d\.?o\.?b\b|date[ ]of[ ]birth|birth[ ]?(?:date|day)|b-?day
    |geboren|geb\.|geburts(?:datum|tag)|née?[ ]le|naissance|anniversaire
    |nac[íi][ ]el|nacid[oa]|nacimiento|cumplea[ñn]os|cumplo
    |nat[oa][ ]il|nascita|compleanno|nasci|nascid[oa]|nascimento|anivers[áa]rio
    |geboortedatum|verjaardag|jarig|urodzi(?:łem|łam|ny|n)|urodzenia|født|född|födelsedag|syntynyt
    |родил(?:ся|ась)|рождения|doğum|narozen)
    |生日|出生|生年月日|誕生日|생일""",
    re.IGNORECASE | re.VERBOSE,
)
_CUE_WORDS = vocabulary(
    "born dob d birth birthdate birthday birthdays bday b geboren geb geburtsdatum geburtstag né "
    "née naissance anniversaire nací naci nacido "
    "nacida nacimiento cumpleaños cumpleanos cumplo nato nata nascita compleanno nasci nascido "
    "nascida nascimento aniversário "
    "aniversario geboortedatum verjaardag jarig urodziłem urodziłam urodzony urodzenia født född "
    "födelsedag syntynyt родился "
    "родилась рождения doğum narozen"
)
_MONTHS = (
    r"jan(?:uary|uar|vier|eiro|uari)?|ene(?:ro)?|gen(?:naio)?|feb(?:ruary|ruar|rero|braio|ruari)?"
    r"|f[ée]v(?:rier|ereiro)?"
    r"|mar(?:ch|s|zo|ço|t)?|märz|maart|m[äa]rz|apr(?:il|ile)?|abr(?:il)?|avr(?:il)?|may|mai|maj"
    r"|mayo|maggio|maio|mei"
    r"|jun(?:e|i|io|ho)?|juin|giugno|jul(?:y|i|io|ho)?|juil(?:let)?|luglio|aug(?:ust|ustus|usti)?"
    r"|ao[ûu]t|ago(?:sto)?"
    r"|sep(?:t|tember|tembre|tiembre)?|set(?:tembre|embro)?|oct(?:ober|obre|ubre)?|o[kc]t(?:ober)?"
    r"|ott(?:obre)?|out(?:ubro)?"
    r"|nov(?:ember|embre|iembre|embro)?|de[cz](?:ember|embre|embro)?|déc(?:embre)?|dic(?:iembre|embre)?"
    r"|stycznia|lutego|marca|kwietnia|maja|czerwca|lipca|sierpnia|września|października|listopada"
    r"|grudnia"
    r"|января|февраля|марта|апреля|мая|июня|июля|августа|сентября|октября|ноября|декабря"
)
_DAY = r"(?:0?[1-9]|[12]\d|3[01])(?:st|nd|rd|th|er|º|ª|\.)?"
_ORDINAL = (
    r"(?:(?:twenty|thirty)[ -])?(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth)"
    r"|tenth|eleventh|twelfth|(?:thir|four|fif|six|seven|eigh|nine)teenth|twentieth|thirtieth"
)
_YEAR = r"(?:1[5-9]|20)\d\d|['’]\d\d"
_DATE = re.compile(
    rf"""(?<![A-Za-z0-9/.-])(?:
      (?:(?:19|20)\d\d[-./年][ ]?\d{{1,2}}[-./月][ ]?\d{{1,2}}日?)
    | \d{{1,2}}月\d{{1,2}}日
    | \d{{1,2}}[ ]?(?P<s>[-./])[ ]?\d{{1,2}}[ ]?(?P=s)[ ]?(?:(?:18|19|20)\d\d|\d\d)
    | \d{{1,2}}[-./]\d{{1,2}}(?![\d./-]\d)
    | (?:{_DAY}|{_ORDINAL})[ ]?(?:of[ ]|de[ ]|di[ ]|-)?[ ]?(?:{_MONTHS})\b\.?(?:,?[ ]?(?:of[ ]
      |de[ ]|del[ ]|-)?(?:{_YEAR}))?
    | (?:{_MONTHS})\b\.?[ ](?:the[ ])?(?:{_DAY}|{_ORDINAL})\b(?:,?[ ](?:{_YEAR}))?
    | (?:19|20)\d\d\d\d\d\d
    )(?![A-Za-z0-9])""",
    re.IGNORECASE | re.VERBOSE,
)
# What may stand between the words and the date: "born in Leeds on", "my birthday is actually".
_REACH = 40
# And between a date and the words behind it: "5 May is my birthday", "am 5. Mai geboren".
_JOINED = re.compile(
    r"[ ,]*(?:(?:is|was|ist|war|est|es|è|é|that's|=)?[ ](?:my|mein|mon|mi|il mio|meu|his|her)|"
    r"(?:in[ ]\w+)?)[ ]"
)


def find_birth_dates(reading: ReadText) -> Iterator[Find]:
    """The dates of a text of which it says that somebody was born then."""
    text = reading.text
    if not reading.has_any(_CUE_WORDS) and (text.isascii() or not reading.digits):
        return
    for cue in _CUE.finditer(text):
        date = _DATE.search(text, cue.end(), min(len(text), cue.end() + _REACH + 24))
        if date is None or date.start() - cue.end() > _REACH:
            date = _before(text, cue.start())
            if date is None:
                continue
        if re.search(r"[.!?]\s+[^\W\d_a-z]", text[cue.end() : date.start()]):
            continue  # another sentence
        yield Find(*date.span(), "birth date")


def _before(text: str, cue: int) -> re.Match[str] | None:
    """The date right before the words, as in "May 5 is my birthday"."""
    dates = [*_DATE.finditer(text, max(0, cue - _REACH), cue)]
    if not dates:
        return None
    between = text[dates[-1].end() : cue].casefold()
    return dates[-1] if _JOINED.fullmatch(between) else None
