"""The disagreement map of a question: from all answers to the turns that split raters."""

from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.analysis.agreement import JudgeBesidePeople
from palaver.core.numbers import whole_number
from palaver.core.questions.comparative import FIRST, SECOND
from palaver.core.questions.question import Question
from palaver.core.units import UnitPlace
from palaver.core.words import counted, decimals
from palaver.studies.review.answers import (
    Facet,
    code_words,
    facet_words,
    unit_words,
    value_words,
)
from palaver.studies.review.judges import JudgedLabel
from palaver.studies.review.progress import StudyProgress
from palaver.studies.review.question_overview import OWN_CHATS, QuestionOverview
from palaver.studies.review.questions import (
    DisagreementMap,
    SplitPattern,
    SplitUnit,
    split_units,
)
from palaver.studies.review.views import (
    UnitPlaces,
    count_excluded,
    judged_units,
)
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, find_study, served_study, study_shell
from palaver.web.desk.measures.reading import Freshness, read_measured
from palaver.web.desk.parts import Pager, plain
from palaver.web.desk.questions import judgements
from palaver.web.desk.questions.judgements import Bar, Distribution
from palaver.web.formatting import alpha_interval, with_query
from palaver.web.rendering import show
from palaver.web.shell import ChoiceLink

PAGE = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRow:
    """A unit and how split raters are on it; `widest` is what divides them most."""

    unit: SplitUnit
    place: UnitPlace
    where: str
    text: str
    widest: str
    # Of a pair: the two systems, where they are known.
    sides: tuple[str, str]
    answers: list[str]
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeRow:
    """A judge and a label (empty where a question has one), with what is to be known of both."""

    label: str
    found: JudgeBesidePeople


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """The disagreement map of a question."""

    template: ClassVar[str] = "desk/questions/question.html"
    shell: DeskShell
    overview: QuestionOverview
    # The kind of rater that is chosen; None for all.
    raters: str | None
    answer: str
    excluded: str
    choices: tuple[ChoiceLink, ...]
    distributions: tuple[Distribution, ...]
    # Automatic judges beside people.
    judges: tuple[JudgeRow, ...]
    rows: list[SplitRow]
    chosen: str
    all_url: str
    pager: Pager
    freshness: Freshness


@for_role("viewer")
async def show_map(request: Request, person: Person) -> Response:
    """All answers to a question, then its units from most split to least."""
    study, name = await find_study(request), plain(request.path_params["question"])
    asked = _Asked(request, study, name)
    reading = await read_measured(request, study, asked.raters, lambda m, c: m.read_map(c, name))
    found = reading.value
    if found is None:
        question = _question(request, study, name)
        found = DisagreementMap(QuestionOverview(name=name, question=question), ())
    overview = found.overview
    fitting = [each for each in found.patterns if asked.fits(each, overview)]
    units = list(split_units(fitting, start=PAGE * asked.page, most=PAGE))
    judged, excluded = await deployment_of(request).store.read(
        lambda c: (
            judged_units(c, [unit.unit_id for unit in units]),
            count_excluded(c, study.name),
        )
    )
    count = sum(len(each.units) for each in fitting)
    state = _state(overview) if reading.value else "being measured"
    page = QuestionPage(
        shell=await study_shell(request, person, study, f"{name}: {state}", "Judgements"),
        overview=overview,
        raters=asked.only,
        answer=_split_sentence(found),
        excluded=judgements.excluded_words(excluded),
        choices=judgements.rater_choices(asked.address, asked.raters),
        distributions=judgements.distributions(overview, link=asked.link),
        judges=tuple(_judge_row(each, overview) for each in found.judges),
        rows=[_row(unit, overview, judged) for unit in units],
        chosen=_chosen(asked, overview, count),
        all_url=with_query(asked.address, raters=asked.only) + "#splits",
        pager=Pager(
            previous_url=asked.at(asked.page - 1) if asked.page > 0 else "",
            next_url=asked.at(asked.page + 1) if PAGE * (asked.page + 1) < count else "",
        ),
        freshness=reading.freshness,
    )
    return show(request, page)


def _question(request: Request, study: StudyProgress, name: str) -> Question | None:
    served = served_study(request, study.name)
    return served.definition.questions.get(name) if served is not None else None


class _Asked:
    """What the address asks for."""

    def __init__(self, request: Request, study: StudyProgress, question: str) -> None:
        given = request.query_params
        page = given.get("page", "0")
        study_url = f"{root_of(request)}/desk/studies/{study.name}"
        self.address = f"{study_url}/questions/{quote(question)}"
        self.raters = judgements.chosen_raters(given.get("raters"))
        self.only = None if self.raters == "all" else self.raters
        self.facet = plain(given.get("of", ""))
        self.answer = plain(given.get("answer", ""))
        self.page = whole_number(page, most=99_999) or 0

    def link(self, facet: Facet, code: Any) -> str:
        """The address of the units to which somebody gave this answer."""
        return (
            with_query(self.address, raters=self.only, of=facet.name, answer=str(code)) + "#splits"
        )

    def fits(self, units: SplitPattern, overview: QuestionOverview) -> bool:
        """Whether somebody gave the answer that is asked for."""
        if not self.answer:
            return True
        return any(
            str(code) == self.answer
            for found, counts in zip(overview.facets, units.counts, strict=True)
            if found.facet.name == self.facet
            for code in counts
        )

    def at(self, page: int) -> str:
        """The address of another page of the list."""
        return (
            with_query(
                self.address,
                raters=self.only,
                of=self.facet,
                answer=self.answer,
                page=page or None,
            )
            + "#splits"
        )


def _state(overview: QuestionOverview) -> str:
    if len(overview.facets) == 1:
        found = overview.facets[0]
        if found.alpha is not None:
            between = f" ({alpha_interval(found)})" if found.low is not None else ""
            return f"α = {decimals(found.alpha, 2)}{between}"
    return counted(overview.labels, "answer")


def _split_sentence(found: DisagreementMap) -> str:
    total = sum(len(each.units) for each in found.patterns)
    if found.overview.single:
        return OWN_CHATS
    if not total:
        return f"No {found.overview.about} has been judged by two raters yet"
    agreed = sum(len(each.units) for each in found.patterns if each.split == 0)
    wide = sum(len(each.units) for each in found.patterns if each.split > 0.5)
    return (
        f"Raters agree fully on {agreed:,} of {counted(total, found.overview.about)} "
        f"and are split by more than half on {wide:,}"
    )


def _chosen(asked: _Asked, overview: QuestionOverview, fitting: int) -> str:
    if not asked.answer:
        return ""
    where = f"{counted(fitting, overview.about)} where somebody answered"
    for found in overview.facets:
        for code in found.tally:
            if found.facet.name == asked.facet and str(code) == asked.answer:
                words = code_words(overview.question, found.facet, code)
                about = facet_words(overview.question, found.facet)
                told = f"{about}: {words}" if about else words
                return f"{where} “{told}”"
    return f"{where} “{asked.answer}”"


def _row(unit: SplitUnit, overview: QuestionOverview, judged: UnitPlaces) -> SplitRow:
    place, question = judged.places[unit.unit_id], overview.question
    shown, facet = next(
        (n, found.facet)
        for n, found in enumerate(overview.facets)
        if found.facet.name == unit.widest
    )
    one, other = judged.systems.get(unit.unit_id, (None, None))
    compares = question is not None and question.level == "pairwise"
    sides = {FIRST: one, SECOND: other} if compares else {}
    return SplitRow(
        unit=unit,
        place=place,
        where=unit_words(place),
        text=judged.texts.get(unit.unit_id, ""),
        widest=facet_words(question, facet),
        sides=(one or "the first", other or "the second"),
        answers=judgements.answer_list(question, facet, unit.counts[shown], sides),
        bars=judgements.bars(question, facet, unit.counts[shown], sides=sides),
    )


def _judge_row(judged: JudgedLabel, overview: QuestionOverview) -> JudgeRow:
    question = overview.question
    about = next(
        (
            facet_words(question, each.facet)
            for each in overview.facets
            if each.facet.name == judged.facet
        ),
        judged.facet,
    )
    answer = value_words(question, judged.name) if judged.name else ""
    return JudgeRow(label=": ".join(part for part in (about, answer) if part), found=judged.found)


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/questions/{question}", show_map, methods=["GET"]),
]
