"""A study with enough answers to report on: five raters, several systems, every level."""

import random
from collections.abc import Sequence
from pathlib import Path

from palaver.storage import Store
from palaver.storage.studies.studies import register_study
from support.databases import new_sqlite
from support.reviewing import STUDY, Judging
from support.seeding import NOW

RATERS = ("ann", "bo", "cy", "di", "ed")
GOODNESS = {"terse": 2.4, "chatty": 3.6, "plain": 3.0}


def reported_study(
    folder: Path,
    *,
    systems: Sequence[str] = tuple(GOODNESS),
    dialogues: int = 8,
    seed: int = 4,
    hasty: Sequence[str] = (),
) -> Path:
    """A home with a study whose raters judged `dialogues` of each system; the folder of both.

    The `hasty` ones answer within half a second, and always for the first system.
    """
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "study.yaml").write_text(STUDY, encoding="utf-8")
    store = Store(new_sqlite(folder / "palaver.db"))
    try:
        study_id = store.write_now(
            lambda c: register_study(
                c, name="judged", title="Judged", digest="d", definition=STUDY, now=NOW
            )
        )
        judging = Judging(store, study_id)
        keys = _answers(judging, systems, dialogues, random.Random(seed))
        for rater in hasty:
            _hurry(judging, rater, keys)
    finally:
        store.close()
    return folder


def _answers(
    judging: Judging, systems: Sequence[str], dialogues: int, dice: random.Random
) -> dict[str, list[str]]:
    keys = {
        system: [judging.dialogue("Hello", "I see.", system=system) for _ in range(dialogues)]
        for system in systems
    }
    goodness = {system: GOODNESS.get(system, 3.0) for system in systems}
    for system, of in keys.items():
        for key in of:
            true = goodness[system] + dice.gauss(0, 0.8)
            for rater in RATERS:
                point = min(5, max(1, round(true + dice.gauss(0, 0.7))))
                seconds = round(dice.uniform(3, 12), 1)
                judging.say("quality", key, rater, point, seconds=seconds)
                warmth = min(10, max(0, round(2 * true + dice.gauss(0, 1))))
                judging.say("warmth", key, rater, warmth, seconds=seconds)
                polite = "yes" if true + dice.gauss(0, 1) > 2.5 else "no"
                judging.say("polite", key, rater, polite, seq=3)
                faults = ["dull"] if true + dice.gauss(0, 1) < 3 else []
                judging.say("faults", key, rater, faults, seq=3)
    for one, other in ((a, b) for n, a in enumerate(systems) for b in systems[n + 1 :]):
        for first, second in zip(keys[one], keys[other], strict=True):
            for rater in RATERS:
                apart = goodness[one] - goodness[other] + dice.gauss(0, 1.2)
                better = None if abs(apart) < 0.3 else (first if apart > 0 else second)
                judging.prefer(better, first, second, rater)
    return keys


def _hurry(judging: Judging, rater: str, keys: dict[str, list[str]]) -> None:
    favourite, *others = keys
    for system, of in keys.items():
        for key in of:
            judging.say("quality", key, rater, 5 if system == favourite else 1, seconds=0.5)
            judging.say("warmth", key, rater, 10 if system == favourite else 0, seconds=0.5)
    for other in others:
        for first, second in zip(keys[favourite], keys[other], strict=True):
            judging.prefer(first, first, second, rater)
