"""What `palaver compare` says in a terminal."""

from palaver.analysis.comparisons.pairwise import PairComparison
from palaver.analysis.comparisons.systems import Comparison
from palaver.core.estimates import Estimate, as_percent


def comparison_lines(found: Comparison) -> list[str]:
    """Systems, pairs, verdicts, method and warnings, line by line."""
    width = max(6, *(len(name) for name in found.systems))
    lines = [f"{'system':<{width}}  {'n':>6}  {'mean':>8}  {as_percent(found.confidence)} interval"]
    lines += [
        f"{name:<{width}}  {each.n:>6}  {each.value:8.4f}  {_ends(each)}"
        for name, each in sorted(found.systems.items(), key=lambda pair: -pair[1].value)
    ]
    corrected = "" if found.correction == "none" else f"  {found.correction + ' p':>8}"
    ends = f"{as_percent(found.confidence)} interval"
    lines += [
        "",
        f"{'a':<{width}}  {'b':<{width}}  difference  {ends:<20}  {'p':>8}{corrected}  effect",
    ]
    lines += [_pair_line(pair, width, bool(corrected)) for pair in found.pairs]
    verdicts = [each.sentence for pair in found.pairs for each in pair.margins]
    if verdicts:
        lines += ["", *verdicts, f"({found.pairs[0].margins[0].result.method}; not corrected)"]
    return [*lines, "", *_footnotes(found)]


def _pair_line(pair: PairComparison, width: int, corrected: bool) -> str:
    after = f"  {_p(pair.adjusted)}" if corrected else ""
    effect = ", ".join(
        f"{name} {each}" for name, each in pair.test.effects.items() if name != "risk difference"
    )
    return (
        f"{pair.a:<{width}}  {pair.b:<{width}}  {pair.difference.value:+10.4f}  "
        f"{_ends(pair.difference):<20}  {_p(pair.test.p)}{after}  {effect}"
    ).rstrip()


def _p(p: float) -> str:
    if p != p:
        return f"{'–':>8}"
    return f"{p:8.4f}" if p >= 0.0001 else f"{'<0.0001':>8}"


def _ends(estimate: Estimate) -> str:
    ends = estimate.interval
    return f"[{ends.low:.4f}, {ends.high:.4f}]" if ends else "–"


def _footnotes(found: Comparison) -> list[str]:
    lines = [f"Test: {found.rule}.", f"Method: {found.pairs[0].test.method or found.rule}."]
    drawn = found.pairs[0].difference.method
    lines.append(f"Intervals of differences: {drawn}.")
    if drawn and "clusters" not in drawn and found.model is None:
        lines.append(
            "If rows belong together (turns of one dialogue, answers of one rater), say so with "
            "--cluster: else intervals are too narrow."
        )
    if found.model is not None:
        parts = ", ".join(f"{name} {each:.4f}" for name, each in found.model.components.items())
        lines.append(f"Variances: {parts}.")
    lines += [
        f"{pair.a} and {pair.b}: no p-value, because {pair.test.reason}."
        for pair in found.pairs
        if pair.test.reason
    ]
    warnings = [*found.warnings]
    for pair in found.pairs:
        told = [*pair.difference.warnings, *pair.test.warnings]
        warnings += [f"{pair.a} and {pair.b}: {each}" for each in told]
    return lines + [f"Warning: {each}" for each in dict.fromkeys(warnings)]
