"""What raters said in a study, measured: per question and unit by unit.

It joins the definition (which question, at which level) with the store (who said what) and the
statistics. Excluded raters are out of every number here.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from sqlalchemy import Connection

from palaver.analysis.agreement import RESAMPLES, Judgement, agreement
from palaver.analysis.disagreement import Split, most_split_first
from palaver.core.questions.comparative import FIRST, NEITHER, TIE
from palaver.core.questions.question import Question
from palaver.core.studies.raters import StoredRater
from palaver.storage.judging.evidence import Preference, count_left_out, count_preferences
from palaver.storage.judging.exclusions import excluded_raters
from palaver.storage.judging.ratings import Rating, dialogues_of_parts, standing_ratings
from palaver.storage.judging.speakers import speakers_of_units
from palaver.storage.people.rater_work import raters_of
from palaver.storage.studies.studies import study_by_id
from palaver.studies.file.definition import Study
from palaver.studies.file.questions import add_built_in, build_questions
from palaver.studies.review.answers import (
    SIDES,
    Facet,
    Speakers,
    coded_answers,
    facets_of,
    labels_of,
    speakers_apart,
)
from palaver.studies.review.judges import JudgedLabel, question_judges
from palaver.studies.review.question_overview import AnswerCount, FacetOverview, QuestionOverview
from palaver.studies.review.raters import kind_of
from palaver.studies.stages import ChatStage, RateStage

WORDS = "free-text answers are read, not measured"
NO_ANSWERS = "nobody has answered it yet"
# Answers without a label that are worded in more ways than these are counted together.
MOST_WORDINGS = 3
NO_LABEL = "none of the labels"
UNKNOWN = "this question is no longer in the study's file"


@dataclass(frozen=True, slots=True)
class SplitPattern:
    """How split raters are on some units, all with the same answers; most on the facet `widest`.

    `counts` are facet by facet. A hundred thousand units have a few hundred patterns.
    """

    split: float
    n: int
    widest: str
    counts: tuple[dict[Any, int], ...]
    units: tuple[int, ...]


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
    patterns: tuple[SplitPattern, ...]
    # Automatic judges beside people, label by label.
    judges: tuple[JudgedLabel, ...] = ()

    @property
    def units(self) -> tuple[SplitUnit, ...]:
        return tuple(split_units(self.patterns))


def split_units(
    patterns: Iterable[SplitPattern], *, start: int = 0, most: int | None = None
) -> Iterator[SplitUnit]:
    """The units of some patterns one by one, or so `most` of them from one on."""
    units = ((pattern, unit) for pattern in patterns for unit in pattern.units)
    for pattern, unit in islice(units, start, None if most is None else start + most):
        yield SplitUnit(unit, pattern.split, pattern.n, pattern.widest, pattern.counts)


@dataclass(frozen=True, slots=True)
class StandingAnswers:
    """The standing answers of a study, and how many raters were left out of them."""

    ratings: list[Rating]
    excluded: int
    by_question: dict[str, list[Rating]] = field(default_factory=dict)
    # The dialogue of each unit that is a part of one: what raters say of its turns is not independent.
    dialogues: dict[int, int] = field(default_factory=dict)
    # Who spoke in the units that are turns, where questions offer speakers different answers.
    speakers: Speakers = field(default_factory=dict)
    # How often a question was left out on purpose, and of comparisons which systems were preferred.
    left_out: dict[str, int] = field(default_factory=dict)
    preferences: dict[str, list[Preference]] = field(default_factory=dict)
    # Who they are, where all kinds of raters are read: judges are compared with people.
    raters: dict[int, StoredRater] = field(default_factory=dict)


def read_answers(
    connection: Connection,
    study_id: int,
    *,
    raters: str = "all",
    question: str | None = None,
    questions: Mapping[str, Question] | None = None,
) -> StandingAnswers:
    """The answers that count, of all raters or of one kind, without those of excluded raters.

    Where `questions` are given, what is not measured is counted, too: what was left out of those
    that may be, and the systems that comparisons preferred.
    """
    ratings = standing_ratings(connection, study_id, question=question, kind=kind_of(raters))
    by_question: dict[str, list[Rating]] = {}
    for rating in ratings:
        by_question.setdefault(rating.question, []).append(rating)
    return StandingAnswers(
        ratings,
        len(excluded_raters(connection, study_id)),
        by_question,
        dialogues_of_parts(connection, study_id),
        speakers=(
            speakers_of_units(connection, study_id)
            if any(map(speakers_apart, (questions or {}).values()))
            else {}
        ),
        raters=raters_of(connection, study_id) if raters == "all" else {},
        **_beside(connection, study_id, raters, question, questions or {}),
    )


def _beside(
    connection: Connection,
    study_id: int,
    raters: str,
    question: str | None,
    questions: Mapping[str, Question],
) -> dict[str, Any]:
    asked = {name: each for name, each in questions.items() if question in (None, name)}
    kind = kind_of(raters)
    left_out: Counter[str] = Counter()
    if any(not each.required for each in asked.values()):
        for found in count_left_out(connection, study_id, question=question, kind=kind):
            left_out[found.question] += found.count
    study = study_by_id(connection, study_id).name
    preferences = {
        name: [
            each
            for each in count_preferences(connection, study, name)
            if kind in (None, each.rater_kind)
        ]
        for name, each in asked.items()
        if each.level == "pairwise"
    }
    return {"left_out": dict(left_out), "preferences": preferences}


def asked_questions(study: Study) -> list[str]:
    """The questions whose answers a study is about, in the order it asks them."""
    names: list[str] = []
    for stage in study.stages:
        if isinstance(stage, RateStage):
            names += stage.ask
        elif isinstance(stage, ChatStage) and stage.online is not None:
            names.append(stage.online.ask)
    return list(dict.fromkeys(names))


def own_questions(study: Study) -> frozenset[str]:
    """The questions that people answer about their own conversations only."""
    own: set[str] = set()
    others: set[str] = set()
    for stage in study.stages:
        if isinstance(stage, RateStage):
            (others if stage.has_source else own).update(stage.ask)
        elif isinstance(stage, ChatStage) and stage.online is not None:
            own.add(stage.online.ask)
    return frozenset(own - others)


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
    answers: StandingAnswers,
    *,
    asked: Iterable[str] = (),
    own: Collection[str] = (),
    resamples: int = RESAMPLES,
) -> list[QuestionOverview]:
    """Every question that is asked or was answered, in the order of the study.

    `own` are those that people answer about their own conversations.
    """
    names = dict.fromkeys([*asked, *answers.by_question])
    return [
        question_overview(
            name,
            questions.get(name),
            answers,
            own=name in own,
            resamples=resamples,
        )
        for name in names
    ]


def question_overview(
    name: str,
    question: Question | None,
    answers: StandingAnswers,
    *,
    own: bool = False,
    resamples: int = RESAMPLES,
) -> QuestionOverview:
    """The answers to one question, measured at its level; intervals draw whole dialogues."""
    reading = _read(question, answers.by_question.get(name, []), answers.speakers)
    return _overview(name, question, answers, reading, own, resamples)


def disagreement_map(
    name: str,
    question: Question | None,
    answers: StandingAnswers,
    *,
    own: bool = False,
    resamples: int = RESAMPLES,
) -> DisagreementMap:
    """From the distribution of all answers to the units that split raters."""
    reading = _read(question, answers.by_question.get(name, []), answers.speakers)
    overview = _overview(name, question, answers, reading, own, resamples)
    by_unit: dict[Any, dict[str, Split]] = {}
    for facet, judgements in zip(reading.facets, reading.judgements, strict=True):
        for split in most_split_first(
            judgements, level=facet.level, options=facet.options, ends=facet.ends
        ):
            by_unit.setdefault(split.unit, {})[facet.name] = split
    judges = question_judges(
        reading.facets,
        reading.judgements,
        answers.raters,
        _clusters({each.unit_id for each in answers.by_question.get(name, [])}, answers.dialogues),
        resamples=resamples,
    )
    return DisagreementMap(overview, _patterns(by_unit, reading.facets), judges)


@dataclass(frozen=True, slots=True)
class _Reading:
    """What the answers to a question say: facets, and per facet what was judged."""

    facets: tuple[Facet, ...]
    judgements: tuple[list[Judgement], ...]
    unread: int


def _read(question: Question | None, ratings: Sequence[Rating], speakers: Speakers) -> _Reading:
    facets = () if question is None else facets_of(question, ratings, speakers)
    judgements: tuple[list[Judgement], ...] = tuple([] for _ in facets)
    unread = 0
    for unit, rater, codes in coded_answers(question, facets, ratings, speakers):
        unread += all(code is None for code in codes)
        for said, code in zip(judgements, codes, strict=True):
            if code is not None:
                said.append(Judgement(unit, rater, code))
    return _Reading(facets, judgements, unread)


def _overview(
    name: str,
    question: Question | None,
    answers: StandingAnswers,
    reading: _Reading,
    own: bool,
    resamples: int,
) -> QuestionOverview:
    ratings = answers.by_question.get(name, [])
    clusters = _clusters({rating.unit_id for rating in ratings}, answers.dialogues)
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
                tally=(tally := dict(Counter(judgement.value for judgement in judgements))),
                by_system=_by_system(question, tally, answers.preferences.get(name, [])),
            )
            for facet, judgements in zip(reading.facets, reading.judgements, strict=True)
        ),
        reason=_reason(question, ratings),
        unlabelled=_unlabelled(question, reading.facets, ratings),
        left_out=answers.left_out.get(name, 0),
        single=own and all(count == 1 for count in per_unit.values()),
    )


def _by_system(
    question: Question | None, tally: Mapping[Any, int], preferences: Iterable[Preference]
) -> tuple[AnswerCount, ...]:
    """How often each system was preferred, and how often none; nothing but for comparisons.

    Answers about pairs in which a side has no single system keep the words of their side.
    """
    counts: Counter[str] = Counter()
    left = Counter(tally)
    for each in preferences:
        left[each.value] -= each.count
        counts.update({each.first: 0, each.second: 0})
        if each.value in SIDES:
            counts[each.first if each.value == FIRST else each.second] += each.count
    if question is None or not counts:
        return ()
    ties = str(getattr(question, "label_tie", TIE))
    named = [AnswerCount(system, count) for system, count in sorted(counts.items())]
    tied = [AnswerCount(ties, tally.get(TIE, 0))]
    if neither := str(getattr(question, "label_neither", "")):
        tied.append(AnswerCount(neither, tally.get(NEITHER, 0)))
    unknown = [AnswerCount(SIDES[side], left[side]) for side in SIDES if left[side] > 0]
    return (*named, *tied, *unknown)


def _unlabelled(
    question: Question | None, facets: Sequence[Facet], ratings: Sequence[Rating]
) -> tuple[AnswerCount, ...]:
    """The answers that give none of the labels, in the words of whoever gave them."""
    if question is None or not facets or not all(facet.is_presence for facet in facets):
        return ()
    words = Counter(
        question.in_words(rating.value) if rating.version == question.version else NO_LABEL
        for rating in ratings
        if not labels_of(question, rating)
    )
    if len(words) > MOST_WORDINGS:
        words = Counter({NO_LABEL: words.total()})
    return tuple(AnswerCount(answer, count) for answer, count in words.most_common())


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


def _patterns(
    by_unit: Mapping[int, Mapping[str, Split]], facets: Sequence[Facet]
) -> tuple[SplitPattern, ...]:
    """The units by what was answered, from most split to least, and from most raters to fewest."""
    found: dict[Any, list[int]] = {}
    splits: dict[Any, Mapping[str, Split]] = {}
    for unit, by_facet in by_unit.items():
        key = tuple(
            (name, tuple(sorted(split.counts.items(), key=str))) for name, split in by_facet.items()
        )
        found.setdefault(key, []).append(unit)
        splits.setdefault(key, by_facet)
    patterns = [_pattern(splits[key], units, facets) for key, units in found.items()]
    return tuple(sorted(patterns, key=lambda each: (-each.split, -each.n)))


def _pattern(
    splits: Mapping[str, Split], units: Sequence[int], facets: Sequence[Facet]
) -> SplitPattern:
    widest = max(splits, key=lambda name: splits[name].split)
    return SplitPattern(
        splits[widest].split,
        max(split.n for split in splits.values()),
        widest,
        tuple(splits[f.name].counts if f.name in splits else {} for f in facets),
        tuple(units),
    )
