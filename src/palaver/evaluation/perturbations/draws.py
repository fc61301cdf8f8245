"""Random numbers that depend on the variant and on nothing else, and places drawn with them.

A draw is a hash of the seed, the uid of the variant and the place it is for, so a variant comes out
the same in any order, in any piece and on any machine, and a whole corpus is drawn for at once.

G. L. Steele, D. Lea, C. H. Flood (2014), Fast splittable pseudorandom number generators, OOPSLA:
the mixing function is theirs (SplitMix64).
"""

import random
import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from palaver.core.numeric import Numbers, np
from palaver.evaluation.perturbations.corpus import Corpus

_MASK = (1 << 64) - 1
_STEP = 0x9E3779B97F4A7C15
_PURPOSES = 16


@dataclass(frozen=True, slots=True)
class Draws:
    """Seeds of the texts of a corpus, and of the variant that each text belongs to."""

    texts: Numbers
    variants: Numbers

    def numbers(
        self, rows: Numbers, keys: Numbers, below: Numbers | int, *, purpose: int = 0
    ) -> Numbers:
        """Whole numbers from 0 to `below` − 1 for the texts `rows`, one per key."""
        return _below(self.texts[rows], keys, below, purpose)

    def shared(
        self, rows: Numbers, keys: Numbers, below: Numbers | int, *, purpose: int = 0
    ) -> Numbers:
        """The same, but equal in all texts of one variant: for names that must stay one name."""
        return _below(self.variants[rows], keys, below, purpose)

    def generator(self, row: int) -> random.Random:
        """A generator of its own for one text."""
        return random.Random(int(self.texts[row]))


@dataclass(frozen=True, slots=True)
class ChosenPlaces:
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


def variant_seeds(seed: int, uids: Sequence[str]) -> Numbers:
    """One seed per variant, of the seed that was given and the variant's uid."""
    checks = [zlib.crc32(uid.encode("utf-8", "surrogatepass")) for uid in uids]
    start = np.array([seed & _MASK], dtype=np.uint64)
    return _mixed(np.array(checks, dtype=np.uint64) * np.uint64(_STEP) + _mixed(start))


def make_draws(variants: Numbers, owners: Numbers, numbers: Numbers) -> Draws:
    """The draws of texts: which variant each belongs to, and its number within it."""
    whole = variants[owners]
    steps = (numbers.astype(np.uint64) + np.uint64(1)) * np.uint64(_STEP)
    return Draws(_mixed(whole + steps), whole)


def spread(
    corpus: Corpus, candidates: Numbers, draws: Draws, *, every: int, purpose: int = 0
) -> ChosenPlaces:
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
    return ChosenPlaces(candidates[picks], picks, rows, turns, firsts[rows], n)


def _below(seeds: Numbers, keys: Numbers, below: Numbers | int, purpose: int) -> Numbers:
    place = np.asarray(keys).astype(np.uint64) * np.uint64(_PURPOSES) + np.uint64(purpose + 1)
    high = _mixed(seeds + place * np.uint64(_STEP)) >> np.uint64(32)
    return ((high * np.asarray(below).astype(np.uint64)) >> np.uint64(32)).astype(np.int64)


def _mixed(numbers: Numbers) -> Numbers:
    mixed: Numbers = (numbers ^ (numbers >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
