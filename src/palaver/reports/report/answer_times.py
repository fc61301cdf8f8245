"""The part on time and cost."""

from collections.abc import Iterator
from typing import Any

from palaver.analysis.figures import ForestRow, answer_times
from palaver.core.estimates import Interval
from palaver.core.numeric import np
from palaver.core.words import counted
from palaver.reports.report.evidence import Places
from palaver.reports.report.parts import EVIDENCE, ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import QuestionRatings, QuestionTable, ReportSettings, Subject


def answer_times_part(subject: Subject, settings: ReportSettings) -> ReportPart | None:
    """How long answers took and what they cost; None where no time is known."""
    rows = [row for table in _questions(subject) if (row := _row(table, settings)) is not None]
    if not rows:
        return None
    title = _title(rows)
    columns = [
        ReportColumn("question", "Question"),
        ReportColumn("n", "Answers with a time", "whole"),
        ReportColumn("median", "Median seconds", "seconds"),
        ReportColumn("middle", "Middle half", "seconds"),
        ReportColumn("mean", "Mean seconds", "seconds"),
        ReportColumn("hours", "Hours in all", "seconds"),
    ]
    if settings.pay is not None:
        money = f" ({subject.currency})" if subject.currency else ""
        columns += [
            ReportColumn("cost", f"Cost of one answer{money}", "money"),
            ReportColumn("total", f"Cost of all{money}", "money"),
        ]
    figure = answer_times(
        [ForestRow(row["question"], row["median"], row["middle"], row["note"]) for row in rows],
        title=title,
    )
    paid = "" if settings.pay is None else f" Costs are at {settings.pay:g} an hour."
    note = f"The time of a page is shared evenly by the answers on it, where it is known.{paid}"
    return ReportPart(
        anchor="time",
        title="Time and cost",
        figures=(figure,),
        methods=(
            "Times are the seconds that a page took, shared evenly by the answers on it, as medians "
            "and quartiles."
        ),
        tables=(
            ResultTable(
                slug="time",
                title="Seconds per answer",
                columns=tuple(columns),
                rows=rows,
                note=note,
            ),
        ),
    )


def _questions(subject: Subject) -> Iterator[QuestionTable]:
    """One table per question: a set of labels is answered once, however many there are."""
    seen = {vote.name for vote in subject.votes}
    yield from subject.votes
    for rating in subject.ratings:
        question = rating.name.partition(": ")[0] if subject.kind == "study" else rating.name
        if question not in seen:
            seen.add(question)
            yield rating


def _row(table: QuestionTable, settings: ReportSettings) -> dict[str, Any] | None:
    seconds = np.array(table.frame.numbers("seconds"))
    known = seconds[np.isfinite(seconds)]
    if not len(known):
        return None
    low, median, high = (float(each) for each in np.quantile(known, [0.25, 0.5, 0.75]))
    mean = float(known.mean())
    rate = None if settings.pay is None else settings.pay / 3600
    return {
        "question": table.name.partition(": ")[0]
        if isinstance(table, QuestionRatings)
        else table.name,
        "n": len(known),
        "median": median,
        "middle": Interval(low, high),
        "mean": mean,
        "hours": float(known.sum()) / 3600,
        "cost": None if rate is None else mean * rate,
        "total": None if rate is None else float(known.sum()) * rate,
        "note": f"{median:.0f} s",
        EVIDENCE: Places(table).of(),
    }


def _title(rows: list[dict[str, Any]]) -> str:
    medians = [row["median"] for row in rows]
    if len(rows) == 1:
        return f"An answer takes {medians[0]:.0f} seconds (median)"
    quick, slow = min(medians), max(medians)
    if round(quick) == round(slow):
        return f"An answer to each of {counted(len(rows), 'question')} takes {quick:.0f} seconds"
    return f"An answer takes {quick:.0f} to {slow:.0f} seconds, depending on the question"
