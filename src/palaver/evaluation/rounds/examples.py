"""The examples of a round, folded from its dialogues and from what others said of them.

Nothing of an example is stored twice: what was written stands in the events of its session, the
judgements are labels of ordinary studies, and what can be noticed is noticed whenever it is read.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, NamedTuple

from sqlalchemy import Connection

from palaver.core.collector import uncollected
from palaver.core.evaluation.example_standing import standing_of
from palaver.core.evaluation.rounds import ExampleVote, Round, Verdict, WrittenExample
from palaver.core.events import ERASE, Event
from palaver.core.records import DialogueRecord
from palaver.core.serial import encode
from palaver.core.tasks import Task
from palaver.evaluation.tasks import stored_task
from palaver.games.model_in_the_loop.folding import folded
from palaver.games.model_in_the_loop.moves import GAME_NAME, WRITER
from palaver.games.model_in_the_loop.noticing import DUPLICATE, notices
from palaver.games.model_in_the_loop.writing import (
    FOLDED,
    OwnerVerdict,
    Try,
    Writing,
    WritingBrief,
    fold_events,
)
from palaver.storage.evaluation.example_votes import SheetAnswers, read_example_answers
from palaver.storage.evaluation.imported_votes import OWN_ANSWER, read_imported_answers
from palaver.storage.evaluation.tasks import find_task
from palaver.storage.evaluation.written_sessions import (
    scenarios_of_writer,
    session_events,
    session_heads,
    stored_scenario,
)

CORRECT: Final = "correct"
INCORRECT: Final = "incorrect"
FLAGGED: Final = "flagged"
VERDICTS: tuple[Verdict, ...] = (CORRECT, INCORRECT, FLAGGED)
# The events that say something of a session.
TOLD = (*FOLDED, ERASE)


class FoldedSession(NamedTuple):
    """A session as its events tell it: its key, the alias of whoever wrote, and what was written.

    One that was erased says nothing any more: its writer withdrew, or it was kept long enough.
    """

    key: str
    writer: str
    writing: Writing
    is_erased: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenRound:
    """A round, folded once for everybody who reads it: its sessions, and the examples in them.

    `judged_before` says who judged an example of a session that is erased since, by its uid.
    """

    round: Round
    task: Task
    examples: tuple[WrittenExample, ...]
    folded: tuple[FoldedSession, ...]
    judged_before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def sessions(self) -> int:
        return len(self.folded)

    @property
    def erased(self) -> int:
        """How many sessions say nothing any more."""
        return sum(session.is_erased for session in self.folded)


@dataclass(frozen=True, slots=True)
class UnjudgedExample:
    """An example before anybody's judgement, the words that tell doubles, and the owner's verdict."""

    example: WrittenExample
    words: tuple[str, ...]
    owner: OwnerVerdict | None = None


def read_examples(connection: Connection, round_: Round) -> tuple[WrittenExample, ...]:
    """The examples of a round in the order in which they were sent, one per answered try."""
    return read_written(connection, round_).examples


def find_example(connection: Connection, round_: Round, uid: str) -> WrittenExample | None:
    """The example of that name; None where the round has none such.

    An example can repeat only what was written about its context, so nothing else is read.
    """
    scenario = stored_scenario(connection, uid.rpartition("-")[0])
    asked = None if scenario is None else WritingBrief.read(scenario)
    if asked is None:
        return None
    written = read_written(connection, round_, contexts={asked.context_id})
    return next((each for each in written.examples if each.uid == uid), None)


def examples_of_writer(
    connection: Connection, round_: Round, writer: str
) -> tuple[WrittenExample, ...]:
    """What somebody wrote in a round, by alias; of the rest only what is about the same contexts."""
    scenarios = scenarios_of_writer(connection, round_.study_id, round_.stage, writer)
    asked = map(WritingBrief.read, scenarios)
    contexts = {each.context_id for each in asked if each and each.round == round_.number}
    if not contexts:
        return ()
    written = read_written(connection, round_, contexts=contexts)
    return tuple(each for each in written.examples if each.writer == writer)


def read_written(
    connection: Connection, round_: Round, *, contexts: Collection[str] | None = None
) -> WrittenRound:
    """The examples of a round, or those about some contexts, and what became of its sessions."""
    with uncollected():
        return _read(connection, round_, contexts)


def _read(connection: Connection, round_: Round, contexts: Collection[str] | None) -> WrittenRound:
    task = stored_task(find_task(connection, round_.task))
    answers = read_example_answers(connection, round_.study_id, round_.stage)
    imported = read_imported_answers(connection, round_.study_id)
    sessions = tuple(sessions_of_round(connection, round_, contexts=contexts))
    found = [
        written
        for session in sessions
        if not session.is_erased
        for written in written_in(session, round_)
    ]
    found.sort(key=lambda each: (each.example.time, each.example.uid))
    judged = tuple(
        _judged(
            each,
            (*imported.get(each.example.uid, ()), *answers.get(each.example.uid, ())),
            round_,
            task,
        )
        for each in with_duplicates(found)
    )
    erased = {session.key for session in sessions if session.is_erased}
    return WrittenRound(
        round=round_,
        task=task,
        examples=judged,
        folded=sessions,
        judged_before=_judged_before(answers, erased),
    )


def sessions_of_round(
    connection: Connection, round_: Round, *, contexts: Collection[str] | None = None
) -> Iterator[FoldedSession]:
    """The sessions of a round, or those about some contexts, oldest first; practice is none."""
    for heads in session_heads(connection, round_.study_id, round_.stage):
        read = [(head, WritingBrief.read(head.scenario)) for head in heads]
        asked = [
            (head, each)
            for head, each in read
            if each
            and each.round == round_.number
            and (contexts is None or each.context_id in contexts)
        ]
        said = session_events(connection, [head.id for head, _ in asked], actions=TOLD)
        for head, each in asked:
            yield _folded(head.key, head.writer, each, said.get(head.id, ()))


def fold_sessions(records: Iterable[DialogueRecord], round_: Round) -> Iterator[FoldedSession]:
    """Those of these dialogues that are sessions of a round."""
    for record in records:
        said = record.scenario.extra
        if record.scenario.game == GAME_NAME and said.get("round") == round_.number:
            writer = next(seat.occupant for seat in record.seats if seat.index == WRITER)
            yield _folded(record.id, writer, WritingBrief.of(record.scenario), record.events)


def _folded(key: str, writer: str, asked: WritingBrief, said: Sequence[Event]) -> FoldedSession:
    writing = fold_events(Writing(asked=asked), said)
    return FoldedSession(key, writer, writing, any(event.action == ERASE for event in said))


def written_in(session: FoldedSession, round_: Round) -> Iterator[UnjudgedExample]:
    """The answered tries of a session, in order."""
    writing = session.writing
    asked = writing.asked
    model = round_.terms.talk or round_.model_of(session.key).system
    for number, each in enumerate(writing.answered, start=1):
        kept = writing.kept == each.seq
        values = values_of(asked, each)
        example = WrittenExample(
            dialogue=session.key,
            seq=each.seq,
            round=round_.number,
            context=asked.context_id,
            tag=asked.tag,
            writer=session.writer,
            model=each.model or model,
            values=values,
            answer=each.answer or {},
            wrong=each.wrong,
            kept=kept,
            retracted=each.seq in writing.retracted,
            number=number,
            why=writing.why if kept else "",
            why_model=writing.why_model if kept else "",
            notes=tuple(dict.fromkeys((*each.notes, *notices(asked, values)))),
            seconds=each.seconds,
            time=each.time,
            source=each.source,
        )
        yield UnjudgedExample(example, own_words(asked, each), writing.verdicts.get(each.seq))


def own_words(asked: WritingBrief, tried: Try) -> tuple[str, ...]:
    """What somebody wrote in words of their own, folded; labels and context make no difference."""
    if not asked.form.talks:
        return tuple(folded(str(tried.values.get(each.name) or "")) for each in asked.form.texts)
    said = tried.values.get(asked.form.turns or "turns") or ()
    return tuple(folded(turn["text"]) for turn in said if turn["speaker"] == "user")


def values_of(asked: WritingBrief, tried: Try) -> dict[str, Any]:
    """The context, what was written, and the right answer as the writer gave it."""
    values = {**asked.context, **tried.values}
    form = asked.form
    gold = form.goal_field if form.talks else next(iter(form.answers), None)
    if tried.label and gold is not None and (form.talks or not form.gold):
        values[gold.name] = tried.label
    return values


def with_duplicates(written: Iterable[UnjudgedExample]) -> Iterator[UnjudgedExample]:
    """The same examples; those that say what an earlier kept one says of its context are noted.

    They must come in the order in which they were sent: the earlier one stands.
    """
    kept: set[tuple[str, tuple[str, ...]]] = set()
    for each in written:
        said, example = (each.example.context, each.words), each.example
        if said in kept:
            noted = replace(example, notes=tuple(dict.fromkeys((*example.notes, DUPLICATE))))
            yield replace(each, example=noted)
            continue
        if example.is_fooling and any(each.words):
            kept.add(said)
        yield each


def vote_of(answers: SheetAnswers, example: WrittenExample, task: Task) -> ExampleVote | None:
    """What a validator's answers say of an example; None without an answer to the first question."""
    said = answers.values.get(answers.deciding)
    if said is None:
        return None
    own = answers.values.get(OWN_ANSWER)
    reasons = [
        value
        for name, value in answers.values.items()
        if name not in (answers.deciding, OWN_ANSWER) and isinstance(value, str)
    ]
    verdict, label = _verdict(said, example, task)
    return ExampleVote(
        rater=answers.rater,
        verdict=verdict,
        label=label or ("" if own is None else str(own)),
        reason="; ".join(reasons),
    )


def owner_vote(said: OwnerVerdict) -> ExampleVote | None:
    """An owner's verdict as a vote."""
    verdict = next((each for each in VERDICTS if each == said.verdict), None)
    if verdict is None:
        return None
    return ExampleVote(rater=said.by, verdict=verdict, reason=said.why, mode="owner")


def _verdict(said: Any, example: WrittenExample, task: Task) -> tuple[Verdict, str]:
    known = next((each for each in VERDICTS if each == said), None)
    if known is not None:
        return known, ""
    label = said if isinstance(said, str) else encode(said).decode()
    verdict: Verdict = CORRECT if _is_gold(said, example, task) else INCORRECT
    return verdict, label


def _is_gold(said: Any, example: WrittenExample, task: Task) -> bool:
    """Whether a validator's own answer is the writer's, for every target that has one."""
    golds = [
        (target, example.values.get(task.gold[target.name], example.values.get(target.name)))
        for target in task.targets
    ]
    given = [(target, gold) for target, gold in golds if gold is not None]
    return bool(given) and all(target.is_right(said, gold) for target, gold in given)


def _judged_before(
    answers: Mapping[str, Sequence[SheetAnswers]], erased: Collection[str]
) -> dict[str, tuple[str, ...]]:
    """Who judged what is erased now: what they were asked about is gone, that they did it is not."""
    return {
        uid: tuple(dict.fromkeys(each.rater for each in said if each.deciding in each.values))
        for uid, said in answers.items()
        if uid.rpartition("-")[0] in erased
    }


def _judged(
    written: UnjudgedExample, answers: Iterable[SheetAnswers], round_: Round, task: Task
) -> WrittenExample:
    example = written.example
    newest = {each.rater: vote for each in answers if (vote := vote_of(each, example, task))}
    owner = None if written.owner is None else owner_vote(written.owner)
    if not newest and owner is None:
        return example
    standing = standing_of(
        [vote.verdict for vote in newest.values()],
        matching=round_.terms.matching,
        validators=round_.terms.validators,
        owner=owner.verdict if owner else None,
    )
    votes = (*newest.values(), *((owner,) if owner else ()))
    return replace(example, votes=votes, standing=standing)
