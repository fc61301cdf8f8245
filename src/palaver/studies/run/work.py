"""The work in front of a rater: the screens of what they hold, and what they answered so far.

Three things bring work: one's own conversations, a sheet that was handed out, and a round of
practice. All three become the same `Work`, so that pages and saving know only one thing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from sqlalchemy import Connection

from palaver.annotation.assignment import Handed, Rater, handed
from palaver.annotation.plan import RatePlan, ScreenPlan
from palaver.annotation.screening import Screening
from palaver.annotation.screens import Asking, Screen, screens_of
from palaver.annotation.submission import PasteCount, Submission
from palaver.core.dialogue import Dialogue, Turn
from palaver.core.labels import Purpose
from palaver.core.questions.comparative import is_asked
from palaver.core.questions.question import Question, Shown
from palaver.core.questions.turns import role_of
from palaver.core.sheets import SheetPart
from palaver.core.units import dialogue_unit, event_unit
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.storage.dialogues.dialogues import StoredDialogue, load_dialogue
from palaver.storage.engine.store import Cache
from palaver.storage.evaluation.rounds import content_warning
from palaver.storage.judging.labels import Answers, answers_of_slot, answers_of_visit
from palaver.storage.judging.slots import had_any, held_by
from palaver.storage.people.participants import Assignment
from palaver.studies.file.definition import Study
from palaver.studies.run import flow
from palaver.studies.run.deployment import RunningStudy
from palaver.studies.stages import ChatStage, RateStage

Letter = Literal["", "A", "B"]
LETTERS: tuple[Letter, Letter] = ("A", "B")


@dataclass(frozen=True, slots=True, kw_only=True)
class Work:
    """What a rater has before them.

    `name` tells it from their other work; it has numbers of the store and never leaves the server.
    `seats` gives the rater's own seat in dialogues they took part in, `letters` the letters by which
    they know two of them. `attention` names the questions that only check attention. `is_settled`
    says that nothing but the answers can change, `has_drafts` that some may be kept unsent. A
    `notice` is read before anything of it is shown.
    """

    name: str
    stage: int
    screens: tuple[Screen, ...]
    answers: Answers
    purpose: Purpose = "real"
    slot_id: int | None = None
    seats: Mapping[str, int] = field(default_factory=dict)
    letters: Mapping[str, Letter] = field(default_factory=dict)
    attention: frozenset[str] = frozenset()
    screening: Screening | None = None
    is_settled: bool = False
    has_drafts: bool = True
    notice: str = ""

    def is_answered(self, screen: Screen) -> bool:
        """Whether every question of a screen was answered or left out on purpose."""
        return all(
            (a.unit.key, a.question.name) in self.answers or not self.is_asked(a)
            for a in screen.askings
        )

    def is_asked(self, asking: Asking) -> bool:
        """Whether a question is asked, as what it stands beside was answered so far."""
        beside = asking.question.beside
        compared = self.answers.get((asking.unit.key, beside)) if beside else None
        return not beside or compared is None or is_asked(asking.question, compared.value)

    def first_open(self) -> int:
        """The first screen with something to answer; the last one if there is none."""
        found = (n for n, screen in enumerate(self.screens) if not self.is_answered(screen))
        return next(found, len(self.screens) - 1)

    def open_besides(self, number: int) -> bool:
        """Whether a screen other than this one still has something to answer."""
        return any(
            n != number and not self.is_answered(screen) for n, screen in enumerate(self.screens)
        )

    def screen(self, number: int) -> Screen:
        """A screen as it is asked now; while mistakes are mended, about the wrong turns only."""
        screen = self.screens[number]
        if self.screening is None or not self.screening.mending:
            return screen
        missed = set(self.screening.mistakes[self.screening.round])
        return replace(
            screen,
            askings=tuple(
                asking
                for asking in screen.askings
                if asking.turn is None or asking.turn.events[0].seq in missed
            ),
        )

    def last_answered(self) -> float:
        """When the newest of its answers was given; 0 where there is none."""
        return max((answer.time for answer in self.answers.values()), default=0.0)

    def screen_name(self, number: int) -> str:
        """What a screen is called among those of its visit."""
        judged = "+".join(dialogue.id for dialogue in self.screens[number].dialogues)
        return f"{self.name}:{number}:{judged}"

    def purpose_of(self, asking: Asking) -> Purpose:
        """What a label to this question is for."""
        return "attention" if asking.question.name in self.attention else self.purpose


def rater_of(assignment: Assignment, people: Sequence[str] = ()) -> Rater:
    """The rater behind a visit; `people` are the names under which files may know them."""
    return Rater(
        assignment.id,
        assignment.key,
        assignment.participant_id,
        assignment.alias,
        (assignment.alias, *people),
    )


def rater_in(study: RunningStudy, assignment: Assignment, stage: int) -> Rater:
    """The rater of a visit, under every name by which a file of this stage may know them."""
    definition = study.definition.stages[stage]
    salt = definition.origin_salt if isinstance(definition, RateStage) else None
    person = assignment.person
    names = [] if person is None else [person]
    if person is not None and salt is not None:
        names.append(origin_pseudonym(salt, person))
    return rater_of(assignment, names)


def held_work(
    connection: Connection, study: RunningStudy, assignment: Assignment, kept: Cache[Work]
) -> Work | None:
    """The sheet that a visit holds at the step it is at, if it holds one.

    A sheet is looked at when its page is shown and again when it is sent. Nothing but the answers
    can change meanwhile, unless somebody whose words stand there withdraws.
    """
    plan = study.rates.get(flow.stage_of(assignment))
    if plan is None:
        return None
    slot = held_by(connection, assignment_id=assignment.id, stage=plan.stage)
    if slot is None:
        return None
    known = kept.get((slot.id, assignment.id, slot.since))
    if known is not None:
        answers = answers_of_slot(connection, slot.id)
        return replace(known, answers=answers, has_drafts=slot.has_drafts)
    rater = rater_in(study, assignment, plan.stage)
    work = sheet_work(connection, plan, rater, handed(connection, plan, rater, slot))
    if work.is_settled:
        kept.keep((slot.id, assignment.id, slot.since), replace(work, answers={}))
    return work


def first_warning(connection: Connection, study: Study, assignment: Assignment, index: int) -> str:
    """What a visit should know before its first sheet of a stage; empty later, and mostly."""
    stage = study.stages[index]
    source = stage.source if isinstance(stage, RateStage) else None
    if source is None or had_any(connection, assignment_id=assignment.id, stage=index):
        return ""
    return content_warning(connection, source)


def own_work(
    connection: Connection, study: Study, assignment: Assignment, step: flow.Rating
) -> Work:
    """The participant's own conversations."""
    seats = {d.key: flow.own_seat(d, assignment.id) for d in step.dialogues}
    dialogues = {d.key: d.dialogue for d in step.dialogues}
    if step.online:
        screens = tuple(_online_screens(study, step, seats))
        shuffle = False
    else:
        stage = study.stages[step.stage]
        assert isinstance(stage, RateStage)
        shuffle = stage.shuffle
        screens = tuple(
            screens_of(
                step.parts,
                dialogues,
                study.questions,
                seed=f"{assignment.key}:{step.stage}",
                shuffle=shuffle,
                as_held=True,
            )
        )
    return Work(
        name=f"own-{step.stage}",
        stage=step.stage,
        screens=screens,
        answers=answers_of_visit(connection, assignment.id),
        seats=seats,
        letters={d.key: LETTERS[d.position] for d in step.dialogues} if step.paired else {},
    )


def _online_screens(study: Study, step: flow.Rating, seats: Mapping[str, int]) -> Iterator[Screen]:
    stage = study.stages[step.stage]
    assert isinstance(stage, ChatStage)
    assert stage.online is not None
    question = study.questions[stage.online.ask]
    for number, stored in enumerate(step.dialogues):
        yield Screen(
            number,
            (stored.dialogue,),
            online_askings(question, stored.dialogue, seats[stored.key]),
        )


def online_askings(question: Question, dialogue: Dialogue, seat: int) -> tuple[Asking, ...]:
    """A question about each message of the partner, as asked while a chat runs."""
    return tuple(
        Asking(
            question,
            event_unit(dialogue.id, event.seq),
            Shown(role=role_of(dialogue, event.seat or 0), seat=event.seat, text=event.text),
            turn=Turn(event.seat or 0, [event]),
            # The page of a chat knows a message by its sequence number.
            number=event.seq,
        )
        for event in flow.judged_online(dialogue, seat)
    )


def sheet_work(connection: Connection, plan: RatePlan, rater: Rater, handed: Handed) -> Work:
    parts = handed.sheet.content.parts
    stored = _load(connection, parts)
    dialogues = {key: each.dialogue for key, each in stored.items()}
    screens = screens_of(
        parts, dialogues, plan.questions, seed=rater.assignment_key, shuffle=plan.shuffle
    )
    attention = handed.attention
    if attention is not None and screens:
        # A screen of its own would be counted on those before it, and so be known.
        last = screens[-1]
        check = Asking(attention, dialogue_unit(last.dialogues[0].id), Shown())
        screens[-1] = replace(last, askings=(*last.askings, check))
    return Work(
        name=f"sheet-{handed.slot_id}",
        stage=plan.stage,
        screens=tuple(screens),
        answers=answers_of_slot(connection, handed.slot_id),
        purpose="gold" if handed.sheet.purpose == "gold" else "real",
        slot_id=handed.slot_id,
        attention=frozenset({attention.name}) if attention is not None else frozenset(),
        is_settled=not any(each.people or each.group != each.key for each in stored.values()),
        has_drafts=handed.has_drafts,
        notice=handed.sheet.content.notice,
    )


def training_work(
    connection: Connection, plan: ScreenPlan, rater: Rater, screening: Screening
) -> Work:
    parts = screening.sheet.content.parts
    questions = {plan.question.name: plan.question}
    screens = screens_of(parts, load_parts(connection, parts), questions, seed=rater.assignment_key)
    return Work(
        name=f"practice-{screening.id}-{screening.round}",
        stage=plan.stage,
        screens=tuple(screens),
        answers=answers_of_visit(
            connection, rater.assignment_id, purpose="training", since=screening.started
        ),
        purpose="training",
        screening=screening,
    )


def load_parts(connection: Connection, parts: Sequence[SheetPart]) -> dict[str, Dialogue]:
    """The dialogues of a sheet, folded."""
    return {key: stored.dialogue for key, stored in _load(connection, parts).items()}


def _load(connection: Connection, parts: Sequence[SheetPart]) -> dict[str, StoredDialogue]:
    keys = {key for part in parts for key in part.dialogues}
    return {key: load_dialogue(connection, key) for key in sorted(keys)}


def submission_of(
    work: Work,
    asking: Asking,
    answer: object,
    *,
    study_id: int,
    version: int | None = None,
    rater: Rater,
    now: float,
    seconds: float | None,
    nonce: str,
    pastes: PasteCount | None = None,
    active: float | None = None,
) -> Submission:
    """One answer of a rater's form on its way to the door; None was left out on purpose."""
    return Submission(
        study_id=study_id,
        question=asking.question,
        unit=asking.unit,
        members=asking.members,
        shown=asking.shown,
        rater=rater.alias,
        rater_kind="person",
        participant_id=rater.participant_id,
        assignment_id=rater.assignment_id,
        slot_id=work.slot_id,
        purpose=work.purpose_of(asking),
        answer=answer,
        abstain=answer is None,
        seconds=seconds,
        pastes=pastes,
        active=active,
        client_id=f"{nonce}:{asking.field}:{asking.unit.key}",
        time=now,
        study_version=version,
    )
