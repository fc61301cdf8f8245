"""The part that asks whether the labels measure anything."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple, TypeVar

from palaver.analysis.validity import Validity, ValiditySettings, dialogue_scores, validity
from palaver.core.errors import InputError
from palaver.core.words import counted
from palaver.reports.report.commands import validity_command
from palaver.reports.report.evidence import Places
from palaver.reports.report.parts import EVIDENCE, ReportColumn, ReportPart, ResultTable
from palaver.reports.report.subject import QuestionRatings, ReportSettings, Subject
from palaver.reports.tables import cell_texts


class _Columns(NamedTuple):
    """Ratings that are numbers, one row each; a name is as many labels as there are names."""

    dialogue: list[str]
    label: list[str]
    value: list[float]
    system: list[str | None]
    rater: list[str]
    unit: list[str]


LONG_COLUMNS = _Columns._fields
Cell = TypeVar("Cell")


def long_columns(ratings: Iterable[QuestionRatings]) -> Iterator[list[list[str | None]]]:
    """All ratings that are numbers, as texts in `LONG_COLUMNS`, of one question after the other."""
    for rating in ratings:
        if not rating.is_choice:
            yield [cell_texts(column) for column in _columns(rating)]


def validity_part(subject: Subject, settings: ReportSettings) -> ReportPart | None:
    """How well labels predict overall quality and tell systems apart; None where nobody asked."""
    if settings.quality is None:
        return None
    columns = [_columns(rating) for rating in subject.ratings if not rating.is_choice]
    try:
        found = validity(
            dialogue_scores(
                [cell for each in columns for cell in each.dialogue],
                [cell for each in columns for cell in each.label],
                [cell for each in columns for cell in each.value],
                systems=[cell for each in columns for cell in each.system],
            ),
            settings.quality,
            settings=ValiditySettings(
                resamples=settings.resamples,
                confidence=settings.confidence,
                seed=settings.seed,
            ),
        )
    except InputError as error:
        return ReportPart(anchor="validity", title="Validity", lead=f"Undefined: {error}")
    command = validity_command(settings)
    return ReportPart(
        anchor="validity",
        title="Validity",
        lead=_lead(found),
        tables=tuple(_tables(found, command, _places(subject.ratings))),
        methods=_methods(found, settings),
        warnings=tuple(text for text in found.warnings if "no times" not in text),
    )


def _columns(ratings: QuestionRatings) -> _Columns:
    frame = ratings.frame
    units = [unit or "" for unit in frame.texts("unit")]
    dialogues = [
        dialogue or unit for dialogue, unit in zip(frame.texts("dialogue"), units, strict=True)
    ]
    raters = [rater or "" for rater in frame.texts("rater")]
    values, systems = frame.texts("value"), frame.texts("system")
    if ratings.has_means:
        number = {value: float(value or "nan") for value in set(values)}
        numbers = [number[value] for value in values]
        return _Columns(dialogues, [ratings.name] * len(units), numbers, systems, raters, units)
    names = ratings.answers
    return _Columns(
        _each(dialogues, len(names)),
        [f"{ratings.name} = {name}" for name in names] * len(units),
        [float(value == name) for value in values for name in names],
        _each(systems, len(names)),
        _each(raters, len(names)),
        _each(units, len(names)),
    )


def _each(cells: list[Cell], times: int) -> list[Cell]:
    """Every cell so many times in a row."""
    return [cell for cell in cells for _ in range(times)]


def _lead(found: Validity) -> str:
    best = next((each for each in found.predictive if each.r2.is_defined), None)
    if best is None:
        return f"Nothing can be said about how labels relate to '{found.quality}'."
    return (
        f"Of the single labels, '{best.label}' predicts '{found.quality}' best: "
        f"R² = {best.r2.value:.2f} over {counted(found.dialogues, 'dialogue')}."
    )


def _methods(found: Validity, settings: ReportSettings) -> str:
    way = _method([each.r2.method for each in found.predictive])
    return (
        f"Predictive validity is the R² of a linear regression of '{found.quality}' on each label, "
        f"both as means per dialogue ({counted(found.dialogues, 'dialogue')}). {way} Labels were "
        f"left out one by one to see what each adds, and sensitivity is the number of "
        f"pairs of systems that a label distinguishes at a level of 0.05."
    )


def _tables(found: Validity, command: str, places: dict[str, str]) -> Iterator[ResultTable]:
    yield ResultTable(
        slug="predictive-validity",
        title=f"How well each label predicts '{found.quality}'",
        columns=(
            ReportColumn("label", "Label"),
            ReportColumn("r2", "R²", "number"),
            ReportColumn("interval", "95 % interval", "number"),
            ReportColumn("p", "p", "p"),
            ReportColumn("n", "Dialogues", "whole"),
        ),
        rows=[
            {
                "label": each.label,
                "r2": each.r2.value,
                "interval": each.r2.interval,
                "p": each.p,
                "n": each.r2.n,
                EVIDENCE: places.get(each.label, ""),
            }
            for each in found.predictive
        ],
        command=command,
        note=_method([each.r2.method for each in found.predictive]),
    )
    if found.incremental is not None and found.incremental.steps:
        yield _incremental(found)
    if found.sensitivity:
        yield _sensitivity(found, places)


def _incremental(found: Validity) -> ResultTable:
    steps = found.incremental.steps if found.incremental else ()
    return ResultTable(
        slug="incremental-validity",
        title="What is lost when labels are left out one by one",
        columns=(
            ReportColumn("labels", "Labels left"),
            ReportColumn("dropped", "Left out at this step"),
            ReportColumn("r2", "R²", "number"),
            ReportColumn("adjusted", "Adjusted R²", "number"),
            ReportColumn("p", "p against all", "p"),
        ),
        rows=[
            {
                "labels": len(step.labels),
                "dropped": ", ".join(step.dropped) or "none",
                "r2": step.r2,
                "adjusted": step.adjusted,
                "p": step.p,
            }
            for step in steps
        ],
        note=_method([found.incremental.method]) if found.incremental else "",
    )


def _sensitivity(found: Validity, places: dict[str, str]) -> ResultTable:
    return ResultTable(
        slug="sensitivity",
        title="How many pairs of systems each label distinguishes",
        columns=(
            ReportColumn("label", "Label"),
            ReportColumn("apart", "Told apart", "whole"),
            ReportColumn("pairs", "Pairs", "whole"),
            ReportColumn("share", "Share", "percent"),
        ),
        rows=[
            {
                "label": each.label,
                "apart": each.apart,
                "pairs": len(each.pairs),
                "share": each.share,
                EVIDENCE: places.get(each.label, ""),
            }
            for each in found.sensitivity
        ],
        note=_method([each.method for each in found.sensitivity]),
    )


def _places(ratings: Iterable[QuestionRatings]) -> dict[str, str]:
    found = {}
    for rating in ratings:
        address = Places(rating).of()
        found[rating.name] = address
        found |= {f"{rating.name} = {name}": address for name in rating.answers}
    return found


def _method(methods: Sequence[str]) -> str:
    known = [each for each in dict.fromkeys(methods) if each]
    return f"By {'; '.join(known)}." if known else ""
