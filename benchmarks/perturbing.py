"""Perturbing sentences, each perturbation by itself, beside nlpaug where it has the like.

Ours is measured from texts to texts: laid out, drawn for, changed, cut apart again. Words are looked
for anew by every perturbation, although a real run looks for them once.
"""

import random
from typing import Any

from benchmarks.statistics_measuring import extrapolated, side, timed
from benchmarks.table import Figure
from palaver.core.numeric import np
from palaver.evaluation.perturbations import find_perturbation, known_perturbations
from palaver.evaluation.perturbations.corpus import Corpus
from palaver.evaluation.perturbations.draws import make_draws, variant_seeds
from palaver.evaluation.perturbations.edits import changed_texts

HERE = __name__
GOALS = {"character": 300_000, "word": 100_000}
# Ours, and what nlpaug calls the same.
LIKE = {"typos": "RandomCharAug", "keyboard": "KeyboardAug", "spelling": "SpellingAug"}
WORDS = (
    "the a of it is not he she her his Mary John I don't really beautiful station nearest receive "
    "where which because people said that will you are we modern hotel restaurant service was and "
    "with their waiter friendly food price expensive cannot before after something Jamal mother"
)


def run(*, sentences: int, theirs: int) -> tuple[list[Figure], Any]:
    """Sentences per second of every perturbation of texts."""
    found = [each for kind in ("fairness", "robustness") for each in known_perturbations(kind)]
    figures, measured = [], {}
    for each in found:
        ours = side(f"{HERE}:ours", perturbation=each.name, sentences=sentences)
        other = None
        if each.name in LIKE:
            some = side(f"{HERE}:nlpaug", perturbation=each.name, sentences=theirs)
            other = extrapolated({"seconds": some["seconds"]}, done=theirs, wanted=sentences)
        measured[each.name] = {"ours": ours, "nlpaug": other}
        beside = f" (floor: nlpaug {LIKE[each.name]})" if other else ""
        least = GOALS[each.level]
        figures.append(
            Figure(
                f"{each.name}, {each.level} level{beside}",
                sentences / ours["seconds"],
                sentences / other["seconds"] if other else None,
                "/s",
                goal=f"≥ {least:,}/s",
                met=lambda figure, least=least: figure.ours >= least,
            )
        )
    return figures, measured


def ours(*, perturbation: str, sentences: int) -> dict[str, Any]:
    """One perturbation on all sentences."""
    texts, found = _sentences(sentences), find_perturbation(perturbation)
    uids = [f"item-{n}_{perturbation}" for n in range(sentences)]
    numbers = np.arange(sentences)

    def work() -> None:
        draws = make_draws(variant_seeds(1, uids), numbers, np.zeros_like(numbers))
        corpus = Corpus(texts)
        changed_texts(corpus, found.function(corpus, draws))

    return timed(work, rounds=5)


def nlpaug(*, perturbation: str, sentences: int) -> dict[str, Any]:
    """The same by nlpaug."""
    import nlpaug.augmenter.char as characters
    import nlpaug.augmenter.word as words

    texts = _sentences(sentences)
    augmenters = {
        "typos": lambda: characters.RandomCharAug(action="swap"),
        "keyboard": characters.KeyboardAug,
        "spelling": words.SpellingAug,
    }
    augmenter = augmenters[perturbation]()
    return timed(lambda: augmenter.augment(texts))


def _sentences(count: int) -> list[str]:
    draws, words = random.Random(1), WORDS.split()
    return [f"The {' '.join(draws.choices(words, k=draws.randint(5, 15)))}." for _ in range(count)]
