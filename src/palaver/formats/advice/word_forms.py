"""The lemma of an English word form by rules: irregular forms from a list, endings by their spelling.

The rules know no parts of speech and no dictionary: "left" is always "leave", and a rare word may
lose an ending that was its own. They are consistent, which is what retrieval needs.
"""

import re

_VOWELS = frozenset("aeiouy")
_IRREGULAR_FORMS = """
be: am is are was were been being 'm 're
have: has had having 've
do: does did done doing
will: wo 'll
can: ca
shall: sha
would: 'd
not: n't
go: went gone goes going gon
get: got gotten getting
say: said
make: made
know: knew known
think: thought
take: took taken
see: saw seen
come: came coming
want: wan
give: gave given
find: found
tell: told
feel: felt
leave: left leaving
keep: kept
let: letting
begin: began begun beginning
show: shown
hear: heard
run: ran running
hold: held
bring: brought
write: wrote written
sit: sat
stand: stood
lose: lost losing
pay: paid
meet: met
learn: learnt
lead: led
understand: understood
speak: spoke spoken
spend: spent
grow: grew grown
win: won
buy: bought
die: died dying dies
lie: lied lying lies
tie: tied tying ties
send: sent
build: built
fall: fell fallen
sell: sold
break: broke broken
eat: ate eaten
drive: drove driven
choose: chose chosen
catch: caught
teach: taught
sleep: slept
wear: wore worn
forget: forgot forgotten
forgive: forgave forgiven
hide: hid hidden
throw: threw thrown
fly: flew flown flies
draw: drew drawn
sing: sang sung
drink: drank drunk
swim: swam swum
ring: rang rung
steal: stole stolen
fight: fought
seek: sought
deal: dealt
mean: meant
bite: bit bitten
shake: shook shaken
wake: woke woken
freeze: froze frozen
become: became
blow: blew blown
sign: signed signing
ride: rode ridden
rise: rose risen
swear: swore sworn
tear: tore torn
stick: stuck
strike: struck
hang: hung hanging hanged
dig: dug
feed: fed
bleed: bled
light: lit
shoot: shot
slide: slid
spin: spun
sink: sank sunk
sweep: swept
weep: wept
bend: bent
lend: lent
eat: eating
invite: invited inviting
ignore: ignored ignoring
focus: focused focusing
owe: owed owing
use: used using
movie: movies
bathe: bathing
unite: united uniting
feel: feeling
ex: exes
good: better best
bad: worse worst
child: children
man: men
woman: women
person: people
foot: feet
tooth: teeth
mouse: mice
wife: wives
life: lives
knife: knives
leaf: leaves
half: halves
self: selves
thief: thieves
shelf: shelves
wolf: wolves
"""
# Words whose ending is their own.
_AS_THEY_ARE = """
this his its us yes bus gas plus thus always perhaps news series species lens politics ethics
physics mathematics less unless else various previous obvious serious anxious jealous nervous
during thing something anything nothing everything king ring sing bring spring string wing ceiling
evening morning wedding feed need indeed speed seed weed reed bleed exceed proceed succeed breed
hundred sacred naked red bed shed as christmas texas besides whereas afterwards
sometimes towards boss kiss miss pass class glass grass mess stress press dress guess across loss
cross process access success address business illness happiness wedding building meaning sibling
darling fling sling cling bling sting swing ping
"""
_IRREGULAR = {
    form: lemma
    for line in _IRREGULAR_FORMS.strip().splitlines()
    for lemma, _, forms in [line.partition(": ")]
    for form in forms.split()
} | {word: word for word in _AS_THEY_ARE.split()}
# Stems of several syllables that end so have no silent e: "visit", "open", "offer", "listen".
_NO_E = re.compile(r"(?:er|en|on|it|el|or|et|ow|ay|ey|oy|aw|op|in|al|ish|om|il|ap|ic|ip|im|ist)$")
# Stems that end so have one: "change", "solve", "argue", "advise", "realize", "handle", "place".
_WITH_E = re.compile(r"(?:[^aeiou]l|[dr]g|eng|ang|ung|v|z|u|c|as|is|os|us|ns|rs|ps|iat|eat)$")
_BARE_AT = re.compile(r"(?:tr|ch|b|h|s|wh|rep|def|m|n)eat$")


def lemma_of(form: str) -> str:
    """The lemma of a form, in lower case.

    >>> [lemma_of(form) for form in ("Parties", "stopped", "making", "visited", "was", "boxes")]
    ['party', 'stop', 'make', 'visit', 'be', 'box']
    """
    word = form.lower().replace("’", "'")
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    if len(word) < 4 or not word.isalpha() or not word.isascii():
        return word
    if word.endswith("s"):
        return _singular(word)
    if word.endswith("ing") and len(word) > 4:
        return _stem(word, word[:-3])
    if word.endswith("ied") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith("ed"):
        return _stem(word, word[:-2])
    return word


def _singular(word: str) -> str:
    if word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y" if len(word) > 4 else word[:-1]
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) and len(word) > 4:
        return word[:-2]
    return word[:-1]


def _stem(word: str, stem: str) -> str:
    """What is left of a verb without its ending, with the letters that the ending took or doubled."""
    if len(stem) < 2 or not _VOWELS.intersection(stem):
        return word
    last = stem[-1]
    if last == stem[-2] and last not in _VOWELS:
        # "stopped" doubled its p; "called", "passed" and "stuffed" did not.
        return stem if last in "lsfz" and len(stem) < 6 else stem[:-1]
    return stem + "e" if _wants_e(stem) else stem


def _wants_e(stem: str) -> bool:
    if _WITH_E.search(stem):
        return not _BARE_AT.search(stem)
    if stem[-1] in "aeiouwxy":
        return stem[-1] == "e" and not stem.endswith("ee")
    if len(stem) < 2 or stem[-2] not in _VOWELS:
        return stem.endswith("th") and stem[-3:-2] in ("a", "o") and len(stem) > 4
    if len(stem) > 2 and stem[-3] in _VOWELS:  # two vowels: "look", "need", "explain"
        return stem.endswith(("ieu", "ied", "uir", "eas", "oos", "uat", "eat")) and len(stem) > 4
    if len(_SYLLABLE.findall(stem)) > 1:
        return not _NO_E.search(stem)
    return len(stem) > 2 or stem in ("us",)


_SYLLABLE = re.compile("[aeiouy]+")
