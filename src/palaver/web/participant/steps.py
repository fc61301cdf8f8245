"""Fills in the pages of a visit: from where somebody is, and a study's terms, to what they see."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from palaver.collection.pairing import Seating, Waiting, estimate
from palaver.core.events import COMPLETE
from palaver.core.protocols import Length
from palaver.core.questions.question import Shown
from palaver.core.questions.turns import role_of
from palaver.core.scenario import Scenario
from palaver.core.studies.outcomes import OVER_QUOTA, outcome_of
from palaver.core.studies.visits import ACTIVE, DECLINED, FINISHED, WITHDRAWN
from palaver.crowds.panels import Arrival
from palaver.games.model_in_the_loop.writing import WritingBrief
from palaver.storage.dialogues.dialogues import StoredDialogue
from palaver.storage.people.participants import Assignment
from palaver.studies.file.definition import Study
from palaver.studies.run import arrival, flow
from palaver.studies.run.dues import Owed, code_for, owed, way_back
from palaver.studies.run.erasure import withdrawal_reason
from palaver.studies.run.openings import MAY_PASS
from palaver.studies.run.participation import sent_by_panel
from palaver.studies.run.work import LETTERS, Letter
from palaver.studies.run.writing_visit import WritingTerms, WritingVisit
from palaver.studies.stages import ChatStage, WriteStage
from palaver.web.formatting import money
from palaver.web.participant.pages import (
    END_REASONS,
    AgainPage,
    ConsentPage,
    DonePage,
    EndReason,
    InstructionsPage,
    LeavePage,
    PractisedPage,
    ProblemPage,
    WaitingPage,
    WithdrawPage,
)
from palaver.web.participant.rating.pages import Asked
from palaver.web.participant.rehearsal_bar import rehearsal_bar
from palaver.web.participant.rooms.pages import (
    ChatPage,
    GamePart,
    OnlineQuestion,
    RoomView,
    ScenarioCard,
    SideBySidePage,
)
from palaver.web.participant.rooms.writing import WarningPage, WritePage, WritingPart
from palaver.web.participant.visit import Visit, kept_sent
from palaver.web.rendering import Page, game_file
from palaver.web.security import csrf_token
from palaver.web.shell import Shell

PRACTICE = "Practice round: your partner is a program, and nothing here counts."


def step_page(visit: Visit, step: flow.Where) -> Page:
    if isinstance(step, flow.Consenting):
        return _consent(visit)
    if isinstance(step, flow.Instructing):
        return _instructions(visit)
    if isinstance(step, flow.Seating):
        return again_page(visit, step)
    if isinstance(step, flow.Practised):
        return PractisedPage(
            shell=shell(visit),
            action=f"{visit.path}/practised",
            is_complete=step.reason == COMPLETE,
            words=step.words,
        )
    return done_page(visit)


def shell(visit: Visit) -> Shell:
    """What stands around every page of a visit."""
    study, assignment = visit.study.definition, visit.assignment
    order = flow.numbered_steps(study)
    running = assignment.state == ACTIVE and assignment.step in order
    return Shell(
        title=study.title,
        lang=study.language,
        dir=study.direction,
        step=order.index(assignment.step) + 1 if running else None,
        steps=len(order) if running else None,
        started_at=assignment.created if running else None,
        now=visit.now,
        problem_url=f"{visit.path}/problem",
        withdraw_url=f"{visit.path}/withdraw" if assignment.state != "withdrawn" else None,
        examples_url=f"{visit.path}/examples" if study.writes and is_known(assignment) else None,
        csrf=csrf_token(visit.request),
        rehearsal=rehearsal_bar(visit.request, assignment),
        notice=visit.notice,
    )


def is_known(assignment: Assignment) -> bool:
    """Whether what this visit gave is still under its name."""
    return assignment.state not in (WITHDRAWN, DECLINED)


def _consent(visit: Visit) -> ConsentPage:
    study = visit.study.definition
    return ConsentPage(
        shell=shell(visit),
        action=f"{visit.path}/consent",
        study=study,
        return_code=_return_code(visit),
    )


def _return_code(visit: Visit) -> str:
    """The return code, where this page is to tell it."""
    if not arrival.shows_return_code(visit.study.definition, visit.assignment):
        return ""
    return arrival.spaced(arrival.return_code(visit.deployment.secret, visit.assignment))


def again_page(visit: Visit, step: flow.Seating) -> AgainPage:
    return AgainPage(
        shell=shell(visit),
        action=f"{visit.path}/again",
        reason=step.reason,
        words=step.words,
        owed=_if_ended(visit, "quit"),
    )


def _instructions(visit: Visit) -> InstructionsPage:
    study = visit.study.definition
    return InstructionsPage(
        shell=shell(visit),
        action=f"{visit.path}/start",
        text=study.instructions or "",
        study=study,
        return_code=_return_code(visit),
    )


def chat_page(
    visit: Visit, step: flow.Chatting, answers: Mapping[str, Mapping[int, Any]]
) -> ChatPage | SideBySidePage | WritePage:
    """The conversation, or both; `answers` has what was said of messages, by dialogue."""
    stage = visit.study.definition.stages[step.stage]
    assert isinstance(stage, ChatStage)
    paired = len(step.dialogues) == 2
    if stage.practice:
        visit.notice = visit.notice or PRACTICE
    instructions = visit.study.definition.instructions or ""
    if paired and stage.display == "side_by_side":
        first, second = step.dialogues
        return SideBySidePage(
            shell=shell(visit),
            rooms=(
                _room(visit, stage, first, "A", answers),
                _room(visit, stage, second, "B", answers),
            ),
            next_url=visit.path,
            scenario=_scenario(visit, first),
            instructions=instructions,
        )
    current = step.dialogues[step.current]
    letter = LETTERS[current.position] if paired else ""
    room = _room(visit, stage, current, letter, answers)
    if isinstance(stage, WriteStage) and step.writing is not None:
        part = _writing_part(visit, stage, current, step.writing)
        room = replace(room, game=part, quit_note=_writing_note(visit))
        if not part.asked.form.talks:
            return WritePage(
                shell=shell(visit),
                room=room,
                part=part,
                instructions=instructions or _writing_terms(visit, current.stage).instructions,
            )
    return ChatPage(
        shell=shell(visit),
        room=room,
        label=_chat_label(stage, letter),
        scenario=_scenario(visit, current),
        instructions=instructions,
    )


def _chat_label(stage: ChatStage, letter: str) -> str:
    if stage.practice:
        return "Practice round"
    return f"Conversation {letter} of two" if letter else ""


def _room(
    visit: Visit,
    stage: ChatStage,
    stored: StoredDialogue,
    letter: Letter,
    answers: Mapping[str, Mapping[int, Any]],
) -> RoomView:
    rules, seat = visit.study.plans[stored.stage].rules, own_seat(visit, stored)
    length = rules.length or Length()
    return RoomView(
        socket=f"{visit.path}/room/{stored.key}",
        seat=seat,
        exactly=length.exactly,
        at_least=length.at_least,
        max_characters=rules.max_characters,
        blind=stage.is_blind,
        letter=letter,
        partner="Your practice partner" if stage.practice else "Your partner",
        count=stored.dialogue.message_count,
        over=stored.dialogue.is_over,
        next_url=visit.path,
        can_finish=rules.length is not None and length.exactly is None,
        composer=rules.composer(stored.dialogue, seat),
        game=_game_part(stage, stored.dialogue.scenario.seen_by(seat), seat),
        online=_online(visit, stage, stored, answers.get(stored.key, {})),
        quit_note=_quit_note(visit, stage),
    )


def _quit_note(visit: Visit, stage: ChatStage) -> str:
    if stage.practice:
        return "The practice round ends. You can start another one, or go on."
    return f"What you wrote is kept, and your visit ends.{_paid(_if_ended(visit, 'quit'))}"


def _game_part(stage: ChatStage, scenario: Scenario, seat: int) -> GamePart | None:
    """The game's own parts for one seat; None where it has none."""
    game = stage.game.declaration
    if not (game.knowledge or game.moves):
        return None
    return GamePart(
        knowledge=scenario.kb(seat),
        shared=scenario.extra,
        options=stage.game.read_options(),
        knowledge_template=game_file(game, game.knowledge),
        moves_template=game_file(game, game.moves),
        element=game_file(game, game.element),
        style=game_file(game, game.style),
    )


def _writing_part(
    visit: Visit, stage: WriteStage, stored: StoredDialogue, so_far: WritingVisit
) -> WritingPart:
    """What a page of writing shows: beside the chat where one talks, else the page itself."""
    game, pay = stage.game.declaration, visit.study.definition.pay
    asked = WritingBrief.of(stored.dialogue.scenario)
    terms = _writing_terms(visit, stored.stage).rounds.get(asked.round, stage.terms)
    talks = asked.form.talks
    return WritingPart(
        asked=asked,
        visit=so_far,
        terms=terms,
        currency=pay.currency if pay else "",
        knowledge_template=game_file(game, game.knowledge) if talks else "",
        moves_template="" if talks else game_file(game, game.moves),
        element=game_file(game, game.element),
        style="loop.css",
        side="What to find",
    )


def _writing_terms(visit: Visit, stage: int) -> WritingTerms:
    return visit.study.writing.get(stage, WritingTerms())


def _writing_note(visit: Visit) -> str:
    return f"What you kept stays, and your visit ends.{_paid(_if_ended(visit, 'quit'))}"


def seat_warning(visit: Visit, step: flow.Seating) -> WarningPage | None:
    """What somebody reads before the first text they write about, where the task has a warning."""
    warning = _writing_terms(visit, step.stage).content_warning
    return warning_page(visit, warning) if step.is_first and warning else None


def warning_page(visit: Visit, warning: str) -> WarningPage:
    """What somebody reads before the first text of a stage, to write about it or to judge it."""
    return WarningPage(
        shell=shell(visit),
        action=f"{visit.path}/warned",
        text=warning,
        goes_on=len(visit.study.definition.stages) > 1,
    )


def _online(
    visit: Visit, stage: ChatStage, stored: StoredDialogue, answers: Mapping[int, Any]
) -> OnlineQuestion | None:
    if stage.online is None:
        return None
    question = visit.study.definition.questions[stage.online.ask]
    seat = own_seat(visit, stored)
    partner = next(s.index for s in stored.dialogue.seats if s.index != seat)
    return OnlineQuestion(
        asked=Asked(
            question=question,
            field=f"answer-{question.name}",
            shown=Shown(role=role_of(stored.dialogue, partner), seat=partner),
        ),
        url=f"{visit.path}/online",
        dialogue=stored.key,
        required=stage.online.required,
        answers=answers,
    )


def own_seat(visit: Visit, stored: StoredDialogue) -> int:
    return flow.own_seat(stored, visit.assignment.id)


def _scenario(visit: Visit, stored: StoredDialogue) -> ScenarioCard | None:
    scenario = stored.dialogue.scenario
    lines = scenario.persona(own_seat(visit, stored))
    if not lines and not scenario.title:
        return None
    return ScenarioCard(title=scenario.title or "Your role", lines=lines)


def waiting_page(visit: Visit, stage: int, outcome: Seating, waits: Sequence[float]) -> WaitingPage:
    assert isinstance(outcome, Waiting)
    plan = visit.study.plans[stage]
    waited = max(0.0, visit.now - outcome.since)
    minutes = None if plan.limits.waiting is None else round(plan.limits.waiting / 60, 1)
    return WaitingPage(
        shell=shell(visit),
        socket=f"{visit.path}/waiting/{stage}",
        check_url=visit.path,
        leave_url=f"{visit.path}/leave",
        estimate=estimate(waits, waited),
        nobody=nobody_sentence(
            visit.study.definition, minutes=minutes, stand_in=plan.nobody_comes is not None
        ),
        waited=waited,
    )


def leave_page(visit: Visit, waited: float) -> LeavePage:
    due = _if_ended(visit, "waited", waited=waited)
    return LeavePage(
        shell=shell(visit),
        action=f"{visit.path}/leave",
        back_url=visit.path,
        owed=due,
        gives_code=code_for(visit.study.definition, "waited", waited=waited) is not None,
    )


def closed_page(visit: Visit, reason: str) -> DonePage:
    """There is nothing to do for this participant; the visit waits, should that change.

    Whoever was sent by a panel, or is paid for having come, need not wait: a button ends the visit.
    """
    study = visit.study.definition
    may_gain = study.crowd.panel is not None or (study.pay is not None and study.pay.over_quota > 0)
    may_stop = may_gain and not flow.has_chatted(study, max(flow.stage_of(visit.assignment), 0))
    return DonePage(
        shell=shell(visit),
        reason=_end_reason(reason),
        study=study,
        owed=_if_ended(visit, reason),
        stop_action=f"{visit.path}/stop" if may_stop and reason in MAY_PASS else "",
        stop_owed=_if_ended(visit, "turned_away") if may_stop else None,
        opens=visit.study.definition.dates.opening if reason == "not_yet_open" else None,
    )


def done_page(visit: Visit, written: WritingVisit | None = None) -> DonePage:
    """The end; `written` says what came of a visit that wrote against a model."""
    study, assignment = visit.study.definition, visit.assignment
    told = WITHDRAWN if assignment.state == WITHDRAWN else assignment.reason
    return DonePage(
        shell=shell(visit),
        reason=_end_reason(told),
        study=study,
        code=assignment.code,
        back_url=way_back(study, assignment.reason, code=assignment.code, sent=_sent(visit)),
        owed=owed(
            study.pay,
            state=assignment.state,
            reason=assignment.reason,
            waited=assignment.waited,
        ),
        waited=assignment.waited,
        written=written,
    )


def _sent(visit: Visit) -> Arrival:
    """What the panel sent; of somebody who was forgotten here only their own browser knows it."""
    kept = None
    if visit.assignment.person is None or visit.assignment.external_id is None:
        kept = kept_sent(visit.request, visit.assignment.key)
    return kept or sent_by_panel(visit.assignment)


def _end_reason(told: str) -> EndReason:
    """The end that the page has words for; one that closes the door is told as any other such."""
    if told in END_REASONS:
        return told  # type: ignore[return-value]
    shuts = told and outcome_of(told) == OVER_QUOTA
    return "turned_away" if shuts else "already_finished"


def _if_ended(visit: Visit, reason: str, *, waited: float = 0.0) -> Owed | None:
    """What this visit is owed if it ends for this reason now."""
    before = visit.assignment.waited
    pay = visit.study.definition.pay
    return owed(pay, state=FINISHED, reason=reason, waited=before + waited)


def _paid(due: Owed | None) -> str:
    if due is None:
        return ""
    return f" It is paid {money(due.amount, due.currency)}." if due.amount else " It is not paid."


def problem_page(visit: Visit, *, error: str = "", sent: bool = False) -> ProblemPage:
    return ProblemPage(
        shell=shell(visit),
        action=f"{visit.path}/problem",
        back_url=visit.path,
        sent_along=("which step you are at", "the time"),
        is_paid=visit.study.definition.pay is not None,
        error=error,
        sent=sent,
    )


def withdraw_page(visit: Visit, *, has_made_data: bool, error: str = "") -> WithdrawPage:
    return WithdrawPage(
        shell=shell(visit),
        action=f"{visit.path}/withdraw",
        back_url=visit.path,
        study=visit.study.definition,
        owed=_if_ended(visit, withdrawal_reason(visit.assignment)),
        has_made_data=has_made_data,
        error=error,
    )


def nobody_sentence(study: Study, *, minutes: float | None, stand_in: bool) -> str:
    """What happens when no partner comes."""
    after = "" if minutes is None else f" within {minutes:g} minutes"
    if stand_in:
        return (
            f"If nobody joins{after}, we find you another partner and you can start all the same."
        )
    pay, paid = study.pay, ""
    if pay is not None and pay.waiting_per_minute:
        rate = money(pay.waiting_per_minute, pay.currency)
        return f"If nobody joins{after}, you can leave; waiting is paid at {rate} a minute."
    if pay is not None and pay.amount:
        paid = " Waiting alone is not paid."
    return f"If nobody joins{after}, we tell you and you can leave. Your time is recorded.{paid}"
