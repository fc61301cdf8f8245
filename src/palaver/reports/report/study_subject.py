"""A study as the subject of a report."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from palaver.core.errors import InputError
from palaver.core.questions.comparative import FIRST, SECOND, TIE
from palaver.core.questions.question import Question
from palaver.core.registry import near
from palaver.evaluation.boards import Raters, VotePlan
from palaver.formats.frames import Frame
from palaver.reports.advice.finding import round_finding
from palaver.reports.report.subject import (
    VOTE_COLUMNS,
    QuestionRatings,
    QuestionVotes,
    Slugs,
    Subject,
)
from palaver.reports.report.transcripts import ReadTranscripts, read_transcripts
from palaver.reports.target import OpenStudy
from palaver.studies.review.answers import Facet
from palaver.studies.review.boards import chat_systems, plan_votes
from palaver.studies.review.evidence import MeasuredFacet, StudyEvidence
from palaver.studies.review.questions import asked_questions, own_questions
from palaver.studies.review.turns import with_turns

GIVEN, NOT_GIVEN = "given", "not given"
OTHER_LABEL, NO_LABEL = "another label", "no label"


def of_study(
    opened: OpenStudy,
    *,
    raters: str = "all",
    only: Collection[str] = (),
    dialogues: bool = False,
    mask: bool = False,
    without_flagged: bool = False,
    sections: Sequence[str] = (),
) -> Subject:
    """The answers of a study that count; `only` names the questions to report on (none: all).

    With `dialogues`, also what was said; `mask` replaces personal details in it.
    `without_flagged` leaves out who is too fast, repeats one answer or pastes texts; `sections` leaves
    the answers of some sections of released data.
    """
    flags = opened.flagged()
    evidence = opened.evidence(raters=raters, sections=sections)
    questions = evidence.by_plain_name(opened.questions)
    _check_known(only, questions)
    names = opened.rater_names()
    named = Slugs()
    own = own_questions(opened.definition) if opened.definition is not None else ()
    systems = chat_systems(opened.definition) if opened.definition is not None else ()
    ratings = [
        replace(
            _ratings(each, questions.get(each.question), named.of(each.name), evidence),
            is_own=each.question in own,
            systems=systems if each.question in own else (),
            rater_names=names,
        )
        for each in _as_asked(evidence.measured, opened)
        if not only or each.question in only
    ]
    kinds = [kind for each in evidence.measured for kind in each.ratings.column("rater_kind")]
    given = {rater for each in evidence.measured for rater in each.ratings.texts("rater")}
    said = read_transcripts(opened, mask=mask) if dialogues else ReadTranscripts()
    found = Subject(
        title=opened.definition.title if opened.definition else opened.stored.title,
        kind="study",
        name=opened.stored.name,
        ratings=tuple(ratings),
        votes=tuple(
            replace(each, rater_names=names)
            for each in _votes(opened, evidence, questions, only, raters)
        ),
        raters=raters,
        currency=_currency(opened),
        transcripts=said.transcripts,
        masking=said.masking,
        outcomes=opened.outcomes(),
        simulated=bool(kinds) and all(kind == "simulated" for kind in kinds),
        flags={rater: found for rater, found in flags.items() if rater in given},
        finding=None if only else round_finding(opened, raters),
        costs=None if only else opened.costs(),
    )
    # What the board says is of all raters.
    return replace(found.without_flagged(), finding=None) if without_flagged else found


def _as_asked(measured: Iterable[MeasuredFacet], opened: OpenStudy) -> list[MeasuredFacet]:
    """In the order in which the study asks, where that is known."""
    asked = asked_questions(opened.definition) if opened.definition is not None else []
    place = {name: n for n, name in enumerate(asked)}
    return sorted(measured, key=lambda each: place.get(each.question, len(place)))


def _ratings(
    measured: MeasuredFacet,
    question: Question | None,
    slug: str,
    evidence: StudyEvidence,
) -> QuestionRatings:
    facet = measured.facet
    codes = measured.ratings.column("value")
    # The same few answers come again and again; 1 and true are two of them.
    once = lru_cache(maxsize=None, typed=True)
    shown = list(map(once(facet.shown), codes))
    values = _values(facet, codes, shown)
    answers = list(map(once(partial(_answer, facet=facet)), shown))
    possible = tuple(_answer(each, facet) for each in facet.scale)
    is_choice = question is not None and question.level == "pairwise"
    if is_choice:
        answers, possible = _choices(measured, evidence.votes[measured.question], answers)
    elif facet.is_presence:
        answers, possible = _without_labels(measured, evidence, answers)
    columns = {
        "unit": measured.ratings.column("unit"),
        "rater": measured.ratings.column("rater"),
        "value": values,
        "answer": answers,
        "dialogue": measured.ratings.column("dialogue"),
        "system": measured.ratings.column("system"),
        "seconds": measured.ratings.column("seconds"),
    }
    return QuestionRatings(
        name=measured.name,
        question=measured.question,
        slug=slug,
        text=question.text if question is not None else "",
        level=facet.level,
        answers=possible,
        frame=Frame(measured.name, columns),
        order=_order(facet),
        is_presence=facet.is_presence,
        is_choice=is_choice,
        left_out=evidence.left_out.get(measured.question, {}),
    )


def _choices(
    measured: MeasuredFacet, votes: Frame, answers: list[str]
) -> tuple[list[str], tuple[str, ...]]:
    """The answers to a comparison as the names of the systems that were preferred."""
    columns = (votes.column(name) for name in ("unit", "rater", "model_a", "model_b"))
    sides = {
        (unit, rater): {FIRST: a, SECOND: b} for unit, rater, a, b in zip(*columns, strict=True)
    }
    keys = zip(measured.ratings.column("unit"), measured.ratings.column("rater"), strict=True)
    named = [
        sides.get(key, {}).get(answer, answer) for key, answer in zip(keys, answers, strict=True)
    ]
    return named, tuple(dict.fromkeys([*sorted(set(named) - {TIE}), TIE]))


def _without_labels(
    measured: MeasuredFacet, evidence: StudyEvidence, answers: list[str]
) -> tuple[list[str], tuple[str, ...]]:
    """Of several labels, those answers that give none of them are told from those that give others."""
    beside = evidence.named(measured.question)
    if len(beside) < 2:
        return answers, (GIVEN, NOT_GIVEN)
    rows = zip(*(each.ratings.column("value") for each in beside), strict=True)
    named = [
        answer if answer == GIVEN else OTHER_LABEL if any(codes) else NO_LABEL
        for answer, codes in zip(answers, rows, strict=True)
    ]
    return named, (GIVEN, OTHER_LABEL, NO_LABEL)


def _values(facet: Facet, codes: list[Any], shown: list[Any]) -> list[Any]:
    """Numbers where there are numbers: the points of a scale, else the place on it from 1."""
    if facet.is_presence:
        return [int(code) for code in codes]
    if facet.level != "ordinal":
        return codes
    return shown if _is_points(facet) else [code + 1 for code in codes]


def _is_points(facet: Facet) -> bool:
    """Whether the scale is of numbers that rise."""
    numbers = all(isinstance(each, int | float) for each in facet.scale)
    return numbers and list(facet.scale) == sorted(facet.scale)


def _order(facet: Facet) -> tuple[str, ...]:
    """The values of the scale as the table writes them, lowest first."""
    if facet.is_presence:
        return ("0", "1")
    if facet.level == "ordinal" and not _is_points(facet):
        return tuple(str(place + 1) for place in range(len(facet.scale)))
    return tuple(_answer(each, facet) for each in facet.scale)


def _answer(value: Any, facet: Facet) -> str:
    if facet.is_presence:
        return GIVEN if value else NOT_GIVEN
    return f"{value:g}" if isinstance(value, float) else str(value)


def _votes(
    opened: OpenStudy,
    evidence: StudyEvidence,
    questions: dict[str, Question],
    only: Collection[str],
    raters: str,
) -> tuple[QuestionVotes, ...]:
    study = opened.definition
    counted = study.board_question if study is not None else None
    plan = _plan(opened, raters)
    # A study that has no board, or whose file is not here, plans nothing: what is there is all.
    asked = evidence.votes.get(counted or "", ())
    inference = plan.inference(len(asked)) if plan is not None else "fixed"
    named = Slugs()
    found = []
    for name, frame in sorted(evidence.votes.items(), key=lambda each: each[0] != counted):
        if only and name not in only:
            continue
        table = Frame(name, {column: frame.column(column) for column in VOTE_COLUMNS})
        if inference == "anytime":
            table = _with_turns(opened, evidence.stored_name(name), table)
        found.append(
            QuestionVotes(
                name=name,
                question=name,
                slug=named.of(name),
                text=questions[name].text if name in questions else "",
                frame=table,
                planned=plan.awaited(len(frame)) if plan and name == counted else None,
                systems=tuple(sorted(study.compared_systems(name))) if study else (),
                inference=inference,
                within=plan.within if plan else None,
                stop=plan.stop if plan and name == counted else None,
            )
        )
    return tuple(found)


def _plan(opened: OpenStudy, raters: str) -> VotePlan | None:
    study = opened.definition
    if study is None or study.board_question is None:
        return None
    whose: Raters = "simulated" if raters == "simulated" else "all"
    return opened.store.read_now(lambda connection: plan_votes(connection, study, raters=whose))


def _with_turns(opened: OpenStudy, question: str, frame: Frame) -> Frame:
    return opened.store.read_now(lambda c: with_turns(c, opened.stored.id, question, frame))


def _currency(opened: OpenStudy) -> str:
    pay = opened.definition.pay if opened.definition is not None else None
    return pay.currency if pay is not None else ""


def _check_known(only: Collection[str], known: Iterable[str]) -> None:
    names = list(known)
    for name in only:
        if name not in names:
            hint = near(name, names) or f" It has: {', '.join(names) or 'none'}."
            raise InputError(f"The study has no question '{name}'.{hint}")
