"""How far a submission is from what the annotators said, dialogue by dialogue.

ND: JSD and RNSS of each turn; a dialogue's is α times the mean over the customer's turns plus 1 − α
times the mean over the helpdesk's. DQ: RSNOD and NMD of each scale. A dialogue in which one side says
nothing has no ND score; a distribution that sums to 0 has no distance. Such dialogues are undefined:
they are counted, with the reason, and the mean is over the others.
"""

import math
from dataclasses import dataclass
from typing import Any

from palaver.analysis.item_means import SHARE, item_mean
from palaver.core.errors import InputError
from palaver.core.estimates import Estimate, html_table
from palaver.core.numeric import Numbers, np
from palaver.core.serial import plain
from palaver.evaluation.dialeval.gold import CountedGold
from palaver.evaluation.dialeval.predictions import Predictions
from palaver.formats.dch2 import SCALES
from palaver.formats.submissions import Task
from palaver.metrics.distances import jsd, nmd, rnss, rsnod
from palaver.metrics.nuggets import ALPHA, dialogue_distances

# Every score, by task: what is measured, and on which scale.
MEASURES: dict[Task, tuple[str, ...]] = {
    "nd": ("jsd", "rnss"),
    "dq": tuple(f"{distance}-{scale}" for scale in SCALES for distance in ("rsnod", "nmd")),
}
NONE_SCORED = "no dialogue has a score"


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one submission.

    `values` holds, by measure, a number per dialogue of `ids`: NaN where it is undefined or missing.
    `missing` are the dialogues without a usable prediction of something that is scored, `undefined`
    says of the others why a score of theirs is undefined.
    """

    ids: list[str]
    tasks: tuple[Task, ...]
    values: dict[str, Numbers]
    missing: tuple[str, ...]
    undefined: dict[str, str]

    def mean(self, measure: str, *, neg_log2: bool = False) -> float:
        """The mean over the dialogues that have this score, NaN if none has; or −log₂ of it."""
        scored = self._scored(measure)
        if not len(scored):
            return math.nan
        found = math.fsum(scored) / len(scored)
        if not neg_log2:
            return found
        return -math.log2(found) if found > 0 else math.inf

    def estimate(self, measure: str) -> Estimate:
        """The mean with its interval over dialogues."""
        # Every distance lies between 0 and 1.
        found = item_mean(self.values[measure], SHARE)
        return found if found.n else Estimate.undefined(NONE_SCORED)

    def rows(self) -> list[dict[str, Any]]:
        """One row per dialogue: every score, and why one is not there."""
        gone = set(self.missing)
        return [
            {"dialogue": id_}
            | {measure: plain(values[n]) for measure, values in self.values.items()}
            | {"reason": "no prediction" if id_ in gone else self.undefined.get(id_, "")}
            for n, id_ in enumerate(self.ids)
        ]

    def as_json(self, *, neg_log2: bool = False) -> dict[str, Any]:
        """The means of what the submission holds, and how many dialogues have none.

        `estimates` are the means with their intervals, by measure. `dialogues` counts the gold data;
        `undefined` and `missing` are among them.
        """
        found: dict[str, Any] = {}
        for task in self.tasks:
            found[task] = _nested(
                {name: plain(self.mean(name, neg_log2=neg_log2)) for name in MEASURES[task]}
            )
        return found | {
            "estimates": {
                name: plain(self.estimate(name)) for task in self.tasks for name in MEASURES[task]
            },
            "dialogues": len(self.ids),
            "undefined": len(self.undefined),
            "missing": len(self.missing),
        }

    def _scored(self, measure: str) -> Numbers:
        values = self.values[measure]
        found: Numbers = values[~np.isnan(values)]
        return found

    def _repr_html_(self) -> str:
        return html_table(
            [{"measure": measure} | plain(self.estimate(measure)) for measure in self.values]
        )


def score(gold: CountedGold, predictions: Predictions, *, alpha: float = ALPHA) -> Scores:
    """The scores of predictions that are laid out as the gold data are."""
    if not 0 <= alpha <= 1:
        raise InputError(f"Alpha must be between 0 and 1; got {alpha}.")
    for task in predictions.tasks:
        if not (gold.nuggets if task == "nd" else gold.quality).any():
            what = "nugget" if task == "nd" else "quality"
            raise InputError(
                f"{gold.name} has no annotations of '{what}', so nothing can be scored."
            )
    values: dict[str, Numbers] = {}
    answered = np.ones(len(gold), dtype=bool)
    if "nd" in predictions.tasks:
        answered &= predictions.has_nuggets
        values |= _nugget_scores(gold, predictions, alpha)
    if "dq" in predictions.tasks:
        answered &= predictions.has_quality.all(axis=1)
        values |= _quality_scores(gold, predictions)
    ids = gold.ids
    return Scores(
        ids=ids,
        tasks=predictions.tasks,
        values=values,
        missing=tuple(ids[n] for n in np.flatnonzero(~answered)),
        undefined=_undefined_reasons(gold, predictions, _holes(values) & answered),
    )


def _nugget_scores(gold: CountedGold, predictions: Predictions, alpha: float) -> dict[str, Numbers]:
    return {
        name: np.where(
            predictions.has_nuggets,
            dialogue_distances(
                distance,
                predictions.nuggets,
                gold.nuggets,
                dialogue_of=gold.dialogue_of,
                is_customer=gold.is_customer,
                dialogues=len(gold),
                alpha=alpha,
            ),
            np.nan,
        )
        for name, distance in (("jsd", jsd), ("rnss", rnss))
    }


def _quality_scores(gold: CountedGold, predictions: Predictions) -> dict[str, Numbers]:
    distances = {"rsnod": rsnod, "nmd": nmd}
    by_name = {name: f(predictions.quality, gold.quality) for name, f in distances.items()}
    found = {}
    for measure in MEASURES["dq"]:
        name, scale = measure.split("-")
        column = SCALES.index(scale)
        found[measure] = np.where(
            predictions.has_quality[:, column], by_name[name][:, column], np.nan
        )
    return found


def _holes(values: dict[str, Numbers]) -> Numbers:
    """The dialogues that lack a score."""
    found: Numbers = np.isnan(np.column_stack(list(values.values()))).any(axis=1)
    return found


def _nested(means: dict[str, Any]) -> dict[str, Any]:
    """`rsnod-A` under A, as `rsnod`; what has no scale stays."""
    found: dict[str, Any] = {}
    for measure, value in means.items():
        name, _, scale = measure.partition("-")
        if scale:
            found.setdefault(scale, {})[name] = value
        else:
            found[name] = value
    return found


def _undefined_reasons(
    gold: CountedGold, predictions: Predictions, wanted: Numbers
) -> dict[str, str]:
    """Why dialogues that are `wanted` have no score although there is a prediction, by their id."""
    return {
        id_: "; ".join(_reasons(gold, predictions, n))
        for n, id_ in enumerate(gold.turns)
        if wanted[n]
    }


def _reasons(gold: CountedGold, predictions: Predictions, n: int) -> list[str]:
    found = []
    if "nd" in predictions.tasks:
        turns = np.flatnonzero(gold.dialogue_of == n)
        customers = int(gold.is_customer[turns].sum())
        found += [] if customers else ["the customer has no turn"]
        found += [] if customers < len(turns) else ["the helpdesk has no turn"]
        for number, turn in enumerate(turns, start=1):
            found += _empty(f"turn {number}", gold.nuggets[turn], predictions.nuggets[turn])
    if "dq" in predictions.tasks:
        for column, scale in enumerate(SCALES):
            here = gold.quality[n, column], predictions.quality[n, column]
            found += _empty(f"scale {scale}", *here)
    return found


def _empty(where: str, counts: Numbers, shares: Numbers) -> list[str]:
    if not counts.any():
        return [f"the gold data have no label for {where}"]
    return [] if shares.any() else [f"the probabilities for {where} sum to 0"]
