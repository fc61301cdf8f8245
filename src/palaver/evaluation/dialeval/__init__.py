"""The DialEval tasks: predicting how annotators of help-desk dialogues are divided."""

from palaver.evaluation.dialeval.baselines import BASELINES, baseline
from palaver.evaluation.dialeval.gold import Gold, count_gold, read_gold
from palaver.evaluation.dialeval.predictions import Predictions, lay_out, read_predictions
from palaver.evaluation.dialeval.scoring import Scores, score

__all__ = [
    "BASELINES",
    "Gold",
    "Predictions",
    "Scores",
    "baseline",
    "count_gold",
    "lay_out",
    "read_gold",
    "read_predictions",
    "score",
]
