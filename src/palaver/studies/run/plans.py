"""From the stages of a study file to the plans that collection and annotation run by."""

from collections.abc import Mapping
from functools import partial

from palaver.annotation.plan import Check, RatePlan, ScreenPlan
from palaver.collection.limits import Limits
from palaver.collection.pace import Pace, PaceKeeper
from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.core.protocols import System
from palaver.studies.file.definition import Study
from palaver.studies.intake.trainings import Training
from palaver.studies.stages import PAY, Attention, ChatStage, Gold, RateStage, ScreenStage


def chat_plan(
    study: Study, study_id: int, index: int, stage: ChatStage, systems: Mapping[str, System]
) -> ChatPlan:
    """What live collection needs to know of one chat stage."""
    pace = stage.pace if stage.blind else None
    online = stage.online
    rules = stage.game_rules(study.folder)
    return ChatPlan(
        study=study.name,
        study_id=study_id,
        stage=index,
        rules=rules,
        conditions=tuple(
            ConditionPlan(c.name, c.systems, c.people, c.needed) for c in stage.conditions
        ),
        draw_scenario=partial(stage.draw_scenario, rules),
        systems=systems,
        limits=Limits(**stage.limits.model_dump()),
        keeper=PaceKeeper(None if pace is None else Pace(**pace.model_dump())),
        blind=stage.blind,
        rich_seats=stage.seats_of_systems if study.render == "markdown" else frozenset(),
        marks_words=online is not None and study.questions[online.ask].kind == "spans",
        partner_leaves=None if stage.partner_leaves == PAY else stage.partner_leaves,
        nobody_comes=None if stage.nobody_comes == PAY else stage.nobody_comes,
        judge_first=online.ask if online is not None and online.required else None,
    )


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


def _check(terms: Gold | Attention | None) -> Check | None:
    if terms is None:
        return None
    return Check(terms.after, terms.every, terms.allowed_mistakes, terms.on_fail)
