"""Raters whose work stands out: who they are, with the evidence, and whether they count."""

from palaver.analysis.behaviour import OF_OTHERS_TIME, WORDS_PER_MINUTE
from palaver.analysis.straight_lines import RARELY
from palaver.core.words import counted, listed
from palaver.reports.report.parts import ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import Subject


def flagged_part(subject: Subject) -> ReportPart | None:
    """Who is flagged and why; None where nobody is."""
    if not subject.flags:
        return None
    rows = [
        {
            **{"rater": rater, "flag": flag.name, "count": flag.count, "n": flag.n},
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
                    ReportColumn("rater", "Rater"),
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
        f"in less than {OF_OTHERS_TIME:.0%} of the median time of the others for the same question, "
        f"or sends half of the sheets sooner than they are read at {WORDS_PER_MINUTE:.0f} words a "
        "minute; straight-lines who repeats one answer so often that a rater with a taste halfway "
        f"between the others' and this answer would do so with p < {RARELY:g}; and pastes who "
        "pastes half of the texts or more, and twice as often as the others."
    )
