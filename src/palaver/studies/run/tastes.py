"""What simulated raters say of two texts: drawn from strengths that are known, and the same each time.

How much better one of two is depends on how strong its system is, on how well it did just here
(which all raters see alike), on the rater's own leaning, and on chance. Raters differ in how they
lean and in how much is chance with them, so that statistics have something to hold.
"""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import exp, log
from typing import Any

from palaver.core.questions.comparative import Comparative
from palaver.core.questions.flow import Flow
from palaver.core.questions.question import Question
from palaver.core.situations import CONTROL, PEOPLE

# Of systems that a study gives no strength.
USUAL_STRENGTHS: Mapping[str, float] = {PEOPLE: 3.0, CONTROL: 2.4}
# How much the same system does better here and worse there, and how far raters lean, in logits.
PLACES, LEANINGS, CHANCE = 0.7, 0.4, 0.8
# From how many logits on somebody is sure.
SURE = 1.3
COMMENTED = 0.1
COMMENTS = (
    "Both say much the same; one says it more kindly.",
    "This one read the question properly.",
    "Too general to be of use to anybody.",
    "I would not have dared to say it so plainly, but it is right.",
    "Hard to tell: neither asks what happened before.",
)
# How often each way of being worse is named, by how clearly the text lost: just so, and by far.
_WORSE: Mapping[str, tuple[float, float]] = {
    **{"helpful": (6.0, 1.0), "nothelpful": (2.0, 4.0), "dangerous": (0.2, 1.5)},
    **{"writing": (3.0, 1.0), "meaning": (2.0, 2.0)},
    **{"neutral": (3.0, 2.0), "contradiction": (1.0, 2.0)},
}


@dataclass(frozen=True, slots=True)
class SidePreference:
    """Which side of the screen a rater prefers, and by how many logits."""

    side: str
    margin: float

    @property
    def is_sure(self) -> bool:
        return self.margin > SURE


@dataclass(frozen=True, slots=True)
class Taste:
    """One rater's; `strengths` are the same for all."""

    seed: int
    rater: int
    strengths: Mapping[str, float] = field(default_factory=dict)

    def verdict(self, place: str, systems: Sequence[str]) -> SidePreference:
        """Which of two systems this rater prefers here; `systems` as they stand on the screen.

        Whoever stands first has no advantage: the same two in the other order give the same winner.
        """
        one, other = sorted(systems)
        margin = self._merit(place, one) - self._merit(place, other)
        dice = self._dice(place, one, other)
        noise = min(max(dice.random(), 1e-9), 1 - 1e-9)
        margin += self._chance * log(noise / (1 - noise))
        winner = one if margin > 0 else other
        return SidePreference("ab"[list(systems).index(winner)], abs(margin))

    def answer(self, question: Question, verdict: SidePreference, place: str) -> Any:
        """What this rater says to a question about the two; None leaves it out."""
        dice = self._dice(place, question.name)
        if isinstance(question, Comparative):
            return _preference(question, verdict)
        if isinstance(question, Flow):
            return _walked(question, verdict, dice)
        if question.level == "text":
            return dice.choice(COMMENTS) if question.required or dice.random() < COMMENTED else None
        return dice.choice(question.codebook).value if question.codebook else None

    def seconds(self, place: str) -> float:
        """How long it took."""
        return round(exp(self._dice(place, "seconds").gauss(3.9, 0.5)), 1)

    @property
    def _chance(self) -> float:
        return CHANCE * self._dice("chance").uniform(0.6, 1.6)

    def _merit(self, place: str, system: str) -> float:
        strength = self.strengths.get(system, USUAL_STRENGTHS.get(system, 1.0))
        here = random.Random(f"{self.seed}\n{place}\n{system}").gauss(0, PLACES)
        leaning = self._dice("leaning").gauss(0, LEANINGS)
        return log(strength) + here + (0.0 if system in USUAL_STRENGTHS else leaning)

    def _dice(self, *about: str) -> random.Random:
        return random.Random("\n".join((f"{self.seed}:{self.rater}", *about)))


def _preference(question: Comparative, verdict: SidePreference) -> str:
    """The side, and the strongest degree or the weakest where there are degrees."""
    offered = [answer for answer, _, _ in question.offered if answer.endswith(verdict.side)]
    return max(offered) if verdict.is_sure else min(offered)


def _walked(question: Flow, verdict: SidePreference, dice: random.Random) -> dict[str, Any]:
    """One answer to each step that opens on the way."""
    clear = min(1.0, verdict.margin / (2 * SURE))
    given: dict[str, Any] = {}
    while step := next((s for s in question.visible(given) if s.id not in given), None):
        odds = [_odds(answer.id, clear) for answer in step.answers]
        chosen = dice.choices(step.answers, odds)[0].id
        given[step.id] = [chosen] if step.type == "checkbox" else chosen
    return given


def _odds(answer: str, clear: float) -> float:
    narrowly, clearly = _WORSE.get(answer, (1.0, 1.0))
    return narrowly + clear * (clearly - narrowly)
