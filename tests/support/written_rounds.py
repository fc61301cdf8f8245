"""A round of a task in a store with what people wrote, put there by the store's own functions."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from sqlalchemy import Connection

from palaver.core.evaluation.rounds import Round, RoundModel, RoundTerms, WrittenExample
from palaver.core.events import END, JOIN, Event
from palaver.core.studies.visits import FINISHED
from palaver.evaluation.rounds.examples import read_examples
from palaver.evaluation.tasks import ensure_task, stored_task
from palaver.games.model_in_the_loop.form import form_of
from palaver.games.model_in_the_loop.moves import ANSWER, GAME_NAME, KEEP, TRY
from palaver.games.model_in_the_loop.writing import WritingBrief
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.engine.appends import Append, append
from palaver.storage.evaluation.rounds import add_round
from palaver.storage.people.participants import Assignment as VisitRow
from palaver.storage.people.participants import enter, finish
from palaver.storage.studies.studies import register_study

NOW = 1_790_000_000.0
CONTEXT = "The night train was meant to reach Berlin at six, but a signal failed near Hamburg."


class Sent(NamedTuple):
    """One try: the sentence, its label, and what the model said; None: no answer came."""

    text: str
    label: str = "entailed"
    answer: str | None = "neutral"


class RoundDesk:
    """A store with a study in which people write against models of `nli`, and its open round."""

    def __init__(
        self,
        store: Store,
        *,
        terms: RoundTerms | None = None,
        models: Sequence[str] = ("weak-model",),
        task: str = "nli",
        language: str = "en",
        name: str = "loop",
    ) -> None:
        self.store = store
        self.now = NOW
        self.language = language
        self.task = task
        self.study_id = store.write_now(
            lambda c: register_study(c, name=name, title="L", digest="", definition="", now=NOW)
        )
        self.round = self.open(terms or RoundTerms(), models)

    def open(self, terms: RoundTerms, models: Sequence[str] = ("weak-model",)) -> Round:
        """The next round."""

        def work(c: Connection) -> Round:
            row = ensure_task(c, self.task, now=NOW)
            return add_round(
                c,
                task_id=row.id,
                study_id=self.study_id,
                stage=0,
                terms=terms,
                models=[RoundModel(name=each, version=1) for each in models],
                contexts_path="",
                contexts_digest="",
                contexts=1,
                now=NOW,
            )

        return self.store.write_now(work)

    def visit(self, person: str, *, study_id: int | None = None) -> VisitRow:
        """A visit of somebody."""

        def work(c: Connection) -> VisitRow:
            into = self.study_id if study_id is None else study_id
            found = enter(
                c,
                study_id=into,
                crowd="link",
                person=person,
                assignment="1",
                first_step="stage:0",
                now=self.now,
            )
            finish(c, found.id, state=FINISHED, reason="complete", code=None, now=self.now)
            return found

        return self.store.write_now(work)

    def session(
        self,
        writer: VisitRow,
        *sent: Sent,
        keep: bool = True,
        context: str = "c1",
        text: str = CONTEXT,
        tag: str = "",
        goal: str = "",
        round_: int | None = None,
        end: bool = True,
    ) -> str:
        """The key of a session with these tries, of which the last is kept where it fooled the model."""
        steps: list[tuple[int, str, dict[str, Any]]] = []
        for each in sent:
            values = {"hypothesis": each.text, "label": each.label}
            steps.append((0, TRY, {"values": values}))
            if each.answer is not None:
                wrong = each.answer != each.label
                said = {"values": {"label": each.answer}, "wrong": wrong, "seconds": 0.2}
                steps.append((1, ANSWER, said))
        fooled = bool(sent) and sent[-1].answer not in (None, sent[-1].label)
        if keep and fooled:
            steps.append((0, KEEP, {"why": "it says so", "why_model": "it skims"}))
        return self.played(
            writer,
            steps,
            context={"context": text},
            context_id=context,
            tag=tag,
            goal={"label": goal} if goal else {},
            round_=round_,
            end=end,
        )

    def played(
        self,
        writer: VisitRow,
        steps: Sequence[tuple[int, str, dict[str, Any]]],
        *,
        context: Mapping[str, Any],
        context_id: str = "c1",
        tag: str = "",
        goal: Mapping[str, str] | None = None,
        round_: int | None = None,
        end: bool = True,
        talks: bool = False,
    ) -> str:
        """The key of a session in which this happened."""

        def work(c: Connection) -> str:
            task = stored_task(ensure_task(c, self.task, now=NOW))
            asked = WritingBrief(
                round=self.round.number if round_ is None else round_,
                context_id=context_id,
                context=context,
                tag=tag,
                goal=goal or {},
                form=form_of(task, language=self.language, talks=talks),
            )
            dialogue_id, key = create_dialogue(
                c,
                study_id=self.study_id,
                stage=0,
                condition="in_the_loop",
                scenario=asked.scenario(game=GAME_NAME),
                occupants=[Occupant(assignment_id=writer.id), Occupant(system="in_the_loop")],
                now=self.now,
            )
            events = [Event(seq=1, seat=0, action=JOIN, time=self.now)]
            for seat, action, data in steps:
                self.now += 1.0
                seq = len(events) + 1
                events.append(Event(seq=seq, seat=seat, action=action, data=data, time=self.now))
            if end:
                why = {"reason": "complete"}
                last = Event(
                    seq=len(events) + 1, seat=None, action=END, data=why, time=self.now + 1
                )
                events.append(last)
            append(c, Append(dialogue_id, events))
            return key

        return self.store.write_now(work)

    def examples(self) -> tuple[WrittenExample, ...]:
        """What was written in the round so far."""
        return self.store.read_now(lambda c: read_examples(c, self.round))


def example(n: int, writer: str, **given: object) -> WrittenExample:
    """An example that fooled the model, of which nobody has said anything yet."""
    made = WrittenExample(
        dialogue=f"d{n}",
        seq=2,
        round=1,
        context="c",
        writer=writer,
        model="m@1",
        values={"label": "neutral"},
        answer={"label": "entailed"},
        wrong=True,
        kept=True,
    )
    return replace(made, **given)
