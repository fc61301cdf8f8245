"""Choosing where changes happen: spread over a text, at least one where there is a place at all."""

from dataclasses import dataclass

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.draws import Draws


@dataclass(frozen=True, slots=True)
class Chosen:
    """Chosen places with their texts; `turns` numbers those of one text from 0.

    `picks` are their numbers among all candidates; `firsts` and `counts` say where among them the
    candidates of the same text lie.
    """

    places: Numbers
    picks: Numbers
    rows: Numbers
    turns: Numbers
    firsts: Numbers
    counts: Numbers


def spread(
    corpus: Corpus, candidates: Numbers, draws: Draws, *, every: int, purpose: int = 0
) -> Chosen:
    """One of `every` candidates of each text, but at least one, drawn from equal stretches.

    `candidates` are sorted places. No place is drawn twice, and none of the text is left out.
    """
    firsts = np.searchsorted(candidates, corpus.starts)
    counts = np.searchsorted(candidates, corpus.stops) - firsts
    wanted = np.where(counts > 0, np.maximum(1, counts // every), 0)
    rows = np.repeat(np.arange(len(wanted)), wanted)
    turns = np.arange(len(rows)) - np.repeat(np.cumsum(wanted) - wanted, wanted)
    n, k = counts[rows], wanted[rows]
    low, high = turns * n // k, (turns + 1) * n // k
    picks = firsts[rows] + low + draws.numbers(rows, turns, high - low, purpose=purpose)
    return Chosen(candidates[picks], picks, rows, turns, firsts[rows], n)
