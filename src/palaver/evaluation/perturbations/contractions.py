"""Contractions written out, and what can be contracted contracted."""

from functools import cache

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.draws import Draws
from palaver.evaluation.perturbations.edits import Edits, together, written
from palaver.evaluation.perturbations.perturbation import Perturbation
from palaver.evaluation.perturbations.vocabulary import Table, in_case, looked_up

NEGATED = (
    "is", "are", "was", "were", "do", "does", "did", "has", "have", "had", "would", "should",
    "could", "might", "must", "need",
)  # fmt: skip
PEOPLE = ("i", "you", "he", "she", "it", "we", "they")
# After these 's is "is"; after a noun it may be a genitive.
ARE = ("he", "she", "it", "that", "what", "who", "where", "there", "here", "how", "when")
IRREGULAR = {
    "can't": "cannot", "won't": "will not", "shan't": "shall not", "let's": "let us",
    "i'm": "I am", "y'all": "you all",
}  # fmt: skip
# With one of these behind it, 's is "has" and 'd is "had".
PERFECT = frozenset(
    {"been", "got", "gotten", "become", "had", "gone", "taken", "made", "seen", "done"}
)
HAD = PERFECT | {"better"}
# "Yes, it is." is not contracted: something must follow.
NEEDS_MORE = frozenset({"am", "are", "is", "has", "have", "will", "would"})


def contractions(corpus: Corpus, draws: Draws) -> Edits:
    """Every contraction written out, and every pair of words contracted that can be."""
    return together(_written_out(corpus), _contracted(corpus))


def _written_out(corpus: Corpus) -> Edits:
    words, vocabulary, table = corpus.words, corpus.vocabulary, Table()
    usual = looked_up(vocabulary.words, lambda word: _long(word, table, perfect=False))
    perfect = looked_up(vocabulary.words, lambda word: _long(word, table, perfect=True))
    hits = np.flatnonzero((usual[vocabulary.ids] >= 0) & words.free)
    ids, after = vocabulary.ids[hits], _next_is(corpus, HAD)[hits]
    which = np.where(after, perfect[ids], usual[ids])
    return written(words.starts[hits], words.stops[hits], which, table.texts)


def _contracted(corpus: Corpus) -> Edits:
    words, ids, known = corpus.words, corpus.vocabulary.ids, corpus.vocabulary.words
    firsts = {first for first, _ in _short_forms()}
    opens = np.array([word.lower() in firsts for word in known], dtype=bool)
    hits = np.flatnonzero(opens[ids[:-1]] & words.followed[:-1] & words.free[:-1] & words.free[1:])
    pairs, which = np.unique(ids[hits] * len(known) + ids[hits + 1], return_inverse=True)
    table: list[str] = []
    needs_more: list[bool] = []
    for pair in pairs.tolist():
        first, second = known[pair // len(known)], known[pair % len(known)]
        table.append(short_form(first, second))
        needs_more.append(second.lower() in NEEDS_MORE)
    fine = np.array([bool(text) for text in table], dtype=bool)[which]
    fine &= words.followed[hits + 1] | ~np.array(needs_more, dtype=bool)[which]
    hits, which = hits[fine], which[fine]
    return written(words.starts[hits], words.stops[hits + 1], which, table)


def short_form(first: str, second: str) -> str:
    """Two words contracted, in the same case; empty where they are not.

    >>> short_form("Do", "not"), short_form("IT", "IS"), short_form("I", "am"), short_form("a", "b")
    ("Don't", "IT'S", "I'm", '')
    """
    short = _short_forms().get((first.lower(), second.lower()), "")
    return in_case(short, _case_of(first, second)) if short else ""


def _case_of(first: str, second: str) -> str:
    """In whose case a contraction is written: capitals only where both words are."""
    return first + second if second.isupper() else first[:1]


def _next_is(corpus: Corpus, wanted: frozenset[str]) -> Numbers:
    vocabulary = corpus.vocabulary
    is_wanted = np.array([word.lower() in wanted for word in vocabulary.words], dtype=bool)
    after = corpus.words.followed.copy()
    after[:-1] &= is_wanted[vocabulary.ids[1:]]
    return after


def _long(word: str, table: Table, *, perfect: bool) -> int | None:
    found = long_form(word, perfect=perfect)
    return None if found is None else table.add(found)


def long_form(word: str, *, perfect: bool = False) -> str | None:
    """A contraction written out in the same case; None for any other word.

    >>> long_form("Don't"), long_form("she's"), long_form("she's", perfect=True), long_form("dog's")
    ('Do not', 'she is', 'she has', None)
    """
    key = word.lower().replace("’", "'")
    found = _long_forms().get(key)
    if found is None:
        return None
    if perfect and key.endswith("'s"):
        found = found.removesuffix("is") + "has" if found.endswith(" is") else found
    if perfect and key.endswith("'d"):
        found = found.removesuffix("would") + "had"
    return in_case(found, word)


@cache
def _long_forms() -> dict[str, str]:
    forms = dict(IRREGULAR)
    forms |= {f"{verb}n't": f"{verb} not" for verb in NEGATED}
    forms |= {f"{who}'s": f"{who} is" for who in ARE}
    for who in PEOPLE:
        named = "I" if who == "i" else who
        forms |= {f"{who}'ll": f"{named} will", f"{who}'d": f"{named} would"}
    forms |= {f"{who}'re": f"{who} are" for who in ("you", "we", "they")}
    forms |= {
        f"{who}'ve": f"{'I' if who == 'i' else who} have" for who in ("i", "you", "we", "they")
    }
    return forms


@cache
def _short_forms() -> dict[tuple[str, str], str]:
    forms = {(verb, "not"): f"{verb}n't" for verb in NEGATED}
    forms |= {("will", "not"): "won't", ("can", "not"): "can't", ("let", "us"): "let's"}
    forms |= {(who, "is"): f"{who}'s" for who in ARE if who not in ("when", "how")}
    for who in PEOPLE:
        named = "I" if who == "i" else who
        forms |= {(who, "will"): f"{named}'ll", (who, "would"): f"{named}'d"}
    forms |= {(who, "are"): f"{who}'re" for who in ("you", "we", "they")}
    forms |= {("i", "am"): "I'm"}
    return forms


CONTRACTIONS = Perturbation(
    name="contractions",
    level="word",
    about="Writes contractions out and contracts what can be contracted.",
    example="I don't think it is late. → I do not think it's late.",
    function=contractions,
)
