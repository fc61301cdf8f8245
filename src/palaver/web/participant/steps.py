"""Fills in the pages of a visit: from where somebody is to what they see."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from starlette.requests import Request

from palaver.collection.pairing import Seating, Waiting, estimate
from palaver.core.protocols import Length
from palaver.core.questions.question import Shown
from palaver.core.questions.turns import role_of
from palaver.core.scenario import Scenario
from palaver.core.studies.visits import ACTIVE
from palaver.storage.dialogues.dialogues import StoredDialogue
from palaver.storage.people.participants import Assignment
from palaver.studies.run import flow
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.stages import ChatStage
from palaver.web import pages
from palaver.web.game_files import game_file
from palaver.web.participant.sentences import nobody_sentence, pay_after, pay_sentence
from palaver.web.security import csrf_token

AnyPage = (
    pages.ConsentPage
    | pages.InstructionsPage
    | pages.WaitingPage
    | pages.ChatPage
    | pages.SideBySidePage
    | pages.DonePage
    | pages.ProblemPage
    | pages.WithdrawPage
    | pages.AgainPage
    | pages.LeavePage
)

LETTERS: tuple[pages.Letter, pages.Letter] = ("A", "B")


class Visiting(Protocol):
    """What a page needs to know of a visit."""

    request: Request
    study: RunningStudy
    assignment: Assignment
    now: float
    notice: str

    @property
    def path(self) -> str: ...


def step_page(visit: Visiting, step: flow.Where) -> AnyPage:
    """The page of a step."""
    if isinstance(step, flow.Consenting):
        return _consent(visit)
    if isinstance(step, flow.Instructing):
        return _instructions(visit)
    if isinstance(step, flow.Seating):
        return pages.AgainPage(shell=shell(visit), action=f"{visit.path}/again", reason=step.reason)
    return _done(visit)


def shell(visit: Visiting) -> pages.Shell:
    """What stands around every page of a visit."""
    study, assignment = visit.study.definition, visit.assignment
    order = flow.steps(study)
    running = assignment.state == ACTIVE and assignment.step in order
    return pages.Shell(
        title=study.title,
        lang=study.language,
        dir=study.direction,
        step=order.index(assignment.step) + 1 if running else None,
        steps=len(order) if running else None,
        started_at=assignment.created if running else None,
        now=visit.now,
        problem_url=f"{visit.path}/problem",
        withdraw_url=f"{visit.path}/withdraw" if assignment.state != "withdrawn" else None,
        csrf=csrf_token(visit.request),
        notice=visit.notice,
    )


def _consent(visit: Visiting) -> pages.ConsentPage:
    consent = visit.study.definition.consent
    return pages.ConsentPage(
        shell=shell(visit),
        action=f"{visit.path}/consent",
        text=consent.text if consent else "",
        version=consent.version if consent else "",
    )


def _instructions(visit: Visiting) -> pages.InstructionsPage:
    study = visit.study.definition
    return pages.InstructionsPage(
        shell=shell(visit),
        action=f"{visit.path}/start",
        text=study.instructions or "",
        minutes=study.minutes,
        pay=pay_sentence(study),
    )


def chat_page(
    visit: Visiting, step: flow.Chatting, answers: Mapping[str, Mapping[int, Any]]
) -> pages.ChatPage | pages.SideBySidePage:
    """The conversation, or both; `answers` has what was said of messages, by dialogue."""
    stage = visit.study.definition.stages[step.stage]
    assert isinstance(stage, ChatStage)
    paired = len(step.dialogues) == 2
    instructions = visit.study.definition.instructions or ""
    if paired and stage.display == "side_by_side":
        first, second = step.dialogues
        return pages.SideBySidePage(
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
    return pages.ChatPage(
        shell=shell(visit),
        room=_room(visit, stage, current, letter, answers),
        label=f"Conversation {letter} of two" if paired else "",
        scenario=_scenario(visit, current),
        instructions=instructions,
    )


def _room(
    visit: Visiting,
    stage: ChatStage,
    stored: StoredDialogue,
    letter: pages.Letter,
    answers: Mapping[str, Mapping[int, Any]],
) -> pages.Room:
    rules, seat = visit.study.plans[stored.stage].rules, own_seat(visit, stored)
    length = rules.length or Length()
    return pages.Room(
        socket=f"{visit.path}/room/{stored.key}",
        seat=seat,
        exactly=length.exactly,
        at_least=length.at_least,
        max_characters=rules.max_characters,
        blind=stage.blind,
        letter=letter,
        count=stored.dialogue.message_count,
        over=stored.dialogue.is_over,
        next_url=visit.path,
        can_finish=rules.length is not None and length.exactly is None,
        composer=rules.composer(stored.dialogue, seat),
        game=_game_part(stage, stored.dialogue.scenario.seen_by(seat), seat),
        online=_online(visit, stage, stored, answers.get(stored.key, {})),
        quit_note="What you wrote is kept, and your visit ends.",
    )


def _game_part(stage: ChatStage, scenario: Scenario, seat: int) -> pages.GamePart | None:
    """The game's own parts for one seat; None where it has none."""
    game = stage.game.declaration
    if not (game.knowledge or game.moves):
        return None
    return pages.GamePart(
        knowledge=scenario.kb(seat),
        shared=scenario.extra,
        options=stage.game.read_options(),
        knowledge_template=game_file(game, game.knowledge),
        moves_template=game_file(game, game.moves),
        element=game_file(game, game.element),
        style=game_file(game, game.style),
    )


def _online(
    visit: Visiting, stage: ChatStage, stored: StoredDialogue, answers: Mapping[int, Any]
) -> pages.Online | None:
    if stage.online is None:
        return None
    question = visit.study.definition.questions[stage.online.ask]
    seat = own_seat(visit, stored)
    partner = next(s.index for s in stored.dialogue.seats if s.index != seat)
    return pages.Online(
        asked=pages.Asked(
            question=question,
            field=f"answer-{question.name}",
            shown=Shown(role=role_of(stored.dialogue, partner), seat=partner),
        ),
        url=f"{visit.path}/online",
        dialogue=stored.key,
        required=stage.online.required,
        answers=answers,
    )


def own_seat(visit: Visiting, stored: StoredDialogue) -> int:
    """The seat this participant holds in a dialogue."""
    return flow.own_seat(stored, visit.assignment.id)


def _scenario(visit: Visiting, stored: StoredDialogue) -> pages.ScenarioCard | None:
    scenario = stored.dialogue.scenario
    lines = scenario.persona(own_seat(visit, stored))
    if not lines and not scenario.title:
        return None
    return pages.ScenarioCard(title=scenario.title or "Your role", lines=lines)


def waiting_page(
    visit: Visiting, stage: int, outcome: Seating, waits: Sequence[float]
) -> pages.WaitingPage:
    """The waiting room."""
    assert isinstance(outcome, Waiting)
    plan = visit.study.plans[stage]
    waited = max(0.0, visit.now - outcome.since)
    minutes = None if plan.limits.waiting is None else round(plan.limits.waiting / 60, 1)
    return pages.WaitingPage(
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


def leave_page(visit: Visiting) -> pages.LeavePage:
    """Asks whether somebody really stops waiting."""
    return pages.LeavePage(shell=shell(visit), action=f"{visit.path}/leave", back_url=visit.path)


def full_page(visit: Visiting, *, final: bool) -> pages.DonePage:
    """There is no place for this participant."""
    return pages.DonePage(shell=shell(visit), reason="full" if final else "taken")


def _done(visit: Visiting) -> pages.DonePage:
    study, assignment = visit.study.definition, visit.assignment
    reason = assignment.reason if assignment.reason in pages.END_REASONS else "already_finished"
    code = assignment.code
    url = study.crowd.completion_url
    return pages.DonePage(
        shell=shell(visit),
        reason=reason,  # type: ignore[arg-type]
        code=code,
        pay=pay_after(study, reason=reason, waited=assignment.waited),
        completion_url=url.format(code=code) if url and code else None,
        message=study.thanks or "" if reason == "complete" else "",
    )


def problem_page(visit: Visiting, *, error: str = "", sent: bool = False) -> pages.ProblemPage:
    """ "Something is wrong"."""
    return pages.ProblemPage(
        shell=shell(visit),
        action=f"{visit.path}/problem",
        back_url=visit.path,
        sent_along=("which step you are at", "the time"),
        error=error,
        sent=sent,
    )


def withdraw_page(visit: Visiting, *, error: str = "") -> pages.WithdrawPage:
    """What withdrawing means."""
    return pages.WithdrawPage(
        shell=shell(visit), action=f"{visit.path}/withdraw", back_url=visit.path, error=error
    )
