"""How far raters agree: coefficients, their intervals, and who agrees with whom.

`measure` computes every coefficient of a list of judgements, `agreement` only Krippendorff's α,
`alpha_from_matrix` the same from an array. `pairwise` and `per_rater` say who agrees with whom,
`judge_beside_people` how an automatic judge compares with people. Intervals are for these raters, or
with `draw="raters"` for raters like these.
"""

from palaver.analysis.agreement.alpha import (
    RESAMPLES,
    Agreement,
    agreement,
    agreement_per_label,
    alpha_from_matrix,
    alpha_of,
    clusters_of,
)
from palaver.analysis.agreement.coefficients import Coefficients, measure, measured
from palaver.analysis.agreement.icc import Intraclass, intraclass
from palaver.analysis.agreement.judge_result import MEASURES, JudgeBesidePeople, PersonTest
from palaver.analysis.agreement.judges import judge_beside_people
from palaver.analysis.agreement.kappas import CLOSENESS, Closeness
from palaver.analysis.agreement.raters import (
    Pairwise,
    RaterAgreement,
    RaterPair,
    pairwise,
    pairwise_of,
    per_rater,
    per_rater_of,
)
from palaver.analysis.agreement.ratings import (
    LEVELS,
    NO_PAIRS,
    NO_VARIATION,
    Judgement,
    Measured,
    Ratings,
    has_twins,
    ratings_of,
    read_judgements,
)
from palaver.analysis.agreement.sampling import DRAWS, METHODS, Draw, Method, SamplingSettings

__all__ = [
    "CLOSENESS",
    "DRAWS",
    "LEVELS",
    "MEASURES",
    "METHODS",
    "NO_PAIRS",
    "NO_VARIATION",
    "RESAMPLES",
    "Agreement",
    "Closeness",
    "Coefficients",
    "Draw",
    "Intraclass",
    "JudgeBesidePeople",
    "Judgement",
    "Measured",
    "Method",
    "Pairwise",
    "PersonTest",
    "RaterAgreement",
    "RaterPair",
    "Ratings",
    "SamplingSettings",
    "agreement",
    "agreement_per_label",
    "alpha_from_matrix",
    "alpha_of",
    "clusters_of",
    "has_twins",
    "intraclass",
    "judge_beside_people",
    "measure",
    "measured",
    "pairwise",
    "pairwise_of",
    "per_rater",
    "per_rater_of",
    "ratings_of",
    "read_judgements",
]
