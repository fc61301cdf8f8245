"""Words as people misspell them."""

from functools import cache

from palaver.core.numeric import np
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.draws import Draws, spread
from palaver.evaluation.perturbations.edits import Edits, written
from palaver.evaluation.perturbations.perturbation import Perturbation
from palaver.evaluation.perturbations.vocabulary import in_case, lines, looked_up

# One in so many words that have a known misspelling.
EVERY = 2


def spelling(corpus: Corpus, draws: Draws) -> Edits:
    """Words replaced by a common misspelling of theirs."""
    words, vocabulary, known = corpus.words, corpus.vocabulary, misspellings()
    table: list[str] = []
    counts: list[int] = []

    def first(word: str) -> int | None:
        wrong = known.get(word.lower())
        counts.append(len(wrong) if wrong else 0)
        if wrong is None:
            return None
        table.extend(in_case(each, word) for each in wrong)
        return len(table) - len(wrong)

    firsts = looked_up(vocabulary.words, first)
    hits = np.flatnonzero((firsts[vocabulary.ids] >= 0) & words.free)
    chosen = spread(corpus, words.starts[hits], draws, every=EVERY)
    picked = hits[chosen.picks]
    ids = vocabulary.ids[picked]
    options = np.array(counts, dtype=np.int64)[ids]
    which = firsts[ids] + draws.numbers(chosen.rows, chosen.turns, options, purpose=1)
    return written(words.starts[picked], words.stops[picked], which, table)


@cache
def misspellings() -> dict[str, tuple[str, ...]]:
    found = {}
    for line in lines("misspellings"):
        word, _, wrong = line.partition(": ")
        found[word] = tuple(wrong.split())
    return found


SPELLING = Perturbation(
    name="spelling",
    level="word",
    about="Replaces every second word that has a common misspelling with it.",
    example="I definitely received it. → I definately received it.",
    function=spelling,
)
