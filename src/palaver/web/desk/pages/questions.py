"""One question of a study, with the units on which raters are split."""

from dataclasses import dataclass
from typing import ClassVar

from palaver.studies.review.question_overview import FacetOverview
from palaver.web.desk.pages.judgements import Axis, Distribution, SplitRow
from palaver.web.desk.pages.parts import Fact, Pager
from palaver.web.desk.pages.shell import DeskShell
from palaver.web.pages import Choice


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionPage:
    """The disagreement map of a question."""

    template: ClassVar[str] = "researcher/question.html"
    shell: DeskShell
    title: str
    study_url: str
    name: str
    text: str
    state: str
    answer: str
    excluded: str
    raters_url: str
    choices: tuple[Choice, ...]
    facts: tuple[Fact, ...]
    reason: str
    facets: tuple[FacetOverview, ...]
    axis: Axis
    distributions: tuple[Distribution, ...]
    rows: tuple[SplitRow, ...]
    chosen: str
    all_url: str
    pager: Pager
