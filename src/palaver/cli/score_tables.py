"""Scores as a stranger reads them in a terminal."""

from collections.abc import Sequence

from palaver.core.estimates import Estimate
from palaver.evaluation.dialeval.scoring import MEASURES, Scores
from palaver.evaluation.distribution_tables import DistributionScores
from palaver.metrics.distances import distance_title


def scores_text(name: str, scores: Scores, *, neg_log2: bool, alpha: float) -> str:
    """The means of a submission as a table, with what they are made of."""
    lines = [f"{name}: {len(scores.ids)} dialogues"]
    lines[0] += f", {len(scores.missing)} missing" if scores.missing else ""
    lines[0] += f", {len(scores.undefined)} undefined" if scores.undefined else ""
    lines += ["", f"{'':5}{'measure':10}{'mean':>10}{'95 % interval':>22}{'n':>8}"]
    lines[-1] += f"{'−log₂ mean':>13}" if neg_log2 else ""
    for task in scores.tasks:
        for measure in MEASURES[task]:
            found = scores.estimate(measure)
            lines.append(f"{task.upper():5}{distance_title(measure):10}{_numbers(found)}")
            if neg_log2:
                lines[-1] += f"{scores.mean(measure, neg_log2=True):13.4f}"
    lines.append("")
    if "nd" in scores.tasks:
        lines.append(f"ND: {alpha:g} × customer's turns + {1 - alpha:g} × helpdesk's turns.")
    lines.append(_FOOT.format(what="dialogues"))
    lines += _warnings([scores.estimate(measure) for measure in scores.values])
    return "\n".join(lines)


def distributions_text(name: str, scores: DistributionScores) -> str:
    """The means of predicted distributions as a table."""
    lines = [f"{name}: {len(scores.items)} items, {len(scores.labels)} {scores.level} labels"]
    lines[0] += f", {len(scores.missing)} missing" if scores.missing else ""
    lines[0] += f", {len(scores.unknown)} not in the gold table" if scores.unknown else ""
    lines[0] += f", {len(scores.undefined)} undefined" if scores.undefined else ""
    lines += ["", f"{'measure':10}{'mean':>10}{'95 % interval':>22}{'n':>8}"]
    lines += [
        f"{distance_title(each):10}{_numbers(scores.estimate(each))}" for each in scores.values
    ]
    lines += ["", _FOOT.format(what="items")]
    lines += [f"Warning: {warning}" for warning in scores.warnings]
    lines += _warnings([scores.estimate(measure) for measure in scores.values])
    return "\n".join(lines)


_FOOT = (
    "0 is the same distribution, 1 the farthest. Intervals: BCa bootstrap over {what}, which are "
    "taken for independent."
)


def _warnings(estimates: Sequence[Estimate]) -> list[str]:
    """What the estimates warn of, each sentence once."""
    found = dict.fromkeys(warning for each in estimates for warning in each.warnings)
    return [f"Warning: {warning}" for warning in found]


def _numbers(found: Estimate) -> str:
    if not found.is_defined:
        return f"{'–':>10}{found.reason:>30}"
    ends = f"{found.interval.low:.4f} to {found.interval.high:.4f}" if found.interval else "–"
    return f"{found.value:10.4f}{ends:>22}{found.n:8d}"
