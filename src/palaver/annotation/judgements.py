"""Judgements that a program sends: a model judge names what it judged and what it says.

They come to the same door as people's answers (`submission`), about the same units: a turn that a
rater would be asked about is found through the question, so that both speak of one thing. Everything
is checked before anything is stored, and an error says which judgement it is about.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sqlalchemy import Connection

from palaver.annotation.screens import Asking, turn_askings
from palaver.annotation.submission import Accepted, Submission, read_answer, submit_answers
from palaver.core.audit import Actor
from palaver.core.dialogue import Dialogue
from palaver.core.errors import InputError
from palaver.core.questions.comparative import SIDES
from palaver.core.questions.question import Question, Shown
from palaver.core.registry import near
from palaver.core.units import dialogue_unit, pair_unit
from palaver.storage.audit.entries import record
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.engine.store import Store
from palaver.storage.people.raters import rater_kinds, sent_before

JudgeKind = Literal["model", "simulated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """What is judged: a dialogue, one turn of it, or a pair.

    A turn is named by any of its events (`seq`) or by its number from 1; `pair` holds its dialogues
    in the order in which they were shown.
    """

    dialogue: str | None = None
    seq: int | None = None
    turn: int | None = None
    pair: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """One answer of a judge, or an abstention; `shown` is the order of a pair's sides."""

    target: Target
    question: str
    rater: str
    rater_kind: JudgeKind
    answer: Any = None
    abstain: bool = False
    shown: tuple[str, str] | None = None
    seconds: float | None = None
    client_id: str | None = None


class _Wrong(Exception):
    """What is wrong with one judgement, and with which of its keys."""

    def __init__(self, key: str, message: str) -> None:
        super().__init__(message)
        self.key = key


async def submit_judgements(
    store: Store,
    judgements: Sequence[Judgement],
    *,
    study_id: int,
    questions: Mapping[str, Question],
    studies: Collection[str],
    now: float,
    actor: Actor,
    version: int | None = None,
) -> list[Accepted]:
    """Store the judgements of a study's questions about the dialogues of `studies`, all or none.

    That `actor` sent them is recorded.
    """
    submissions = await store.read(
        lambda connection: _resolve(
            _Bench(connection, questions, studies), judgements, study_id=study_id, now=now
        )
    )
    submissions = [replace(each, study_version=version) for each in submissions]
    accepted = await submit_answers(store, submissions)
    told = {"labels": len(judgements)}
    await store.write(
        lambda c: record(c, "labels.send", by=actor, now=now, study_id=study_id, detail=told)
    )
    return accepted


@dataclass(slots=True)
class _Bench:
    """What the judgements of one request are looked up in; each dialogue is loaded once."""

    connection: Connection
    questions: Mapping[str, Question]
    studies: Collection[str]
    dialogues: dict[str, Dialogue] = field(default_factory=dict)
    askings: dict[tuple[str, str], tuple[Asking, ...]] = field(default_factory=dict)

    def question(self, name: str) -> Question:
        if name not in self.questions:
            hint = near(name, self.questions) or f" It asks: {', '.join(self.questions)}."
            raise _Wrong("question", f"No question '{name}' in this study.{hint}")
        return self.questions[name]

    def dialogue(self, key: str) -> Dialogue:
        if key not in self.dialogues:
            self.dialogues[key] = self._load(key)
        return self.dialogues[key]

    def _load(self, key: str) -> Dialogue:
        try:
            stored = load_dialogue(self.connection, key)
        except InputError as error:
            raise _Wrong("unit", str(error)) from error
        if stored.study not in self.studies:
            raise _Wrong("unit", f"The dialogue '{key}' does not belong to this study.")
        if not stored.dialogue.is_over:
            raise _Wrong(
                "unit", f"The dialogue '{key}' is still running; judge it when it has ended."
            )
        return stored.dialogue

    def asked_of(self, dialogue: Dialogue, question: Question) -> tuple[Asking, ...]:
        here = (dialogue.id, question.name)
        if here not in self.askings:
            self.askings[here] = turn_askings(dialogue, question)
        return self.askings[here]


def _resolve(
    bench: _Bench, judgements: Sequence[Judgement], *, study_id: int, now: float
) -> list[Submission]:
    submissions = []
    for index, judgement in enumerate(judgements):
        try:
            submissions.append(_submission(bench, judgement, study_id=study_id, now=now))
        except _Wrong as wrong:
            raise _at(index, wrong.key, str(wrong)) from wrong
    _check_raters(bench.connection, submissions)
    _check_client_ids(bench.connection, submissions)
    return submissions


def _submission(bench: _Bench, judgement: Judgement, *, study_id: int, now: float) -> Submission:
    if not judgement.rater.startswith(f"{judgement.rater_kind}:"):
        kind = judgement.rater_kind
        raise _Wrong("rater", f"A {kind} rater is called '{kind}:…'; got '{judgement.rater}'.")
    question = bench.question(judgement.question)
    asking = _asking(bench, judgement, question)
    submission = Submission(
        study_id=study_id,
        question=question,
        unit=asking.unit,
        members=asking.members,
        shown=asking.shown,
        rater=judgement.rater,
        rater_kind=judgement.rater_kind,
        answer=judgement.answer,
        abstain=judgement.abstain,
        seconds=judgement.seconds,
        client_id=judgement.client_id,
        time=now,
    )
    try:
        read_answer(submission)
    except InputError as error:
        raise _Wrong("abstain" if judgement.abstain else "answer", str(error)) from error
    return submission


def _asking(bench: _Bench, judgement: Judgement, question: Question) -> Asking:
    target = judgement.target
    if (target.pair is not None) != (question.about == "pair"):
        takes = "'pair'" if question.about == "pair" else "'dialogue'"
        raise _Wrong(
            "unit", f"Question '{question.name}' is about a {question.about}: give {takes}."
        )
    if target.pair is not None:
        return _comparison(bench, judgement, question, target.pair)
    if judgement.shown is not None:
        raise _Wrong("shown", f"Question '{question.name}' compares nothing; leave 'shown' out.")
    dialogue = bench.dialogue(target.dialogue or "")
    named = [name for name in ("seq", "turn") if getattr(target, name) is not None]
    if question.about == "dialogue":
        if named:
            raise _Wrong(
                "unit", f"Question '{question.name}' is about the whole; leave '{named[0]}' out."
            )
        return Asking(question, dialogue_unit(dialogue.id), Shown())
    if len(named) != 1:
        raise _Wrong("unit", f"Question '{question.name}' is about a turn: give 'seq' or 'turn'.")
    return _about_turn(bench, dialogue, question, target)


def _about_turn(bench: _Bench, dialogue: Dialogue, question: Question, target: Target) -> Asking:
    turns = list(dialogue.turns())
    if target.turn is not None:
        if target.turn > len(turns):
            raise _Wrong(
                "unit", f"The dialogue '{dialogue.id}' has {len(turns)} turns; got {target.turn}."
            )
        seq = turns[target.turn - 1].events[0].seq
    else:
        seq = target.seq or 0
    for asking in bench.asked_of(dialogue, question):
        if asking.turn is not None and any(event.seq == seq for event in asking.turn.events):
            return asking
    given = f"turn {target.turn}" if target.turn is not None else f"event {seq}"
    raise _Wrong("unit", f"Question '{question.name}' is not asked of {given} of '{dialogue.id}'.")


def _comparison(
    bench: _Bench, judgement: Judgement, question: Question, keys: tuple[str, str]
) -> Asking:
    a, b = (dialogue_unit(bench.dialogue(key).id) for key in keys)
    if a.key == b.key:
        raise _Wrong("unit", f"The pair names the dialogue '{keys[0]}' twice.")
    pair = pair_unit(a, b)
    order = judgement.shown or (SIDES if pair.members == (a.key, b.key) else SIDES[::-1])
    return Asking(question, pair, Shown(order=order), members=(a, b))


def _check_raters(connection: Connection, submissions: Sequence[Submission]) -> None:
    kinds = rater_kinds(connection, {submission.rater for submission in submissions})
    for index, each in enumerate(submissions):
        known = kinds.get(each.rater, each.rater_kind)
        if known != each.rater_kind:
            raise _at(
                index,
                "rater",
                f"'{each.rater}' is a {known} rater here, not a {each.rater_kind} one.",
            )


def _check_client_ids(connection: Connection, submissions: Sequence[Submission]) -> None:
    ids = {submission.client_id for submission in submissions if submission.client_id is not None}
    sent = (
        sent_before(connection, {submission.rater for submission in submissions}, ids)
        if ids
        else {}
    )
    for index, each in enumerate(submissions):
        if each.client_id is None:
            continue
        here = (each.unit.key, each.question.name)
        if sent.setdefault((each.rater, each.client_id), here) != here:
            raise _at(
                index, "client_id", f"'{each.client_id}' was already used for another answer."
            )


def _at(index: int, key: str, message: str) -> InputError:
    return InputError(f"Label {index}, '{key}': {message}")
