"""What raters said in a study, measured: per question and unit by unit.

It joins the definition (which question, at which level) with the store (who said what) and the
statistics. Excluded raters are out of every number here.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from sqlalchemy import Connection

from palaver.analysis.agreement import RESAMPLES, Judgement, agreement
from palaver.analysis.disagreement import Split, most_split_first
from palaver.core.questions.question import Question
from palaver.storage.judging.exclusions import excluded_raters
from palaver.storage.judging.ratings import Rating, dialogues_of_parts, standing_ratings
from palaver.studies.file.definition import Study
from palaver.studies.file.questions import add_built_in, build_questions
from palaver.studies.review.answers import Facet, coded_answers, facets_of
from palaver.studies.review.question_overview import FacetOverview, QuestionOverview
from palaver.studies.review.raters import kind_of
from palaver.studies.stages import ChatStage, RateStage

WORDS = "free-text answers are read, not measured"
NO_ANSWERS = "nobody has answered it yet"
UNKNOWN = "this question is no longer in the study's file"


@dataclass(frozen=True, slots=True)
class SplitUnit:
    """How split raters are on one unit, most on the facet `widest`; counts are facet by facet."""

    unit_id: int
    split: float
    n: int
    widest: str
    counts: tuple[dict[Any, int], ...]


@dataclass(frozen=True, slots=True)
class DisagreementMap:
    """The answers to a question as a whole, and the units from most split to least."""

    overview: QuestionOverview
    units: tuple[SplitUnit, ...]


@dataclass(frozen=True, slots=True)
class Answers:
    """The standing answers of a study, and how many raters were left out of them."""

    ratings: list[Rating]
    excluded: int
    by_question: dict[str, list[Rating]] = field(default_factory=dict)
    # The dialogue of each unit that is a part of one: what raters say of its turns is not independent.
    dialogues: dict[int, int] = field(default_factory=dict)


def read_answers(
    connection: Connection, study_id: int, *, raters: str = "all", question: str | None = None
) -> Answers:
    """The answers that count, of all raters or of one kind, without those of excluded raters."""
    ratings = standing_ratings(connection, study_id, question=question, kind=kind_of(raters))
    by_question: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_question.setdefault(rating.question, []).append(rating)
    return Answers(
        ratings,
        len(excluded_raters(connection, study_id)),
        by_question,
        dialogues_of_parts(connection, study_id),
    )


def asked_questions(study: Study) -> list[str]:
    """The questions whose answers a study is about, in the order it asks them."""
    names: list[str] = []
    for stage in study.stages:
        if isinstance(stage, RateStage):
            names += stage.ask
        elif isinstance(stage, ChatStage) and stage.online is not None:
            names.append(stage.online.ask)
    return list(dict.fromkeys(names))


def stored_questions(definition: str) -> dict[str, Question]:
    """The questions of a study of which only the text of its file is here."""
    try:
        data = YAML(typ="safe").load(definition)
    except YAMLError:
        return {}
    if not isinstance(data, dict):
        return {}
    return add_built_in(build_questions(data.get("questions", {})), data).questions


def question_overviews(
    questions: Mapping[str, Question],
    answers: Answers,
    *,
    asked: Iterable[str] = (),
    resamples: int = RESAMPLES,
) -> list[QuestionOverview]:
    """Every question that is asked or was answered, in the order of the study."""
    names = dict.fromkeys([*asked, *answers.by_question])
    return [
        question_overview(
            name,
            questions.get(name),
            answers.by_question.get(name, []),
            dialogues=answers.dialogues,
            resamples=resamples,
        )
        for name in names
    ]


def question_overview(
    name: str,
    question: Question | None,
    ratings: Sequence[Rating],
    *,
    dialogues: Mapping[int, int] | None = None,
    resamples: int = RESAMPLES,
) -> QuestionOverview:
    """The answers to one question, measured at its level; intervals draw whole dialogues."""
    return _overview(name, question, ratings, _read(question, ratings), dialogues or {}, resamples)


def disagreement_map(
    name: str,
    question: Question | None,
    ratings: Sequence[Rating],
    *,
    dialogues: Mapping[int, int] | None = None,
    resamples: int = RESAMPLES,
) -> DisagreementMap:
    """From the distribution of all answers to the units that split raters."""
    reading = _read(question, ratings)
    overview = _overview(name, question, ratings, reading, dialogues or {}, resamples)
    by_unit: dict[Any, dict[str, Split]] = {}
    for facet, judgements in zip(reading.facets, reading.judgements, strict=True):
        for split in most_split_first(
            judgements, level=facet.level, options=facet.options, ends=facet.ends
        ):
            by_unit.setdefault(split.unit, {})[facet.name] = split
    units = [_split_unit(unit, splits, reading.facets) for unit, splits in by_unit.items()]
    return DisagreementMap(overview, tuple(sorted(units, key=lambda u: (-u.split, -u.n))))


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the answers to a question say: facets, and per facet what was judged."""

    facets: tuple[Facet, ...]
    judgements: tuple[list[Judgement], ...]
    unread: int


def _read(question: Question | None, ratings: Sequence[Rating]) -> _Reading:
    facets = () if question is None else facets_of(question, ratings)
    judgements: tuple[list[Judgement], ...] = tuple([] for _ in facets)
    unread = 0
    for unit, rater, codes in coded_answers(question, facets, ratings):
        unread += all(code is None for code in codes)
        for said, code in zip(judgements, codes, strict=True):
            if code is not None:
                said.append(Judgement(unit, rater, code))
    return _Reading(facets, judgements, unread)


def _overview(
    name: str,
    question: Question | None,
    ratings: Sequence[Rating],
    reading: _Reading,
    dialogues: Mapping[int, int],
    resamples: int,
) -> QuestionOverview:
    clusters = _clusters({rating.unit_id for rating in ratings}, dialogues)
    per_unit = Counter(unit for unit, _ in {(r.unit_id, r.rater_id) for r in ratings})
    return QuestionOverview(
        name=name,
        question=question,
        labels=len(ratings),
        raters=len({rating.rater_id for rating in ratings}),
        units=len(per_unit),
        shared=sum(count > 1 for count in per_unit.values()),
        older=0 if question is None else _older(question, ratings),
        unread=reading.unread,
        facets=tuple(
            FacetOverview(
                question=question,
                facet=facet,
                agreement=agreement(
                    judgements,
                    level=facet.level,
                    clusters=clusters,
                    method="bca",
                    resamples=resamples,
                ),
                tally=dict(Counter(judgement.value for judgement in judgements)),
            )
            for facet, judgements in zip(reading.facets, reading.judgements, strict=True)
        ),
        reason=_reason(question, ratings),
    )


def _clusters(units: Collection[int], dialogues: Mapping[int, int]) -> list[dict[Any, Any]]:
    """The dialogue of each unit, if two units share one; a unit without one is its own cluster."""
    found = {unit: dialogues.get(unit, -unit) for unit in units}
    return [found] if len(set(found.values())) < len(found) else []


def _older(question: Question, ratings: Iterable[Rating]) -> int:
    version = question.version
    return sum(rating.version != version for rating in ratings)


def _reason(question: Question | None, ratings: Sequence[Rating]) -> str:
    if question is None:
        return UNKNOWN
    if not ratings:
        return NO_ANSWERS
    return WORDS if question.level == "text" else ""


def _split_unit(unit: int, splits: Mapping[str, Split], facets: Sequence[Facet]) -> SplitUnit:
    widest = max(splits, key=lambda name: splits[name].split)
    return SplitUnit(
        unit,
        splits[widest].split,
        max(split.n for split in splits.values()),
        widest,
        tuple(splits[f.name].counts if f.name in splits else {} for f in facets),
    )
