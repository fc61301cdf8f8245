"""Why a dialogue has no score although there is a prediction for it."""

from palaver.core.numeric import Numbers, np
from palaver.evaluation.dialeval.gold import Gold
from palaver.evaluation.dialeval.predictions import Predictions
from palaver.formats.dch2 import SCALES


def undefined_reasons(gold: Gold, predictions: Predictions, wanted: Numbers) -> dict[str, str]:
    """The reasons for the dialogues that are `wanted` (dialogues), by their id."""
    return {
        id_: "; ".join(_reasons(gold, predictions, n))
        for n, id_ in enumerate(gold.turns)
        if wanted[n]
    }


def _reasons(gold: Gold, predictions: Predictions, n: int) -> list[str]:
    found = []
    if "nd" in predictions.tasks:
        turns = np.flatnonzero(gold.dialogue_of == n)
        customers = int(gold.is_customer[turns].sum())
        found += [] if customers else ["there is no turn of the customer"]
        found += [] if customers < len(turns) else ["there is no turn of the helpdesk"]
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
