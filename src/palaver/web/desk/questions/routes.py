"""The disagreement map of a question: from all answers to the turns that split raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import quote

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from palaver.core.questions.question import spoken
from palaver.core.units import UnitPlace
from palaver.core.words import decimals, shortened
from palaver.studies.review.answers import Facet, code_words, facet_words, unit_words
from palaver.studies.review.progress import StudyProgress
from palaver.studies.review.question_overview import QuestionOverview
from palaver.studies.review.questions import DisagreementMap, SplitUnit
from palaver.studies.review.views import JudgedUnits, judged_units, split_question
from palaver.web.desk.accounts import Person, deployment_of, for_role, root_of
from palaver.web.desk.frame import DeskShell, find_study, served_study, shell
from palaver.web.desk.parts import Fact, Pager, plain
from palaver.web.desk.questions import judgements
from palaver.web.desk.questions.judgements import Axis, Bar, Distribution
from palaver.web.formatting import alpha_interval, percent, with_query
from palaver.web.rendering import show
from palaver.web.shell import Choice

PAGE = 50
EXCERPT = 240


@dataclass(frozen=True, slots=True, kw_only=True)
class SplitRow:
    """A unit and how split raters are on it."""

    where: str
    url: str
    text: str
    others: tuple[Choice, ...]
    split: str
    width: float
    n: int
    widest: str
    answers: tuple[str, ...]
    bars: tuple[Bar, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """The disagreement map of a question."""

    template: ClassVar[str] = "desk/questions/question.html"
    shell: DeskShell
    title: str
    study_url: str
    overview: QuestionOverview
    text: str
    state: str
    answer: str
    excluded: str
    raters_url: str
    choices: tuple[Choice, ...]
    facts: tuple[Fact, ...]
    axis: Axis
    distributions: tuple[Distribution, ...]
    rows: tuple[SplitRow, ...]
    chosen: str
    all_url: str
    pager: Pager


@for_role("viewer")
async def show_map(request: Request, person: Person) -> Response:
    """All answers to a question, then its units from most split to least."""
    study = await find_study(request)
    served, name = served_study(request, study.name), plain(request.path_params["question"])
    asked = _Asked(request, study, name)

    def work(connection: Connection) -> QuestionPage:
        split = split_question(connection, study, name, served, asked.raters)
        found = split.found
        units = [unit for unit in found.units if asked.fits(unit, found.overview)]
        window = units[PAGE * asked.page : PAGE * (asked.page + 1)]
        judged = judged_units(connection, [unit.unit_id for unit in window])
        rows = [_row(unit, found.overview, judged, asked.root) for unit in window]
        return _page(request, person, asked, found, rows, len(units), split.excluded)

    return show(request, await deployment_of(request).store.read(work))


class _Asked:
    """What the address asks for."""

    def __init__(self, request: Request, study: StudyProgress, question: str) -> None:
        given = request.query_params
        page = given.get("page", "0")
        self.root = root_of(request)
        self.study_url = f"{self.root}/desk/studies/{study.name}"
        self.address = f"{self.study_url}/questions/{quote(question)}"
        self.title = study.title
        self.raters = judgements.chosen_raters(given.get("raters"))
        self.only = None if self.raters == "all" else self.raters
        self.facet = plain(given.get("of", ""))
        self.answer = plain(given.get("answer", ""))
        self.page = int(page) if page.isdecimal() and len(page) < 6 else 0

    def link(self, facet: Facet, code: Any) -> str:
        """The address of the units to which somebody gave this answer."""
        return (
            with_query(self.address, raters=self.only, of=facet.name, answer=str(code)) + "#splits"
        )

    def fits(self, unit: SplitUnit, overview: QuestionOverview) -> bool:
        """Whether somebody gave the answer that is asked for."""
        if not self.answer:
            return True
        return any(
            str(code) == self.answer
            for found, counts in zip(overview.facets, unit.counts, strict=True)
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


def _page(
    request: Request,
    person: Person,
    asked: _Asked,
    found: DisagreementMap,
    rows: Sequence[SplitRow],
    fitting: int,
    excluded: int,
) -> QuestionPage:
    overview, question = found.overview, found.overview.question
    state = _state(overview)
    return QuestionPage(
        shell=shell(request, person, f"{overview.name}: {state}", "studies"),
        title=asked.title,
        study_url=with_query(asked.study_url, raters=asked.only),
        overview=overview,
        text=spoken(question.text) if question is not None else "",
        state=state,
        answer=_split_sentence(found),
        excluded=judgements.excluded_words(excluded),
        raters_url=with_query(f"{asked.study_url}/raters", raters=asked.only),
        choices=judgements.rater_choices(asked.address, asked.raters),
        facts=_facts(overview),
        axis=judgements.axis_of([overview]),
        distributions=judgements.distributions(overview, link=asked.link),
        rows=tuple(rows),
        chosen=_chosen(asked, overview, fitting),
        all_url=with_query(asked.address, raters=asked.only) + "#splits",
        pager=Pager(
            previous_url=asked.at(asked.page - 1) if asked.page > 0 else "",
            next_url=asked.at(asked.page + 1) if PAGE * (asked.page + 1) < fitting else "",
        ),
    )


def _state(overview: QuestionOverview) -> str:
    if len(overview.facets) == 1:
        found = overview.facets[0]
        if found.alpha is not None:
            between = f" ({alpha_interval(found)})" if found.low is not None else ""
            return f"α = {decimals(found.alpha, 2)}{between}"
    return f"{overview.labels:,} labels" if overview.labels != 1 else "1 label"


def _split_sentence(found: DisagreementMap) -> str:
    total = len(found.units)
    if not total:
        return "No unit has been judged by two raters yet"
    agreed = sum(unit.split == 0 for unit in found.units)
    wide = sum(unit.split > 0.5 for unit in found.units)
    return (
        f"Raters agree fully on {agreed:,} of {total:,} units "
        f"and are split by more than half on {wide:,}"
    )


def _facts(overview: QuestionOverview) -> tuple[Fact, ...]:
    question = overview.question
    facts = [
        Fact(name="Labels", value=f"{overview.labels:,}"),
        Fact(name="Raters", value=f"{overview.raters:,}"),
        Fact(name="Units judged", value=f"{overview.units:,}"),
        Fact(name="Judged by two or more raters", value=f"{overview.shared:,}"),
    ]
    if question is not None:
        facts.append(Fact(name="Level of measurement", value=question.level))
    if len(overview.facets) == 1:
        measured = overview.facets[0]
        pairs = f"{percent(measured.percent)} of {measured.pairs:,} pairs"
        facts.append(Fact(name="Pairs that agree", value=pairs))
    if overview.older:
        facts.append(Fact(name="Answers to an older wording", value=f"{overview.older:,}"))
    if overview.unread:
        facts.append(
            Fact(name="Answers that no longer fit the question", value=f"{overview.unread:,}")
        )
    return tuple(facts)


def _chosen(asked: _Asked, overview: QuestionOverview, fitting: int) -> str:
    if not asked.answer:
        return ""
    for found in overview.facets:
        for code in found.tally:
            if found.facet.name == asked.facet and str(code) == asked.answer:
                words = code_words(overview.question, found.facet, code)
                about = facet_words(overview.question, found.facet)
                told = f"{about}: {words}" if about else words
                return f"{fitting:,} units where somebody answered “{told}”"
    return f"{fitting:,} units where somebody answered “{asked.answer}”"


def _row(
    unit: SplitUnit,
    overview: QuestionOverview,
    judged: JudgedUnits,
    root: str,
) -> SplitRow:
    place, question = judged.places[unit.unit_id], overview.question
    facets = [found.facet for found in overview.facets]
    shown = next(n for n, facet in enumerate(facets) if facet.name == unit.widest)
    text = judged.texts.get(unit.unit_id, "")
    return SplitRow(
        where=unit_words(place),
        url=_address(place, root),
        text=shortened(text, EXCERPT),
        others=tuple(
            Choice(label=f"the {side}: {key}", url=f"{root}/desk/dialogues/{key}")
            for side, key in zip(("first", "second"), place.sides or (), strict=False)
        ),
        split=f"{unit.split:.2f}",
        width=round(100 * unit.split, 2),
        n=unit.n,
        widest=facet_words(question, facets[shown]),
        answers=tuple(judgements.answer_list(question, facets[shown], unit.counts[shown])),
        bars=judgements.bars(question, facets[shown], unit.counts[shown]),
    )


def _address(place: UnitPlace, root: str) -> str:
    if place.dialogue is None:
        return ""
    spot = "" if place.first_seq is None else f"#e{place.first_seq}"
    return f"{root}/desk/dialogues/{place.dialogue}{spot or '#whole'}"


routes: list[BaseRoute] = [
    Route("/desk/studies/{study}/questions/{question}", show_map, methods=["GET"]),
]
