"""A made-up crowd of raters who are honest, hurried, of strong tastes, or do not read at all.

Units have a quality, raters a taste, a pace and some noise; 3 raters judge each dialogue on three
scales of 5 points, a rare label (1 in 20) and a choice of two sides.
"""

from collections import defaultdict
from dataclasses import dataclass, field
from math import log
from random import Random

from palaver.analysis.behaviour import ReadSheet, hurried, unread
from palaver.analysis.straight_lines import Chosen, straight_lines

# How fast people read, and the words of a dialogue.
READ_PER_MINUTE, WORDS = 240, 150
SCALES = ("quality", "fluent", "kind")
QUESTIONS = {**dict.fromkeys(SCALES, "12345"), "wrong": ("no", "yes"), "better": "ab"}


@dataclass
class Crowd:
    """Who judged, by kind, and what is known of their work."""

    kinds: dict[int, str] = field(default_factory=dict)
    times: dict[str, dict[int, list[float]]] = field(default_factory=dict)
    sheets: list[ReadSheet] = field(default_factory=list)
    answers: list[Chosen] = field(default_factory=list)

    def flagged(self) -> dict[str, set[int]]:
        """The raters under each flag."""
        return {
            "too fast": {*hurried(self.times), *unread(self.sheets)},
            "straight-lining": set(straight_lines(self.answers)),
        }

    def rates(self) -> dict[str, dict[str, float]]:
        """The share of each kind of rater that is under each flag."""
        members = defaultdict(set)
        for rater, kind in self.kinds.items():
            members[kind].add(rater)
        flagged = self.flagged()
        return {
            kind: {name: len(some & who) / len(who) for name, some in flagged.items()}
            for kind, who in members.items()
        }


def crowd(seed: int, who: dict[str, int], *, sheets: int = 24) -> Crowd:
    """So many raters of each kind, each with so many sheets."""
    draws = Random(seed)
    made = Crowd(dict(enumerate(kind for kind, count in who.items() for _ in range(count))))
    qualities = [draws.gauss(0, 1) for _ in range(len(made.kinds) * sheets // 3 + 1)]
    for rater, kind in made.kinds.items():
        _work(made, rater, kind, draws.sample(range(len(qualities)), sheets), qualities, draws)
    return made


def _work(
    made: Crowd, rater: int, kind: str, units: list[int], qualities: list[float], draws: Random
) -> None:
    extreme = {"lenient": 1.8, "severe": -1.8}.get(kind, draws.gauss(0, 0.5))
    tastes = {name: extreme + draws.gauss(0, 0.3) for name in SCALES}
    per_minute = (
        READ_PER_MINUTE * (2 if kind == "quick reader" else 1) * draws.lognormvariate(0, 0.2)
    )
    clicking = draws.lognormvariate(log(1.5), 0.3)
    favourite = draws.choice("345")
    for n, unit in enumerate(units):
        tired = kind == "tired" and n >= len(units) / 2
        gave_up = tired or kind in ("clicker", "slow clicker")
        words = round(WORDS * draws.lognormvariate(0, 0.3))
        is_read = not tired and kind not in ("clicker", "random")
        took = len(QUESTIONS) * clicking * draws.lognormvariate(0, 0.3)
        took += is_read * words / per_minute * 60 * draws.lognormvariate(0, 0.2)
        made.sheets.append(ReadSheet(rater, took, words))
        for question in QUESTIONS:
            answer = (
                draws.choice(QUESTIONS[question])
                if kind == "random"
                else {"wrong": "no", "better": "a"}.get(question, favourite)
                if gave_up
                else _honest(question, qualities[unit], tastes, draws)
            )
            # The time of a screen is shared evenly by its answers, as the pages do it.
            by_rater = made.times.setdefault(question, {})
            by_rater.setdefault(rater, []).append(took / len(QUESTIONS))
            place = answer if question in SCALES else None
            made.answers.append(Chosen(rater, question, unit, answer, place, 5 if place else 0))


def _honest(question: str, quality: float, tastes: dict[str, float], draws: Random) -> str:
    if question == "wrong":
        return "yes" if draws.random() < 0.05 else "no"
    if question == "better":
        return draws.choice("ab")
    felt = 3.4 + quality + tastes[question] + draws.gauss(0, 0.7)
    return str(min(5, max(1, round(felt))))
