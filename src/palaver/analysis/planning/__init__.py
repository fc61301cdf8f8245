"""Planning: how large a study must be, by simulation through the analysis that will be run."""

from palaver.analysis.planning.assumptions import Assumptions, assume
from palaver.analysis.planning.pilot import Components, pilot_components
from palaver.analysis.planning.plan import Plan, plan
from palaver.analysis.planning.search import PowerPoint

__all__ = [
    "Assumptions",
    "Components",
    "Plan",
    "PowerPoint",
    "assume",
    "pilot_components",
    "plan",
]
