"""Agreement as a stranger reads it in a terminal: short tables, and what the numbers rest on."""

from collections.abc import Iterator, Sequence

from palaver.analysis.agreement import Coefficients, Pairwise, RaterAgreement
from palaver.cli.tables import aligned
from palaver.core.estimates import Estimate, Interval

NAMES = {
    "alpha": "Krippendorff's α",
    "percent": "percent agreement",
    "kappa": "Cohen's κ",
    "fleiss": "Fleiss' κ",
    "ac1": "Gwet's AC1",
    "ac2": "Gwet's AC2",
}
NO_NUMBER = "–"


def table_words(
    title: str, found: Coefficients, confidence: float, clusters: Sequence[str]
) -> Iterator[str]:
    """Every coefficient of one table."""
    yield f"{title}: agreement at level {found.level}"
    yield ""
    forms = {name: each for name, each in found.estimates().items() if name != "icc"}
    forms |= {name: found.icc.forms[name] for name in ("ICC(A,1)", "ICC(A,k)")}
    rows = [["coefficient", "value", f"{confidence * 100:g} % interval"]]
    rows += [
        [_weighted(name, found), _value(each), _ends(each)]
        for name, each in forms.items()
        if each.is_defined
    ]
    yield from aligned(rows, left=range(1))
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
    yield _method(found, clusters)


def overview_words(
    found: Sequence[tuple[str, Coefficients]], confidence: float, clusters: Sequence[str]
) -> Iterator[str]:
    """One row per question or value."""
    rows = [["", "level", "α", f"{confidence * 100:g} % interval", "percent", "units", "raters"]]
    for name, each in found:
        rows.append(
            [
                name,
                each.level,
                _value(each.alpha),
                _ends(each.alpha),
                _value(each.percent),
                f"{each.units:,}",
                f"{each.raters:,}",
            ]
        )
    yield from aligned(rows, left=range(2))
    yield ""
    for name, each in found:
        if not each.alpha.is_defined:
            yield f"{name}: no α, because {each.alpha.reason}."
    if found:
        yield _method(found[0][1], clusters)


def pairwise_words(name: str, found: Pairwise) -> Iterator[str]:
    """Each two raters in a row."""
    yield ""
    yield f"{name}each two raters"
    rows = [["", "", "units", "percent", "κ", "α"]]
    for pair in found.pairs:
        numbers = [_number(each) for each in (pair.percent, pair.kappa, pair.alpha)]
        rows.append([str(pair.first), str(pair.second), f"{pair.units:,}", *numbers])
    yield from aligned(rows, left=range(2))


def rater_words(name: str, found: Sequence[RaterAgreement]) -> Iterator[str]:
    """Each rater against the rest."""
    yield ""
    yield f"{name}each rater against the rest"
    rows = [["", "judged", "shared", "percent", "α without", "gain"]]
    for each in found:
        numbers = [_number(number) for number in (each.percent, each.alpha_without, each.gain)]
        rows.append([str(each.rater), f"{each.judgements:,}", f"{each.units:,}", *numbers])
    yield from aligned(rows, left=range(1))


def _weighted(name: str, found: Coefficients) -> str:
    words = NAMES.get(name, name)
    weighted = name in ("kappa", "ac2") and found.weights != "identity"
    return f"{words} ({found.weights})" if weighted else words


def _method(found: Coefficients, clusters: Sequence[str]) -> str:
    of = f" Clusters: {', '.join(clusters)}." if clusters else ""
    return f"Intervals: {found.method}.{of}"


def _value(estimate: Estimate) -> str:
    return _number(estimate.value)


def _number(value: float) -> str:
    return NO_NUMBER if value != value else f"{value:.3f}"


def _ends(estimate: Estimate) -> str:
    ends: Interval | None = estimate.interval
    return f"{ends.low:.3f} to {ends.high:.3f}" if ends else NO_NUMBER
