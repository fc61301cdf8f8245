"""What somebody wrote against the models of a study, and what became of it; what they may take back.

Only what the writer kept stands here: the other tries were steps on the way to it. The judgements of
others are told as a standing, never one by one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import Round, Standing, WrittenExample
from palaver.core.tasks import Task
from palaver.evaluation.rounds.example_decisions import retract_example
from palaver.evaluation.rounds.examples import examples_of_writer
from palaver.evaluation.tasks import stored_task
from palaver.games.model_in_the_loop.form import form_of
from palaver.storage.evaluation.rounds import rounds_of_study
from palaver.storage.evaluation.tasks import find_task
from palaver.storage.people.participants import Assignment


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnExample:
    """An example as whoever wrote it sees it: their words, their answer, the model's, the standing."""

    uid: str
    written: tuple[tuple[str, str], ...]
    own: str
    model: str
    time: float
    retracted: bool
    standing: Standing
    judged: int
    needed: int
    # Whether its round is over: what it counts for, and earns, stays as it is.
    is_closed: bool = False


def own_examples(connection: Connection, assignment: Assignment) -> tuple[OwnExample, ...]:
    """What the person of a visit kept in this study, in all their visits, newest first."""
    found: list[OwnExample] = []
    for round_ in rounds_of_study(connection, assignment.study_id):
        task = stored_task(find_task(connection, round_.task))
        for example in examples_of_writer(connection, round_, assignment.alias):
            if example.kept:
                found.append(_own(example, task, round_))
    return tuple(sorted(found, key=lambda each: each.time, reverse=True))


def find_own(examples: Sequence[OwnExample], uid: str) -> OwnExample | None:
    """The example of that name, if it is one of these and still stands."""
    return next((each for each in examples if each.uid == uid and not each.retracted), None)


def take_back(connection: Connection, assignment: Assignment, uid: str, *, now: float) -> None:
    """Take an example of one's own back; AccessError where somebody else wrote it.

    InputError once its round is closed.
    """
    own = find_own(own_examples(connection, assignment), uid)
    if own is not None and own.is_closed:
        raise InputError(
            "The round of this text is over, and what came of it stays. To have your words erased, "
            "withdraw from the study."
        )
    retract_example(connection, uid, writer=assignment.alias, now=now)


def _own(example: WrittenExample, task: Task, round_: Round) -> OwnExample:
    talks = bool(round_.terms.talk)
    form = form_of(task, talks=talks)
    said = [(each.title, example.values.get(each.name)) for each in form.texts]
    if talks:
        said = [("conversation", _last_words(example.values.get(form.turns or "turns")))]
    gold = [example.values.get(each.name) for each in form.gold or form.answers]
    return OwnExample(
        uid=example.uid,
        written=tuple((title, str(text)) for title, text in said if text),
        own=_words(gold),
        model=_words([example.answer.get(each.name) for each in form.answers]),
        time=example.time,
        retracted=example.retracted,
        standing=example.standing,
        judged=len(example.votes),
        needed=round_.terms.validators,
        is_closed=round_.state == "closed",
    )


def _words(values: Sequence[Any]) -> str:
    told = (", ".join(map(str, each)) if isinstance(each, list) else each for each in values)
    return "; ".join(str(each) for each in told if each not in (None, ""))


def _last_words(turns: Any) -> str:
    """The message that was marked."""
    return str(turns[-1].get("text", "")) if isinstance(turns, list) and turns else ""
