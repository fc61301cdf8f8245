"""What raters said of the advice that they found worse: how helpful it still is, and why it lost."""

from collections import Counter
from collections.abc import Sequence
from typing import get_args

from palaver.analysis.advice.intervals import judged_share
from palaver.analysis.advice.looks import ONCE, Looks
from palaver.analysis.advice.result import WorseAdvice
from palaver.analysis.advice.votes import is_anonymous
from palaver.analysis.resampling import encode
from palaver.core.estimates import Estimate
from palaver.core.numeric import np
from palaver.core.situations import AdviceJudgement, Helpfulness, Reason

STILL: tuple[Helpfulness, ...] = get_args(Helpfulness)
WHY: tuple[Reason, ...] = get_args(Reason)


def worse_advice(
    judgements: Sequence[AdviceJudgement], *, level: float, looks: Looks = ONCE
) -> WorseAdvice:
    """Of judgements that all found the same side worse: what they say of it."""
    told = [each for each in judgements if each.worse is not None]
    explained = [each for each in judgements if each.reason is not None]
    return WorseAdvice(
        judgements=len(judgements),
        still={
            name: _share(told, [each.worse == name for each in told], level, looks)
            for name in STILL
        },
        reasons={
            name: _share(explained, [each.reason == name for each in explained], level, looks)
            for name in WHY
        },
        why=dict(sorted(Counter(_both(each) for each in told).items())),
    )


def _both(judgement: AdviceJudgement) -> str:
    return ":".join(filter(None, (judgement.worse, judgement.reason)))


def _share(
    judgements: Sequence[AdviceJudgement], said: Sequence[bool], level: float, looks: Looks
) -> Estimate:
    rater = encode([n if is_anonymous(each) else each.rater for n, each in enumerate(judgements)])
    situation = encode([each.situation for each in judgements])
    values = np.array(said, dtype=float)
    return judged_share(values, rater.codes, situation.codes, level=level, looks=looks)
