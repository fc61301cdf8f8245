"""A session of writing, folded from its events: the tries, the answers, and what became of them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from msgspec.structs import replace

from palaver.core.dialogue import Dialogue
from palaver.core.events import ERASE, MESSAGE, RETRACT, VERDICT, Event
from palaver.core.scenario import Scenario
from palaver.games.model_in_the_loop.form import WritingForm
from palaver.games.model_in_the_loop.moves import (
    ANSWER,
    GAME_NAME,
    JUDGE,
    KEEP,
    MODEL,
    SKIP,
    TRY,
    UNANSWERED,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WritingBrief:
    """What a session asks for, as its scenario says: a context, a goal, so many tries."""

    round: int
    context_id: str
    context: Mapping[str, Any]
    # Of a task without contexts: which of its sessions this is, from 1.
    session: int = 0
    tag: str = ""
    # The target field and the label that it should have; empty where the writer chooses.
    goal: Mapping[str, str] = field(default_factory=dict)
    tries: int = 5
    form: WritingForm = field(default_factory=WritingForm)

    @property
    def name(self) -> str:
        """What its scenario is called: the same for all sessions that ask for the same."""
        goal = "-".join(self.goal.values())
        session = f"-{self.session}" if self.session else ""
        return f"r{self.round}-{self.context_id}{session}" + (f"-{goal}" if goal else "")

    def scenario(self, *, game: str, title: str = "") -> Scenario:
        """The scenario that says so; both seats may read it."""
        said = {
            "round": self.round,
            "context_id": self.context_id,
            "context": dict(self.context),
            "tag": self.tag,
            "goal": dict(self.goal),
            "tries": self.tries,
            "form": self.form.written(),
        }
        return Scenario(id=self.name, game=game, title=title, extra=said)

    @classmethod
    def of(cls, scenario: Scenario) -> "WritingBrief":
        """What a scenario asks for."""
        form = WritingForm.of(scenario.extra.get("form") or {})
        return cls._of(scenario.id, scenario.extra, form)

    @classmethod
    def read(cls, written: str) -> "WritingBrief | None":
        """What a scenario asks for as it was stored; None where it is one of another game.

        Thousands of sessions carry the same form, so it is not read again for each.
        """
        stored = _decode_stored(written)
        if stored.game != GAME_NAME:
            return None
        said = {name: _decode(each) for name, each in stored.extra.items() if name != "form"}
        return cls._of(stored.id, said, WritingForm.read(bytes(stored.extra.get("form", b"{}"))))

    @classmethod
    def _of(cls, name: str, said: Mapping[str, Any], form: WritingForm) -> "WritingBrief":
        return cls(
            round=int(said.get("round", 0)),
            context_id=str(said.get("context_id", name)),
            context=said.get("context") or {},
            tag=str(said.get("tag") or ""),
            goal=said.get("goal") or {},
            tries=int(said.get("tries", 5)),
            form=form,
        )


class _StoredScenario(msgspec.Struct, frozen=True):
    """A scenario in the store, with what it says of its session as it is written there."""

    id: str = "open"
    game: str = "open_chat"
    extra: dict[str, msgspec.Raw] = {}


_decode_stored = msgspec.json.Decoder(_StoredScenario).decode
_decode = msgspec.json.Decoder().decode


# Structs, because each event makes a new one of both: copies of dataclasses take ten times as long.
class Try(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a writer sent, and what the model said to it; `answer` is None where nothing came.

    In talk it is a turn of the system, and `values` is the conversation up to it. `failure` says why
    no answer came.
    """

    seq: int
    values: Mapping[str, Any]
    time: float
    answer: Mapping[str, Any] | None = None
    wrong: bool | None = None
    # What a person said of a wrong answer, where they were asked.
    label: str = ""
    seconds: float | None = None
    notes: tuple[str, ...] = ()
    failure: str = ""
    is_waiting: bool = True
    # Of an imported try: who answered, and what its file says beside.
    model: str = ""
    source: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnerVerdict:
    """What whoever owns the task said of an example."""

    verdict: str
    by: str
    why: str = ""


class Writing(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A session so far."""

    asked: WritingBrief
    tries: tuple[Try, ...] = ()
    # The try that the writer stands by, by the event that began it, and why.
    kept: int | None = None
    why: str = ""
    why_model: str = ""
    skipped: bool = False
    # What was said so far, where one talks.
    said: tuple[Mapping[str, str], ...] = ()
    retracted: frozenset[int] = frozenset()
    verdicts: Mapping[int, OwnerVerdict] = {}

    @property
    def answered(self) -> tuple[Try, ...]:
        """The tries that count: those that the model answered."""
        return tuple(each for each in self.tries if each.answer is not None)

    @property
    def tries_left(self) -> int:
        return max(0, self.asked.tries - len(self.answered))

    @property
    def last(self) -> Try | None:
        return self.tries[-1] if self.tries else None

    @property
    def is_waiting(self) -> bool:
        """Whether the model is to answer now."""
        return self.last is not None and self.last.is_waiting

    @property
    def must_judge(self) -> bool:
        """Whether the writer must say whether the last answer is wrong."""
        last = self.last
        if last is None or last.answer is None or self.asked.form.talks:
            return False
        return last.wrong is None

    def numbered(self, number: Any) -> Try | None:
        """The try of that number, from 1; the last one where no number is given."""
        if number is None:
            return self.last
        is_one = isinstance(number, int) and 1 <= number <= len(self.tries)
        return self.tries[number - 1] if is_one else None

    def begun_by(self, seq: int) -> Try | None:
        """The try that began with this event."""
        return next((each for each in self.tries if each.seq == seq), None)


def fold_writing(dialogue: Dialogue) -> Writing:
    """The session that a dialogue is."""
    return fold_events(Writing(asked=WritingBrief.of(dialogue.scenario)), dialogue.events)


def fold_events(writing: Writing, events: Iterable[Event]) -> Writing:
    """The session after these events; those that were erased say nothing."""
    for event in events:
        step = _STEPS.get(event.action)
        if step is not None and event.data is not None:
            writing = step(writing, event, event.data)
    return writing


class WritingFolds:
    """The sessions of live dialogues, each folded on from where it was; the oldest are forgotten."""

    def __init__(self, most: int = 10_000) -> None:
        self._most = most
        # By dialogue: its list of events, how many of them are folded in, and what they come to.
        self._kept: dict[str, tuple[list[Event], int, Writing]] = {}

    def of(self, dialogue: Dialogue) -> Writing:
        """The session that a dialogue is, as `fold_writing` tells it."""
        events, position, writing = self._kept.pop(dialogue.id, (None, 0, None))
        fresh = dialogue.events[position:]
        if events is not dialogue.events or any(event.action == ERASE for event in fresh):
            writing, fresh = None, dialogue.events
        begun = writing or Writing(asked=WritingBrief.of(dialogue.scenario))
        found = fold_events(begun, fresh)
        self._kept[dialogue.id] = (dialogue.events, dialogue.position, found)
        if len(self._kept) > self._most:
            del self._kept[next(iter(self._kept))]
        return found


def _tried(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    new = Try(
        seq=event.seq,
        values=data.get("values") or {},
        time=event.time,
        model=str(data.get("model") or ""),
        source=data.get("source") or {},
    )
    return replace(writing, tries=(*writing.tries, new))


def _answered(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    return _last(
        writing,
        answer=data.get("values") or {},
        wrong=data.get("wrong"),
        seconds=data.get("seconds"),
        notes=tuple(data.get("notes") or ()),
        is_waiting=False,
    )


def _unanswered(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    return _last(writing, failure=str(data.get("kind") or "error"), is_waiting=False)


def _judged(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    return _last(writing, wrong=data.get("wrong"), label=str(data.get("label") or ""))


def _skipped(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    return replace(writing, skipped=True)


def _retracted(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    return replace(writing, retracted=writing.retracted | {int(data.get("seq", 0))})


def _ruled(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    return replace(writing, verdicts=_with_verdict(writing.verdicts, data))


def _last(writing: Writing, **changes: Any) -> Writing:
    """The session with its last try changed; a word to no try says nothing."""
    if not writing.tries:
        return writing
    return replace(writing, tries=(*writing.tries[:-1], replace(writing.tries[-1], **changes)))


def _kept(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    chosen = writing.numbered(data.get("number"))
    kept = chosen.seq if chosen else None
    tries = writing.tries
    if writing.asked.form.talks:
        tries = tuple(_marked(writing, each, data) if each.seq == kept else each for each in tries)
    return replace(
        writing,
        tries=tries,
        kept=kept,
        why=str(data.get("why") or ""),
        why_model=str(data.get("why_model") or ""),
    )


def _marked(writing: Writing, turn: Try, data: Mapping[str, Any]) -> Try:
    """A turn of the system with what is wrong with it, which is the gold of such a task."""
    label, field = str(data.get("label") or ""), writing.asked.form.goal_field
    gold = {field.name: label} if field else {}
    return replace(turn, wrong=True, label=label, values={**turn.values, **gold})


def _said(writing: Writing, event: Event, data: Mapping[str, Any]) -> Writing:
    """A message of the talk; each of the system's is a try."""
    if not writing.asked.form.talks:
        return writing
    speaker = "system" if event.seat == MODEL else "user"
    said = (*writing.said, {"speaker": speaker, "text": event.text})
    if event.seat != MODEL:
        return replace(writing, said=said)
    turn = Try(
        seq=event.seq,
        values={writing.asked.form.turns or "turns": list(said)},
        time=event.time,
        answer={},
        wrong=False,
        is_waiting=False,
    )
    return replace(writing, said=said, tries=(*writing.tries, turn))


def _with_verdict(
    verdicts: Mapping[int, OwnerVerdict], data: Mapping[str, Any]
) -> Mapping[int, OwnerVerdict]:
    seq = int(data.get("seq", 0))
    others = {number: said for number, said in verdicts.items() if number != seq}
    if not data.get("verdict"):
        return others
    said = OwnerVerdict(
        verdict=str(data["verdict"]), by=str(data.get("by") or ""), why=str(data.get("why") or "")
    )
    return {**others, seq: said}


Step = Callable[[Writing, Event, Mapping[str, Any]], Writing]
# What each event makes of a session; all others say nothing of it.
_STEPS: Mapping[str, Step] = {
    TRY: _tried,
    ANSWER: _answered,
    UNANSWERED: _unanswered,
    JUDGE: _judged,
    KEEP: _kept,
    SKIP: _skipped,
    MESSAGE: _said,
    RETRACT: _retracted,
    VERDICT: _ruled,
}
FOLDED = tuple(_STEPS)
