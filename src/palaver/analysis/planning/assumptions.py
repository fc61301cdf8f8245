"""What a plan takes for granted: the outcome, who judges how often, and how much things vary."""

from dataclasses import dataclass, replace
from math import isfinite, sqrt
from typing import ClassVar, Literal

from palaver.core.errors import InputError

Outcome = Literal["votes", "rating", "proportion"]
Cluster = Literal["rater", "dialogue", "both"]

# Below this many raters a plan says that more of them would need fewer judgements.
FEW_RATERS = 10
MEANING: dict[Outcome, str] = {
    "votes": (
        "the better system's win rate is 50 % plus the difference, ties counting half: "
        "0.10 is 60 to 40"
    ),
    "rating": "the two systems' mean ratings differ by this many points of the scale",
    "proportion": "the share of dialogues with the label is this much larger for one system",
}
# Middling values for judgements of whole dialogues; a pilot of one's own is better than any of them.
DEFAULTS: dict[Outcome, dict[str, float]] = {
    "votes": {"rater_sd": 0.3, "taste_sd": 0.0, "item_sd": 0.5, "residual_sd": 0.0, "ties": 0.2},
    "rating": {"rater_sd": 0.5, "taste_sd": 0.2, "item_sd": 0.5, "residual_sd": 0.8, "ties": 0.0},
    "proportion": {
        "rater_sd": 0.5,
        "taste_sd": 0.2,
        "item_sd": 0.5,
        "residual_sd": 0.0,
        "ties": 0.0,
    },
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Assumptions:
    """A study that is to be planned.

    Deviations are standard deviations: of a rating in points; of votes and proportions in log-odds.
    `rater_sd` is how far raters differ in how high they rate (of votes: in which system they prefer),
    `taste_sd` how far they differ in the difference they see between two systems, `item_sd` how far
    dialogues of one system differ, `residual_sd` the rest, in which a rater would differ from
    themselves. `ties` is how often equal systems tie. `base` is the proportion of the lesser system.
    `per_dialogue` raters judge each dialogue, or each comparison. `cluster` is what the analysis
    takes for independent. `minutes` are those of one judgement.
    """

    derived: ClassVar[tuple[str, ...]] = ("meaning",)

    outcome: Outcome
    difference: float
    raters: int
    per_dialogue: int
    systems: int
    alpha: float
    cluster: Cluster
    rater_sd: float
    taste_sd: float
    item_sd: float
    residual_sd: float
    ties: float
    base: float | None
    minutes: float

    @property
    def meaning(self) -> str:
        return MEANING[self.outcome]

    @property
    def pairs(self) -> int:
        return self.systems * (self.systems - 1) // 2

    @property
    def level(self) -> float:
        """The level at which one pair is tested: Bonferroni's share of alpha."""
        return self.alpha / self.pairs

    @property
    def block(self) -> int:
        """How many dialogues (of votes: comparisons) treat every system alike."""
        return self.pairs if self.outcome == "votes" else self.systems

    @property
    def raters_are_fixed(self) -> bool:
        """Whether the difference is that which these raters see, and not raters in general."""
        return self.cluster == "dialogue"


def assume(
    outcome: Outcome,
    difference: float,
    raters: int,
    *,
    per_dialogue: int = 1,
    systems: int = 2,
    alpha: float = 0.05,
    cluster: Cluster | None = None,
    base: float | None = None,
    minutes: float = 2.0,
    sd: float | None = None,
    icc: float | None = None,
    **deviations: float | None,
) -> Assumptions:
    """Assumptions with the middling value for whatever is not given.

    `sd` and `icc` are another way to say `item_sd` and `residual_sd` of ratings: the deviation of
    ratings by one rater, and the share of its square that lies between dialogues. Without `cluster`
    the analysis clusters by rater, as it does where raters are known, and by rater and dialogue where
    a dialogue has several raters; by dialogue where there is one rater.

    >>> assume("votes", 0.1, 20).cluster, assume("votes", 0.1, 20, per_dialogue=2).cluster
    ('rater', 'both')
    """
    if outcome not in DEFAULTS:
        raise InputError(f"An outcome is one of {', '.join(DEFAULTS)}; got '{outcome}'.")
    unknown = deviations.keys() - DEFAULTS[outcome].keys()
    if unknown:
        raise InputError(f"There is no assumption '{min(unknown)}'.")
    given = {name: value for name, value in deviations.items() if value is not None}
    if sd is not None or icc is not None:
        given |= _from_icc(outcome, given, sd, icc)
    usual: Cluster = "both" if per_dialogue > 1 else "rater" if raters > 1 else "dialogue"
    found = Assumptions(
        outcome=outcome,
        difference=difference,
        raters=raters,
        per_dialogue=per_dialogue,
        systems=systems,
        alpha=alpha,
        cluster=cluster or usual,
        base=base,
        minutes=minutes,
        **{**DEFAULTS[outcome], **given},
    )
    _check(found, given)
    if outcome == "proportion" and base is None:
        # Half-way around ½, where proportions vary most and most dialogues are needed.
        found = replace(found, base=0.5 - difference / 2)
    return found


def _from_icc(
    outcome: Outcome, given: dict[str, float], sd: float | None, icc: float | None
) -> dict[str, float]:
    if outcome != "rating" or given.keys() & {"item_sd", "residual_sd"}:
        raise InputError(
            "An icc or sd says how ratings vary, in place of the deviations of items and of the "
            "rest; give one or the other, for ratings."
        )
    usual = DEFAULTS["rating"]
    whole = sqrt(usual["item_sd"] ** 2 + usual["residual_sd"] ** 2) if sd is None else sd
    share = (usual["item_sd"] / whole) ** 2 if icc is None else icc
    if not 0 <= share <= 1 or not whole > 0:
        raise InputError(
            f"An icc must be between 0 and 1 and an sd above 0; got {share} and {whole}."
        )
    return {"item_sd": whole * sqrt(share), "residual_sd": whole * sqrt(1 - share)}


def _check(found: Assumptions, given: dict[str, float]) -> None:
    _check_difference(found)
    if found.raters < 1 or not 1 <= found.per_dialogue <= found.raters:
        raise InputError(
            f"A plan needs one rater or more, and no more per dialogue than there are; got "
            f"{found.raters} raters and {found.per_dialogue} per dialogue."
        )
    if found.systems < 2:
        raise InputError(f"A plan compares two systems or more; got {found.systems}.")
    if not 0 < found.alpha < 1:
        raise InputError(f"A level of significance must be between 0 and 1; got {found.alpha}.")
    if not 0 <= found.ties < 1 or (found.ties and found.outcome != "votes"):
        raise InputError(
            f"Ties are a share of votes, at least 0 and below 1; got {found.ties} for "
            f"{found.outcome}."
        )
    if found.outcome == "votes" and found.taste_sd:
        raise InputError(
            "Votes are about a difference already: how much raters differ is their rater deviation, "
            "and there is no deviation of taste."
        )
    if found.outcome != "rating" and found.residual_sd:
        raise InputError(f"Only ratings have a residual deviation; got one for {found.outcome}.")
    for name, value in (*given.items(), ("minutes", found.minutes)):
        if not (isfinite(value) and value >= 0):
            raise InputError(f"'{name}' is a number of 0 or more; got {value}.")
    if found.cluster not in ("rater", "dialogue", "both"):
        raise InputError(f"A cluster is rater, dialogue or both; got '{found.cluster}'.")
    if found.cluster != "dialogue" and found.raters < 2:
        raise InputError("One rater says nothing about how raters differ: cluster by dialogue.")


def _check_difference(found: Assumptions) -> None:
    most = {"votes": 0.5, "proportion": 1.0}.get(found.outcome, float("inf"))
    if not 0 < found.difference < most:
        limit = "" if most == float("inf") else f" and below {most:g}"
        raise InputError(
            f"A difference to look for is above 0{limit}; got {found.difference}. "
            f"It means: {MEANING[found.outcome]}."
        )
    if found.base is not None and (
        found.outcome != "proportion" or not 0 < found.base < 1 - found.difference
    ):
        raise InputError(
            f"A base is the lesser proportion, above 0 and below 1 less the difference; got "
            f"{found.base} for {found.outcome} and a difference of {found.difference}."
        )
