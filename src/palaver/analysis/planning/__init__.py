"""Planning: how large a study must be, by simulation through the analysis that will be run."""

from palaver.analysis.planning.assumptions import Assumptions, assume
from palaver.analysis.planning.continuation import MOST_TIMES, Continuation, continuation
from palaver.analysis.planning.pilot import Components, pilot_components
from palaver.analysis.planning.plan import Plan, first_guess, plan
from palaver.analysis.planning.search import PowerPoint

__all__ = [
    "MOST_TIMES",
    "Assumptions",
    "Components",
    "Continuation",
    "Plan",
    "PowerPoint",
    "assume",
    "continuation",
    "first_guess",
    "pilot_components",
    "plan",
]
