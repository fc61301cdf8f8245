"""Agreement as a stranger reads it in a terminal: short tables, and what the numbers rest on."""

from collections.abc import Iterator, Sequence

from palaver.analysis.agreement import Coefficients, Pairwise, RaterAgreement
from palaver.cli.output import table_lines, with_interval
from palaver.core.estimates import Estimate
from palaver.core.words import coefficient, counted, measured, percent

NAMES = {
    "alpha": "Krippendorff's α",
    "percent": "percent agreement",
    "kappa": "Cohen's κ",
    "fleiss": "Fleiss' κ",
    "ac1": "Gwet's AC1",
    "ac2": "Gwet's AC2",
}


def table_words(
    title: str, found: Coefficients, confidence: float, clusters: Sequence[str]
) -> Iterator[str]:
    """Every coefficient of one table."""
    yield f"{title}: agreement at level {found.level}"
    yield ""
    forms = {name: each for name, each in found.estimates().items() if name != "icc"}
    forms |= {name: found.icc.forms[name] for name in ("ICC(A,1)", "ICC(A,k)")}
    rows = [["coefficient", with_interval("value", confidence)]]
    rows += [
        [_weighted(name, found), _written(name, each)]
        for name, each in forms.items()
        if each.is_defined
    ]
    yield from table_lines(rows)
    yield ""
    for name, each in forms.items():
        if not each.is_defined and name != "ICC(A,k)":
            yield f"No {_weighted(name, found)}: {each.reason}."
    lone = f", {found.lone:,} more by one" if found.lone else ""
    inside = f" in {' × '.join(f'{count:,}' for count in found.clusters)} clusters"
    yield (
        f"{found.units:,} units{inside if found.clusters else ''} judged by two or more of "
        f"{found.raters:,} raters{lone}; {found.pairs:,} pairs of values."
    )
    for name, reason in found.no_intervals.items():
        yield f"No interval of {_weighted(name, found)}: {reason}."
    yield from _method([found], clusters)


def overview_words(
    found: Sequence[tuple[str, Coefficients]], confidence: float, clusters: Sequence[str]
) -> Iterator[str]:
    """One row per question or value."""
    rows = [["about", "level", with_interval("α", confidence), "agreement", "units", "raters"]]
    for name, each in found:
        alpha = each.alpha.written(coefficient)
        agreed = measured(each.percent.value, write=percent)
        rows.append([name, each.level, alpha, agreed, f"{each.units:,}", f"{each.raters:,}"])
    yield from table_lines(rows)
    yield ""
    for name, each in found:
        if not each.alpha.is_defined:
            yield f"{name}: no α, because {each.alpha.reason}."
        elif "alpha" in each.no_intervals:
            yield f"{name}: no interval of α, because {each.no_intervals['alpha']}."
    if found:
        yield from _method([each for _, each in found], clusters)


def pairwise_words(name: str, found: Pairwise) -> Iterator[str]:
    yield ""
    yield f"{name}each pair of raters"
    rows = [["rater", "other rater", "units", "agreement", "κ", "α"]]
    for pair in found.pairs:
        agreed = measured(pair.percent, write=percent)
        numbers = [measured(each, write=coefficient) for each in (pair.kappa, pair.alpha)]
        rows.append([str(pair.first), str(pair.second), f"{pair.units:,}", agreed, *numbers])
    yield from table_lines(rows, names=2)
    strangers = len(found.raters) * (len(found.raters) - 1) // 2 - len(found.pairs)
    if strangers:
        yield f"{counted(strangers, 'pair')} of raters judged nothing in common."


def rater_words(name: str, found: Sequence[RaterAgreement]) -> Iterator[str]:
    """Each rater against the rest."""
    yield ""
    yield f"{name}each rater against the rest"
    rows = [["rater", "judged", "shared", "agreement", "α without", "gain"]]
    for each in found:
        agreed = measured(each.percent, write=percent)
        numbers = [measured(value, write=coefficient) for value in (each.alpha_without, each.gain)]
        rows.append([str(each.rater), f"{each.judgements:,}", f"{each.units:,}", agreed, *numbers])
    yield from table_lines(rows)


def _weighted(name: str, found: Coefficients) -> str:
    words = NAMES.get(name, name)
    weighted = name in ("kappa", "ac2") and found.weights != "identity"
    return f"{words} ({found.weights})" if weighted else words


def _method(found: Sequence[Coefficients], clusters: Sequence[str]) -> Iterator[str]:
    """How the intervals were made, and whom they speak of."""
    of = f" Clusters: {', '.join(clusters)}." if clusters else ""
    yield f"Intervals: {found[0].method}.{of}"
    if any(each.has_intervals for each in found):
        yield found[0].difference


def _written(name: str, estimate: Estimate) -> str:
    return estimate.written(percent if name == "percent" else coefficient)
