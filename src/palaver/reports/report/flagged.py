"""Raters whose work stands out: who they are, whether they count, and what is found without them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from palaver.analysis.behaviour import OF_OTHERS_TIME, WORDS_PER_MINUTE
from palaver.analysis.rank_sets import MOST_NAMED
from palaver.analysis.straight_lines import RARELY
from palaver.core.studies.headline import Headline
from palaver.core.words import counted, listed, percent
from palaver.reports.report.headline import MeasuredQuestions, headline_of, measure
from palaver.reports.report.parts import ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import ReportSettings, Subject


def with_unflagged(
    headline: Headline, subject: Subject, measured: MeasuredQuestions, settings: ReportSettings
) -> Headline:
    """The headline with what would be found without flagged raters, by the same function."""
    if not subject.flags or subject.leaves_out:
        return headline
    rest = subject.without_flagged()
    given, left = _answers(subject), _answers(rest)
    who = f"{counted(len(subject.flags), 'flagged rater')} ({given - left:,} of {given:,} answers)"
    if rest.is_empty:
        return replace(headline, without=f"Without {who} there is nothing to report.")
    other = measure(rest, settings)
    found = headline_of(rest, other).finding
    if found == headline.finding:
        told = f"Without {who} the finding is the same."
    else:
        told = f"Without {who}: {found}"
    order = _order(measured.orders, other.orders)
    return replace(headline, without=f"{told} {order}".strip())


def _answers(subject: Subject) -> int:
    """How many answers were given; one that measures several things is one."""
    return len(
        {
            (table.question or table.name, unit, rater)
            for table in subject.tables
            for unit, rater in zip(
                table.frame.texts("unit"), table.frame.texts("rater"), strict=True
            )
        }
    )


def _order(all_of: Mapping[str, Sequence[str]], some: Mapping[str, Sequence[str]]) -> str:
    """Whether the systems stand in the same order; empty where there is nothing to order."""
    both = [name for name, order in all_of.items() if len(order) > 1 and name in some]
    if not both:
        return ""
    changed = [name for name in both if tuple(all_of[name]) != tuple(some[name])]
    if not changed:
        return "The systems stand in the same order."
    if len(both) == 1:
        before, after = (", ".join(orders[both[0]]) for orders in (all_of, some))
        return f"The order of the systems changes: {after} instead of {before}."
    where = listed(changed, most=MOST_NAMED)
    return f"The order of the systems changes in {len(changed)} of {len(both)} questions: {where}."


def flagged_part(subject: Subject) -> ReportPart | None:
    """Who is flagged and why; None where nobody is."""
    if not subject.flags:
        return None
    rows = [
        {
            **{"name": subject.rater_names.get(rater, rater), "rater": rater},
            **{"flag": flag.name, "count": flag.count, "n": flag.n},
            "words": flag.evidence,
        }
        for rater, flags in subject.flags.items()
        for flag in flags
    ]
    count = counted(len(subject.flags), "rater")
    counts = "do not count here" if subject.leaves_out else "count in every number here"
    return ReportPart(
        anchor="flagged",
        title="Flagged raters",
        lead=f"{count} may have worked without reading. Their answers {counts}.",
        tables=(
            ResultTable(
                slug="flagged",
                title="Why raters are flagged",
                columns=(
                    ReportColumn("name", "Rater"),
                    ReportColumn("rater", "Key"),
                    ReportColumn("flag", "Flag"),
                    ReportColumn("count", "Count", "whole"),
                    ReportColumn("n", "Of", "whole"),
                    ReportColumn("words", "Evidence"),
                ),
                rows=rows,
                note="A flag is a reason to read somebody's answers, not a verdict.",
            ),
        ),
        methods=_methods(subject),
    )


def _methods(subject: Subject) -> str:
    kinds = dict.fromkeys(flag.name for flags in subject.flags.values() for flag in flags)
    by_kind = [
        f"{sum(any(flag.name == kind for flag in flags) for flags in subject.flags.values())} {kind}"
        for kind in kinds
    ]
    were = "were left out" if subject.leaves_out else "were kept"
    return (
        f"{counted(len(subject.flags), 'rater')} {'was' if len(subject.flags) == 1 else 'were'} "
        f"flagged ({listed(by_kind)}) and {were}. A rater is too fast who gives half of the answers "
        f"in less than {percent(OF_OTHERS_TIME, 0)} of the median time of the others for the same "
        f"question, or sends half of the items sooner than they are read at {WORDS_PER_MINUTE:.0f} "
        "words a minute; straight-lines who repeats one answer so often that a rater with a taste "
        f"halfway between the others' and this answer would do so with p < {RARELY:g}; and pastes who "
        "pastes half of the texts or more, and twice as often as the others."
    )
