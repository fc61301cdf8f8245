"""What `palaver compare` says in a terminal."""

from math import isnan

from palaver.analysis.comparisons.pairwise import PairComparison
from palaver.analysis.comparisons.systems import Comparison
from palaver.cli.tables import table_lines, with_interval
from palaver.core.words import UNDEFINED, decimals


def comparison_lines(found: Comparison) -> list[str]:
    """Systems, pairs, verdicts, method and warnings, line by line."""
    best_first = sorted(found.systems.items(), key=lambda pair: -pair[1].value)
    rows = [("system", "n", with_interval("mean", found.confidence))]
    rows += [(name, f"{each.n:,}", each.written()) for name, each in best_first]
    lines = [*table_lines(rows), "", *_pairs(found)]
    verdicts = [each.sentence for pair in found.pairs for each in pair.margins]
    if verdicts:
        lines += ["", *verdicts, f"({found.pairs[0].margins[0].result.method}; not corrected)"]
    return [*lines, "", *_footnotes(found)]


def _pairs(found: Comparison) -> list[str]:
    corrected = found.correction != "none"
    head = ["a", "b", with_interval("difference", found.confidence), "p"]
    head += [f"{found.correction} p"] if corrected else []
    rows = [[*head, "effect"]]
    for pair in found.pairs:
        row = [pair.a, pair.b, pair.difference.written(), _p(pair.test.p)]
        row += [_p(pair.adjusted)] if corrected else []
        rows.append([*row, _effects(pair)])
    return list(table_lines(rows, names=2))


def _effects(pair: PairComparison) -> str:
    named = pair.test.effects.items()
    return ", ".join(f"{name} {each}" for name, each in named if name != "risk difference")


def _p(p: float) -> str:
    if isnan(p):
        return UNDEFINED
    return decimals(p, 4) if p >= 0.0001 else "<0.0001"


def _footnotes(found: Comparison) -> list[str]:
    lines = [f"Test: {found.rule}.", f"Method: {found.pairs[0].test.method or found.rule}."]
    drawn = found.pairs[0].difference.method
    lines.append(f"Intervals of differences: {drawn}.")
    if drawn and "clusters" not in drawn and found.model is None:
        lines.append(
            "If rows belong together (turns of one dialogue, answers of one rater), say so with "
            "--cluster; otherwise intervals are too narrow."
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
