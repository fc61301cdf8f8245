"""`palaver agreement --judge`: automatic judges beside people, in a table or in a study."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from palaver.analysis.agreement import JudgeBesidePeople, SamplingSettings
from palaver.analysis.agreement.positives import answer_word, positive_words
from palaver.core.errors import InputError
from palaver.core.registry import near
from palaver.core.words import listed
from palaver.formats.frames import MISSING_WORDS, Frame, read_frame
from palaver.formats.judgements import JudgementGroup, read_judged
from palaver.reports.target import OpenStudy
from palaver.studies.review.evidence import RATING_COLUMNS, SPEAKER, MeasuredFacet, of_turns
from palaver.studies.review.judges import JUDGE, PEOPLE, facet_labels, judged_label

KIND = "rater_kind"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeQuery:
    """Which judges are compared with people, on what, and how intervals are made."""

    judges: tuple[str, ...]
    positive: str | None
    by: str | None
    clusters: tuple[str, ...]
    settings: SamplingSettings


# By judge, and then by label.
Found = dict[str, dict[str, JudgeBesidePeople]]


@dataclass(frozen=True, slots=True)
class JudgesFound:
    """What was found, and what else a reader must know of the answers."""

    found: Found
    notes: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """By label; where several judges were named, by judge and then by label."""
        told = {
            judge: {
                label: replace(each, warnings=(*each.warnings, *self.notes))
                for label, each in labels.items()
            }
            for judge, labels in self.found.items()
        }
        return next(iter(told.values())) if len(told) == 1 else dict(told)


def judges_of_table(
    path: Path, *, unit: str, rater: str, value: str, query: JudgeQuery
) -> JudgesFound:
    """The judges of a table; everybody else in it is a person, unless its `rater_kind` says other."""
    frame = read_frame(path)
    names = (unit, rater, value, *query.clusters, *([query.by] if query.by else []))
    for name in names:
        frame.column(name)
    if not len(frame):
        raise InputError(f"{frame.name} has no rows: there is nothing to compare.")
    said = [_given(cell) for cell in frame.texts(value)]
    words = positive_words(
        [cell for cell in said if cell is not None],
        query.positive,
        where=f"{frame.name}: the column '{value}'",
    )
    frame = Frame(frame.name, {**frame.columns, value: said}, frame.first_row)
    everybody = [each for each in frame.texts(rater) if each is not None]
    judges = [_judge(each, dict.fromkeys(everybody), frame.name) for each in query.judges]
    people, notes = _people(frame, rater, everybody, judges)
    groups = read_judged(
        frame,
        unit=unit,
        rater=rater,
        value=value,
        level="nominal",
        by=query.by,
        clusters=query.clusters,
    )
    empty = sum(group.empty for group in groups)
    notes += [f"Rows without a value, left out: {empty:,}."] if empty else []
    found = {
        judge: {
            group.by or value: judged_label(
                group.judgements,
                lambda answer: answer_word(answer) in words,
                judge,
                people,
                clusters=group.clusters,
                settings=query.settings,
            )
            for group in groups
        }
        for judge in judges
    }
    return JudgesFound(found, tuple(notes))


def judges_of_study(
    opened: OpenStudy,
    *,
    question: str | None,
    raters: str,
    query: JudgeQuery,
    sections: Sequence[str] = (),
) -> JudgesFound:
    """The judges of a study beside its people, or beside one kind of raters."""
    evidence, names = opened.evidence(sections=sections), opened.rater_names()
    for column in (*query.clusters, *([query.by] if query.by else [])):
        if column not in RATING_COLUMNS:
            raise InputError(
                f"A study's answers have no column '{column}'. "
                f"They have: {', '.join(RATING_COLUMNS)}."
            )
    things = evidence.measured if question is None else evidence.named(question)
    if not things:
        known = dict.fromkeys(each.question for each in evidence.measured)
        asked = f" to '{question}'" if question else ""
        raise InputError(
            f"The study '{evidence.study}' has no answers{asked} that can be compared."
            f"{near(question or '', known)}"
        )
    if query.by == SPEAKER:
        things = of_turns(things, evidence.study)
    kinds = {
        names.get(key, key): kind
        for thing in evidence.measured
        for key, kind in zip(thing.ratings.column("rater"), thing.ratings.column(KIND), strict=True)
    }
    models = [name for name, kind in kinds.items() if kind == JUDGE]
    judges = [
        _judge(names.get(each, each), kinds, f"The study '{evidence.study}'", models)
        for each in query.judges
    ]
    wanted = PEOPLE if raters == "all" else {raters}
    people = {name for name, kind in kinds.items() if kind in wanted} - {*judges}
    if not people:
        raise InputError(
            f"The study '{evidence.study}' has no answers of {'people' if raters == 'all' else raters}"
            " to compare a judge with."
        )
    found: Found = {judge: {} for judge in judges}
    left_out = []
    for thing in things:
        labels = facet_labels(thing.facet, query.positive)
        if not labels:
            left_out.append(thing.name)
        for label in labels:
            name = f"{thing.name} = {label.name}" if label.name else thing.name
            for group in _groups(thing, names, query):
                about = name if group.by is None else f"{name}, {group.by}"
                for judge in judges:
                    found[judge][about] = judged_label(
                        group.judgements,
                        label.is_positive,
                        judge,
                        people,
                        clusters=group.clusters,
                        settings=query.settings,
                    )
    if not any(found.values()):
        why = "points or numbers; name the positive answer with --positive"
        if query.positive is not None:
            why = f"never '{query.positive}'"
        raise InputError(f"No answer can be positive: {listed(left_out, most=6)} are {why}.")
    notes = (f"Without a positive answer, left out: {', '.join(left_out)}.",) if left_out else ()
    return JudgesFound(found, notes)


def _groups(
    thing: MeasuredFacet, names: Mapping[str, str], query: JudgeQuery
) -> Iterator[JudgementGroup]:
    """The judgements of a facet under the names of raters, with the codes of their answers."""
    ratings = thing.ratings
    raters = [names.get(key, key) for key in ratings.column("rater")]
    codes = ratings.column("value")
    # Values travel as the number of their row: a code may be anything.
    frame = Frame(
        thing.name, {**ratings.columns, "rater": raters, "value": [*map(str, range(len(codes)))]}
    )
    for group in read_judged(
        frame,
        unit="unit",
        rater="rater",
        value="value",
        level="nominal",
        by=query.by,
        clusters=query.clusters,
    ):
        yield replace(group, values=[codes[int(row)] for row in group.values])


def _given(cell: str | None) -> str | None:
    return None if cell is None or cell.strip().lower() in MISSING_WORDS else cell


def _judge(
    asked: str, known: Mapping[str, Any], where: str, models: Sequence[str] | None = None
) -> str:
    if asked in known:
        return asked
    offered = known if models is None else models
    hint = f" It has: {listed(list(offered), most=10)}." if offered else ""
    if models is not None:
        hint = (
            f" Its judges: {listed(models, most=10)}." if models else " No model has judged here."
        )
    raise InputError(f"{where} has no rater '{asked}'.{near(asked, known)}{hint}")


def _people(
    frame: Frame, rater: str, everybody: Sequence[str], judges: Sequence[str]
) -> tuple[set[str], list[str]]:
    """Whom the judges are compared with, and whom not."""
    people = set(everybody) - {*judges}
    if KIND not in frame.columns:
        return people, []
    kinds = dict(zip(frame.texts(rater), frame.texts(KIND), strict=True))
    others = sorted(each for each in people if kinds[each] not in PEOPLE)
    if not others:
        return people, []
    told = f"Raters who are not people, left out: {listed(others, most=10)}."
    return people - {*others}, [told]
