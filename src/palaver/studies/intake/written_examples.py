"""Taking in what people wrote against models, so that others can judge it.

A rate stage `from` a study with a write stage gets one sheet for each example: a dialogue of its own
with nothing but what validators may see, under a key that leads nowhere. Each session is looked at once
after its end; later examples are taken in while the study is served.
"""

import base64
import hashlib
import hmac
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.core.dialogue import IMPORTED
from palaver.core.evaluation.rounds import Round, WrittenExample
from palaver.core.events import END, MESSAGE
from palaver.core.questions import Question
from palaver.core.questions.choice import Choice
from palaver.core.sheets import SheetContent, SheetPart
from palaver.evaluation.rounds.examples import (
    VERDICTS,
    FoldedSession,
    fold_sessions,
    written_in,
)
from palaver.games.model_in_the_loop.judged_example import example_messages, example_scenario
from palaver.games.model_in_the_loop.moves import ANSWER, KEEP
from palaver.games.model_in_the_loop.writing import WritingBrief
from palaver.storage import Store
from palaver.storage.dialogues.bulk import BulkDialogue, BulkEvent, add_dialogues
from palaver.storage.dialogues.dialogues import records_of_ids
from palaver.storage.evaluation.example_votes import hold_sessions, unasked_sessions
from palaver.storage.judging.called_off import follow_decisions
from palaver.storage.judging.sheets import NewSheet, add_sheets
from palaver.studies.intake.other_studies import JUDGED
from palaver.studies.stages import RateStage

_encode = msgspec.json.Encoder().encode
_END = BulkEvent(None, END, _encode({"reason": IMPORTED}).decode())

# Writes what a function does, again while another process holds the same row.
Write = Callable[[Callable[[Connection], int]], Any]


@dataclass(frozen=True, slots=True)
class ExampleSheet:
    """An example as validators get it: its sheet, and the dialogue that this shows."""

    sheet: NewSheet
    dialogue: BulkDialogue


@dataclass(frozen=True, slots=True)
class ExampleIntake:
    """One stage that judges the examples of another study: where its sheets go, and what they show."""

    secret: str
    study_id: int
    index: int
    stage: RateStage
    questions: Sequence[Question]
    now: float

    @property
    def judges_verdicts(self) -> bool:
        """Whether it is asked if the writer is right; else the rater gives an answer of their own."""
        return is_about_verdicts(self.questions[0])

    def read(
        self, connection: Connection, ids: Sequence[int], rounds: Sequence[Round]
    ) -> list[ExampleSheet]:
        """The examples of these sessions, as they will be shown."""
        records = list(records_of_ids(connection, ids))
        # Both are oldest first.
        places = {record.id: place for record, place in zip(records, sorted(ids), strict=True)}
        return [
            each
            for round_ in rounds
            for session in fold_sessions(records, round_)
            if not session.is_erased
            for each in self._shown(session, round_, places[session.key])
        ]

    def store(self, connection: Connection, shown: Sequence[ExampleSheet]) -> int:
        """Make sheets of examples; how many were new.

        What was decided since they were read is followed: what is settled waits for nobody, and what
        was erased is not stored.
        """
        left = hold_sessions(connection, {each.dialogue.group for each in shown})
        shown = [each for each in shown if each.dialogue.group in left]
        add_dialogues(
            connection,
            study_id=self.study_id,
            stage=self.index,
            purpose="real",
            source=f"examples of {self.stage.source}",
            new=[each.dialogue for each in shown],
            now=self.now,
        )
        added = add_sheets(
            connection,
            self.study_id,
            self.index,
            "real",
            [each.sheet for each in shown],
            order=self.stage.order,
            seed=self.stage.seed,
        )
        follow_decisions(connection, {each.dialogue.source_id for each in shown})
        return added

    def _shown(
        self, session: FoldedSession, round_: Round, position: int
    ) -> Iterator[ExampleSheet]:
        for written in written_in(session, round_):
            example = written.example
            if is_to_be_judged(example, every=self.stage.examples == "all"):
                shown = self._dialogue(session, example)
                yield ExampleSheet(self._sheet(shown.key, session, position, round_), shown)

    def _sheet(self, key: str, session: FoldedSession, position: int, round_: Round) -> NewSheet:
        given = "raters" in self.stage.model_fields_set
        return NewSheet(
            name=key,
            group=key,
            position=position,
            content=sheet_content(key, self.questions),
            people=(session.writer,),
            needed=self.stage.raters if given else round_.terms.validators,
        )

    def _dialogue(self, session: FoldedSession, example: WrittenExample) -> BulkDialogue:
        return shown_dialogue(
            session.writing.asked,
            example.values,
            key=hidden_key(self.secret, self.study_id, self.index, example.uid),
            uid=example.uid,
            group=session.key,
            model=example.model,
            with_gold=self.judges_verdicts,
        )


async def take_in_examples(
    store: Store,
    write: Write,
    intake: ExampleIntake,
    rounds: Sequence[Round],
    *,
    limit: int,
) -> int:
    """Make sheets of the sessions that ended since, of rounds that are not closed; how many."""
    made = 0
    open_rounds = [each for each in rounds if each.state != "closed"]
    for stage in sorted({each.stage for each in open_rounds}):
        here = [each for each in open_rounds if each.stage == stage]
        every = intake.stage.examples == "all"
        seen: set[int] = set()
        while True:
            ids = await store.read(
                partial(
                    unasked_sessions,
                    study_id=here[0].study_id,
                    stage=stage,
                    judged_in=(intake.study_id, intake.index),
                    reasons=JUDGED,
                    actions=(ANSWER, KEEP) if every else (KEEP,),
                    also_retracted=every,
                    limit=limit + len(seen),
                )
            )
            # A session of a closed round, or one without anything to judge, comes again and again.
            fresh = [each for each in ids if each not in seen]
            if not fresh:
                break
            seen.update(fresh)
            shown = await store.read(partial(intake.read, ids=fresh, rounds=here))
            made += await write(partial(intake.store, shown=shown)) if shown else 0
    return made


def is_about_verdicts(question: Question) -> bool:
    """Whether a question asks if the writer is right."""
    ids = {option.id for option in question.options} if isinstance(question, Choice) else set()
    return bool(ids) and ids <= set(VERDICTS)


def is_to_be_judged(example: WrittenExample, *, every: bool) -> bool:
    """Whether validators are asked about it: it fooled the model; with `every` also where it did not."""
    got_right = example.wrong is False and not example.retracted and bool(example.answer)
    return example.is_fooling or (every and got_right)


def shown_dialogue(
    asked: WritingBrief,
    values: Mapping[str, Any],
    *,
    key: str,
    uid: str,
    group: str,
    model: str,
    with_gold: bool,
) -> BulkDialogue:
    """The dialogue that shows an example to validators."""
    said = example_messages(asked, values, with_gold=with_gold)
    return BulkDialogue(
        key=key,
        source_id=uid,
        condition=model,
        system=model,
        scenario=_encode(example_scenario(asked)).decode(),
        events=(
            *(BulkEvent(each.seat, MESSAGE, _encode(each.data).decode()) for each in said),
            _END,
        ),
        group=group,
    )


def sheet_content(key: str, questions: Sequence[Question]) -> SheetContent:
    """What a sheet of one example holds."""
    return SheetContent(parts=(SheetPart(dialogues=(key,), ask=tuple(q.name for q in questions)),))


def hidden_key(secret: str, study_id: int, stage: int, uid: str) -> str:
    """The key of what is shown: always the same, and nobody can tell from which session it is."""
    name = hmac.new(secret.encode(), _encode([study_id, stage, uid]), hashlib.sha256).digest()
    return "d_" + base64.urlsafe_b64encode(name[:15]).decode()
