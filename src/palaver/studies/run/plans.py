"""From the stages of a study file to the plans that collection and annotation run by."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from sqlalchemy import Connection

from palaver.annotation.plan import Check, RatePlan, ScreenPlan
from palaver.collection.limits import Limits
from palaver.collection.pace import Latencies, Pace, PaceKeeper
from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.core.disguise import Disguise
from palaver.core.errors import InputError
from palaver.core.model_names import names_of
from palaver.core.protocols import System
from palaver.core.studies.stops import VoteLimit
from palaver.storage.studies import quotas
from palaver.studies.file.definition import Study
from palaver.studies.intake.trainings import Training
from palaver.studies.stages import AGAIN, PAY, Attention, ChatStage, Gold, RateStage, ScreenStage

# How often a system that gave itself away is asked again, where the study says so.
ASK_AGAIN = 2


def chat_plan(
    study: Study,
    study_id: int,
    index: int,
    stage: ChatStage,
    systems: Mapping[str, System],
    *,
    latencies: Latencies | None = None,
) -> ChatPlan:
    """What live collection needs to know of one chat stage."""
    pace = stage.pace if stage.is_blind else None
    online = stage.online
    rules = stage.game_rules(study.folder)
    scenarios = stage.countable(rules)
    for problem in stage.counting_problems(rules):
        raise InputError(problem.message)
    return ChatPlan(
        study=study.name,
        study_id=study_id,
        stage=index,
        rules=rules,
        conditions=tuple(
            ConditionPlan(
                c.name,
                c.systems,
                c.people,
                c.needed if c.per_scenario is None else c.per_scenario * len(scenarios),
                None if c.per_scenario is None else dict.fromkeys(scenarios, c.per_scenario),
            )
            for c in stage.conditions
        ),
        draw_scenario=partial(stage.draw_scenario, rules),
        make_scenario=partial(stage.make_scenario, rules),
        practice=stage.practice,
        draws_seats=stage.draws_seats,
        systems=systems,
        limits=Limits(**stage.limits.model_dump()),
        keeper=PaceKeeper(
            None if pace is None else Pace(**pace.model_dump()), latencies or Latencies()
        ),
        blind=stage.is_blind,
        disguise=_disguise(study, stage),
        ask_again=ASK_AGAIN if stage.disguise and stage.disguise.on_match == "ask_again" else 0,
        rich_seats=stage.seats_of_systems if study.render == "markdown" else frozenset(),
        marks_words=online is not None and study.questions[online.ask].kind == "spans",
        partner_leaves=None if stage.partner_leaves in (PAY, AGAIN) else stage.partner_leaves,
        nobody_comes=None if stage.nobody_comes == PAY else stage.nobody_comes,
        judge_first=online.ask if online is not None and online.required else None,
        limit=_limit(study, index),
    )


def _limit(study: Study, index: int) -> VoteLimit | None:
    """Of every stage that brings votes: a study may have been stopped by a rule that is gone now."""
    if study.board_question is None or index not in study.board_stages:
        return None
    rule = study.board.stop
    return VoteLimit(study.board_question, None if rule is None else rule.at_most)


def _disguise(study: Study, stage: ChatStage) -> Disguise | None:
    """What gives the systems of a study away; None where they may be known."""
    if not stage.is_blind or stage.disguise is None:
        return None
    models = (
        name
        for choice in study.systems.values()
        for name in names_of(choice.kind, _texts(choice.options))
    )
    return Disguise(
        listed=stage.disguise.names,
        own=tuple(dict.fromkeys((*study.systems, *models))),
        as_people=stage.arrangement == "people",
    )


def _texts(options: Any, key: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a system's options, however deep, with the key it stands under."""
    if isinstance(options, str):
        yield key, options
    elif isinstance(options, Mapping):
        for inner, value in options.items():
            yield from _texts(value, str(inner))
    elif isinstance(options, list | tuple):
        for value in options:
            yield from _texts(value, key)


def rate_plan(study: Study, study_id: int, index: int, stage: RateStage) -> RatePlan:
    """What handing out sheets needs to know of one rate stage with a source."""
    checks = stage.attention.ask if stage.attention is not None else ()
    return RatePlan(
        study_id=study_id,
        stage=index,
        questions={name: study.questions[name] for name in stage.ask},
        per_visit=stage.per_visit,
        per_rater=stage.per_rater,
        at_once=stage.at_once,
        time_limit=stage.time_limit,
        shuffle=stage.shuffle,
        qualification=stage.qualification or f"{study.name}:{index}",
        gold=_check(stage.gold),
        attention=_check(stage.attention),
        attention_questions=tuple(study.questions[name] for name in checks),
        skips=stage.most_skips,
        limit=_limit(study, index),
    )


def screen_plan(
    study: Study, study_id: int, index: int, stage: ScreenStage, material: Training
) -> ScreenPlan:
    """What practice needs to know of one screen stage."""
    rule, training = stage.passing, material.training
    return ScreenPlan(
        study_id=study_id,
        stage=index,
        question=material.question,
        rounds=len(training.rounds),
        passing_rounds=tuple(training.passing_rounds if rule is None else rule.rounds),
        mistakes=training.mistakes if rule is None else rule.mistakes,
        attempts=stage.attempts,
        at_most=stage.at_most,
        qualification=stage.qualification or f"{study.name}:{index}",
    )


def practised_qualifications(study_id: int, study: Study) -> dict[tuple[int, int], str]:
    """The qualification of each practice of a study, by study and stage."""
    return {
        (study_id, index): stage.qualification or f"{study.name}:{index}"
        for index, stage in enumerate(study.stages)
        if isinstance(stage, ScreenStage)
    }


def _check(terms: Gold | Attention | None) -> Check | None:
    if terms is None:
        return None
    return Check(terms.after, terms.every, terms.allowed_mistakes, terms.on_fail)


def set_quotas(connection: Connection, plan: ChatPlan) -> None:
    """Make the places of a chat stage match its conditions."""
    if plan.practice:
        return
    whole = {name: quota for name, quota in plan.quotas.items() if name not in plan.by_scenario}
    quotas.set_quotas(connection, plan.study_id, plan.stage, whole)
    for condition in plan.conditions:
        if condition.each is not None:
            quotas.set_scenario_quotas(
                connection, plan.study_id, plan.stage, condition.name, each=condition.each
            )
