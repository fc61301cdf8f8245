"""Scoring: metrics with intervals, by tag, what a run took, agreement on variants."""

from palaver.evaluation.scoring.agreement import agreement
from palaver.evaluation.scoring.result import Scored
from palaver.evaluation.scoring.scored_runs import rescore_run, score_run
from palaver.evaluation.scoring.scores import score_choice

__all__ = ["Scored", "agreement", "rescore_run", "score_choice", "score_run"]
