"""Judges beside people as one reads them: in a terminal, as CSV and as LaTeX."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from palaver.analysis.agreement import JudgeBesidePeople
from palaver.cli.output import table_lines, with_interval
from palaver.cli.statistics.agreement_judges import JudgesFound
from palaver.core.estimates import Estimate
from palaver.core.words import coefficient, counted, listed, measured
from palaver.reports.latex import latex_table
from palaver.reports.tables import csv_table

# What a table for print shows, by the name of the cell.
LATEX_COLUMNS = {
    "label": "label",
    "f1_pos": "F1+",
    "f1_pos_interval": "interval",
    "f1_neg": "F1-",
    "f1_neg_interval": "interval",
    "precision": "P",
    "recall": "R",
    "accuracy": "accuracy",
    "people_f1_pos": "people F1+",
    "people_f1_neg": "people F1-",
    "difference_f1_pos": "difference F1+",
    "difference_f1_pos_interval": "interval",
    "mcnemar_p": "p",
    "n": "n",
}


def judge_words(
    found: JudgesFound, *, confidence: float, clusters: Sequence[str], positive: str
) -> Iterator[str]:
    """Each judge as three short tables: positive answers, negative and all answers, and how often."""
    for number, (judge, labels) in enumerate(found.found.items()):
        if number:
            yield ""
        yield f"{judge} beside people: against one person, averaged over people; positive: {positive}"
        yield ""
        yield from table_lines(_positive(labels, confidence))
        yield ""
        yield from table_lines(_negative(labels, confidence))
        yield ""
        yield from table_lines(_often(labels, confidence))
        yield ""
        yield from _below(labels, clusters)
    for note in found.notes:
        yield f"Warning: {note}"


def _positive(labels: Mapping[str, JudgeBesidePeople], confidence: float) -> list[list[str]]:
    rows = [
        [
            *("label", with_interval("F1 of positive", confidence), "people", "difference"),
            *("precision", "recall"),
        ]
    ]
    return rows + [
        [name, *_compared(each, "f1_pos"), *_plain(each, "precision", "recall")]
        for name, each in labels.items()
    ]


def _negative(labels: Mapping[str, JudgeBesidePeople], confidence: float) -> list[list[str]]:
    rows = [
        [
            *("label", with_interval("F1 of negative", confidence), "people", "difference"),
            *(with_interval("accuracy", confidence), "people", "difference"),
        ]
    ]
    return rows + [
        [name, *_compared(each, "f1_neg"), *_compared(each, "accuracy")]
        for name, each in labels.items()
    ]


def _often(labels: Mapping[str, JudgeBesidePeople], confidence: float) -> list[list[str]]:
    rows = [
        [
            *("label", "units", "people", "positive: judge", "people's"),
            *(with_interval("bias", confidence), "p (McNemar)"),
        ]
    ]
    return rows + [
        [
            name,
            f"{each.n:,}",
            f"{each.people:,}",
            f"{each.judge_positives:,}",
            f"{each.positives:,.4g}",
            each.bias.written(coefficient),
            f"{each.p:.2g}" if each.tests else "–",
        ]
        for name, each in labels.items()
    ]


def _compared(found: JudgeBesidePeople, name: str) -> list[str]:
    parts = (found.scores[name], found.ceiling[name], found.difference[name])
    return [each.written(coefficient) for each in parts]


def _plain(found: JudgeBesidePeople, *names: str) -> list[str]:
    return [measured(found.scores[name].value, write=coefficient) for name in names]


def _below(labels: Mapping[str, JudgeBesidePeople], clusters: Sequence[str]) -> Iterator[str]:
    for name, each in labels.items():
        if each.reason:
            yield f"{name}: undefined, because {each.reason}."
            continue
        for what, score in each.scores.items():
            if not score.is_defined:
                yield f"{name}: no {what}, because {score.reason}."
    yield (
        "People: each person against each other person, on the units that the judge judged. Bias: "
        "the judge's share of positive answers less people's."
    )
    yield (
        "McNemar's exact test asks of each person whether the judge says positive as often; p is the "
        "smallest after Holm's correction over people, and takes units as independent."
    )
    of = f" Clusters: {', '.join(clusters)}." if clusters else ""
    method = next((each.method for each in labels.values() if not each.reason), "")
    if method:
        yield f"Intervals: {method}.{of}"
    for name, each in labels.items():
        for warning in each.warnings:
            yield f"Warning: {name}: {warning}"


def write_judges(found: JudgesFound, *, csv_file: Path | None, latex_file: Path | None) -> None:
    """The measures of every judge and label as one table in a file, or two."""
    rows = [
        _row(judge, name, each)
        for judge, labels in found.found.items()
        for name, each in labels.items()
    ]
    if csv_file is not None:
        csv_table(rows, csv_file)
    if latex_file is not None:
        several = {"judge": "judge"} if len(found.found) > 1 else {}
        caption = f"{listed(list(found.found))} beside people: {counted(len(rows), 'label')}"
        text = latex_table(
            [_with_intervals(row) for row in rows],
            columns=several | LATEX_COLUMNS,
            caption=caption,
            digits=3,
        )
        latex_file.parent.mkdir(parents=True, exist_ok=True)
        latex_file.write_text(text, encoding="utf-8")


def _row(judge: str, label: str, found: JudgeBesidePeople) -> dict[str, Any]:
    row: dict[str, Any] = {"judge": judge, "label": label}
    for prefix, part in (
        ("", found.scores),
        ("people_", found.ceiling),
        ("difference_", found.difference),
    ):
        for name, estimate in part.items():
            row |= _ends(f"{prefix}{name}", estimate)
    return row | {
        **_ends("bias", found.bias),
        "mcnemar_p": found.p,
        "n": found.n,
        "positives": found.positives,
        "judge_positives": found.judge_positives,
        "people": found.people,
        "gaps": found.gaps,
        "reason": found.reason or None,
    }


def _ends(name: str, estimate: Estimate) -> dict[str, Any]:
    ends = estimate.interval
    return {
        name: estimate.value,
        f"{name}_low": None if ends is None else ends.low,
        f"{name}_high": None if ends is None else ends.high,
    }


def _with_intervals(row: dict[str, Any]) -> dict[str, Any]:
    """The row with each interval in one cell, as people read it."""
    names = [name.removesuffix("_low") for name in row if name.endswith("_low")]
    ends = {name: (row[f"{name}_low"], row[f"{name}_high"]) for name in names}
    return row | {
        f"{name}_interval": None if low is None else (low, high)
        for name, (low, high) in ends.items()
    }
