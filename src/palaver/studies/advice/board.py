"""The board of a round: how often raters prefer each model's advice to the best of people's.

It is made of judgements alone, those of a study or of a file. People's best advice stands at one half
by definition; people's second advice, compared in the same way, is a control and is never ranked. A
board is provisional until every sheet has its raters.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import isfinite

from sqlalchemy import Connection

from palaver.analysis.advice import (
    HUMAN_RATE,
    PreferenceBoard,
    PreferenceRow,
    PreferenceTest,
    WorseAdvice,
    preference_board,
)
from palaver.analysis.advice.looks import LEAST
from palaver.analysis.agreement import Agreement
from palaver.analysis.ranking.verdict import Inference
from palaver.core.errors import InputError, MissingError
from palaver.core.estimates import MISSING, Estimate, Interval
from palaver.core.questions.question import spoken
from palaver.core.situations import CONTROL, AdviceJudgement, AdvisingModel
from palaver.core.studies.progress import SlotProgress
from palaver.core.words import counted
from palaver.evaluation.boards import Raters
from palaver.formats.advice.answers import read_models
from palaver.storage.judging.exclusions import count_excluded
from palaver.storage.judging.sheets import sheets_of
from palaver.storage.judging.slot_counts import progress
from palaver.storage.studies.studies import list_studies
from palaver.studies.advice.board_records import (
    LEVEL,
    AdviceBoard,
    AdviceRow,
    AskedQuestion,
    ModelStanding,
    Share,
    TopicShare,
    WorseShares,
)
from palaver.studies.advice.board_words import (
    PEOPLE_WORD,
    TOO_EARLY,
    board_answer,
    verdict_words,
)
from palaver.studies.advice.judgements import models_on_sheets, read_judgements
from palaver.studies.advice.round import AdviceRound, advice_round
from palaver.studies.file.definition import Study

CONTROL_TITLE = "People, second-best advice"
SEED = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFacts:
    """What is known of a round beside its judgements."""

    study: str = ""
    title: str
    models: Mapping[str, AdvisingModel] = field(default_factory=dict)
    # Those that are judged, whether or not anybody has.
    listed: Sequence[str] = ()
    asked: tuple[AskedQuestion, ...] = ()
    rated: SlotProgress | None = None
    excluded: int = 0


def round_facts(connection: Connection, found: AdviceRound, study_id: int) -> RoundFacts:
    """What the store and the folder of a round say."""
    study = found.study
    try:
        models = read_models(found.answers)
    except (InputError, OSError):
        models = {}
    sheets = sheets_of(connection, study_id, found.index, "real")
    return RoundFacts(
        study=study.name,
        title=study.title,
        models=models,
        listed=models_on_sheets(sheets),
        asked=tuple(
            AskedQuestion(name=name, text=spoken(study.questions[name].text))
            for name in found.stage.ask
            if name in study.questions
        ),
        rated=progress(connection, study_id, found.index),
        excluded=count_excluded(connection, study.name),
    )


def read_round_board(
    connection: Connection, study: Study, raters: Raters = "all", *, now: float
) -> AdviceBoard:
    """The board of a round as its judgements stand; MissingError where it is not stored yet."""
    found = advice_round(study)
    study_id = stored_id(connection, study.name)
    judgements = read_judgements(connection, found, study_id, raters)
    facts = round_facts(connection, found, study_id)
    return board_of(judgements, facts, raters=raters, now=now)


def stored_id(connection: Connection, name: str) -> int:
    """The number of a study in the store; MissingError where it is not there."""
    for study in list_studies(connection):
        if study.name == name:
            return study.id
    raise MissingError(
        f"Nothing of the study '{name}' is stored here yet. Open its rating first: palaver advice run"
    )


def board_of(
    judgements: Sequence[AdviceJudgement],
    facts: RoundFacts,
    *,
    raters: Raters = "all",
    now: float = 0.0,
    seed: int = SEED,
) -> AdviceBoard:
    """The board of some judgements."""
    inference: Inference = "fixed" if is_final(facts) else "anytime"
    preferences = preference_board(judgements, seed=seed, level=LEVEL, inference=inference)
    return board_of_preferences(preferences, facts, raters=raters, now=now)


def _answer(preferences: PreferenceBoard, rows: Sequence[AdviceRow], *, final: bool) -> str:
    judged = [row.situations for row in preferences.rows]
    if preferences.inference == "anytime" and judged and max(judged) < LEAST:
        return (
            f"Too early to tell: {counted(max(judged), 'situation')} "
            f"{'is' if max(judged) == 1 else 'are'} judged, and nothing is decided before {LEAST}"
        )
    return board_answer(rows, final=final)


def is_final(facts: RoundFacts) -> bool:
    """Whether all planned judgements are in; what is not planned is all there is."""
    return facts.rated is None or 0 < facts.rated.needed <= facts.rated.done


def board_of_preferences(
    preferences: PreferenceBoard, facts: RoundFacts, *, raters: Raters = "all", now: float = 0.0
) -> AdviceBoard:
    """The board that statistics of judgements make."""
    titled = partial(_model, _distinct(facts.models))
    rows = [_row(row, titled, preferences.level) for row in preferences.rows]
    control = preferences.control and _row(preferences.control, titled, preferences.level)
    known = {row.model.name for row in rows}
    waiting = [name for name in facts.listed if name not in known and name != CONTROL]
    rows += [AdviceRow(model=titled(name), rate=Share(value=None)) for name in waiting]
    if control is None and CONTROL in facts.listed:
        control = AdviceRow(model=titled(CONTROL), rate=Share(value=None))
    return AdviceBoard(
        study=facts.study,
        title=facts.title,
        state="final" if is_final(facts) and preferences.judgements else "provisional",
        answer=_answer(preferences, rows, final=is_final(facts)),
        human_rate=HUMAN_RATE,
        raters=raters,
        done=None if facts.rated is None else facts.rated.done,
        needed=None if facts.rated is None else facts.rated.needed,
        rows=tuple(rows),
        control=control or None,
        situations=preferences.situations,
        judgements=preferences.judgements,
        people=preferences.raters,
        topics=tuple(topic for topic in preferences.topics if topic),
        asked=facts.asked,
        excluded=facts.excluded,
        level=preferences.level,
        inference=preferences.inference,
        method=preferences.method,
        warnings=preferences.warnings,
        updated=now,
    )


def _distinct(models: Mapping[str, AdvisingModel]) -> dict[str, AdvisingModel]:
    """The models by name; where several have one title, each says its name as well."""
    titles = Counter(_called(each) for each in models.values())
    return {
        name: replace(each, title=f"{_called(each)} ({name})")
        if titles[_called(each)] > 1
        else each
        for name, each in models.items()
    }


def _model(models: Mapping[str, AdvisingModel], name: str) -> AdvisingModel:
    if name == CONTROL:
        return AdvisingModel(name=CONTROL, title=CONTROL_TITLE)
    return models.get(name) or AdvisingModel(name=name)


def _row(row: PreferenceRow, titled: Callable[[str], AdvisingModel], level: float) -> AdviceRow:
    return AdviceRow(
        model=titled(row.model),
        rate=_share(row.rate, row.low, row.high, row.situations),
        preferred=row.preferred,
        even=row.even,
        judgements=row.judgements,
        raters=row.raters,
        continuous=_of_estimate(row.degree_share),
        votes=_of_estimate(row.votes),
        topics=tuple(
            TopicShare(
                topic=each.topic, rate=_share(each.rate, each.low, each.high, each.situations)
            )
            for each in row.topics
        ),
        lost=_worse(row.lost),
        won=_worse(row.won),
        agreement=_of_agreement(row.sides),
        agreeing=row.sides.percent,
        people=_standing(row.against_people, PEOPLE_WORD, level),
        best=_beside_best(row.against_best, titled, level),
    )


def _beside_best(
    test: PreferenceTest | None, titled: Callable[[str], AdvisingModel], level: float
) -> ModelStanding | None:
    return None if test is None else _standing(test, _called(titled(test.other)), level)


def _called(model: AdvisingModel) -> str:
    return model.title or model.name


def _standing(test: PreferenceTest, other: str, level: float) -> ModelStanding:
    sure = test.is_significant(level) and isfinite(test.difference)
    direction = (1 if test.difference > 0 else -1) if sure else 0
    return ModelStanding(
        other=test.other,
        words=verdict_words(direction, other) if isfinite(test.p) or test.reason else TOO_EARLY,
        direction=direction,
        difference=_share(test.difference, test.low, test.high, test.situations),
        p=_number(test.p),
        adjusted=_number(test.adjusted),
    )


def _worse(said: WorseAdvice) -> WorseShares:
    return WorseShares(
        judgements=said.judgements,
        still={name: _of_estimate(each) for name, each in said.still.items()},
        reasons={name: _of_estimate(each) for name, each in said.reasons.items()},
    )


def _of_estimate(found: Estimate) -> Share:
    ends = found.interval or Interval(MISSING, MISSING)
    return _share(found.value, ends.low, ends.high, found.n)


def _of_agreement(found: Agreement) -> Share:
    ends = found.interval or Interval(MISSING, MISSING)
    return _share(found.alpha, ends.low, ends.high, found.units)


def _share(value: float | None, low: float | None, high: float | None, n: int) -> Share:
    return Share(value=_number(value), low=_number(low), high=_number(high), n=n)


def _number(value: float | None) -> float | None:
    return value if value is not None and isfinite(value) else None
