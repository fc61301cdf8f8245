"""Hidden checks among written examples: records of the task with known answers, or owner's verdicts.

`gold: {records: FILE}` is a file of records as a data set of the task has them; each is shown exactly as
an example is. `gold: {verdicts: true}` takes the examples that the owner has judged. Where raters give
labels, the right one is the gold label; where they judge the writer's answer, the verdict.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.rounds import Round, Verdict, WrittenExample
from palaver.core.questions.choice import Choice
from palaver.core.sheets import RightAnswer, Truth
from palaver.core.tasks import Task
from palaver.core.units import dialogue_unit
from palaver.evaluation.rounds.examples import CORRECT, FLAGGED, VERDICTS, read_examples
from palaver.evaluation.tasks import stored_task
from palaver.games.model_in_the_loop.form import form_of
from palaver.games.model_in_the_loop.writing import WritingBrief
from palaver.storage.dialogues.bulk import BulkDialogue, add_dialogues
from palaver.storage.evaluation.example_votes import count_verdicts
from palaver.storage.evaluation.tasks import find_task
from palaver.storage.judging.intakes import (
    advance_intake,
    correct_truth,
    drop_absent,
    known_sheets,
    open_intake,
)
from palaver.storage.judging.sheets import NewSheet, add_sheets
from palaver.storage.studies.imports import has_dialogue
from palaver.studies.intake.judged_files import file_digest
from palaver.studies.intake.written_examples import (
    ExampleIntake,
    hidden_key,
    is_to_be_judged,
    sheet_content,
    shown_dialogue,
)

_encode = msgspec.json.Encoder().encode
GOLD = "gold"


@dataclass(frozen=True, slots=True)
class GoldItem:
    """One check: its sheet, and what it shows where that is not shown elsewhere already."""

    sheet: NewSheet
    dialogue: BulkDialogue | None = None

    @property
    def name(self) -> str:
        """The key of what is shown, after which its sheet is called."""
        return self.sheet.name


@dataclass(frozen=True, slots=True)
class GoldIntake:
    """The checks of one stage that judges examples; `file` holds records, where it is set."""

    examples: ExampleIntake
    file: Path | None

    def store(self, connection: Connection, round_: Round) -> int:
        """Take in what is new or has changed since; how many checks are new."""
        intake = self.examples
        digest = self._digest(connection, round_)
        at = open_intake(connection, intake.study_id, intake.index, GOLD, digest)
        if at.complete:
            return 0
        task = stored_task(find_task(connection, round_.task))
        found = list(self._items(connection, round_, task))
        # An example whose session still runs is shown nowhere yet; it is looked at again.
        items = [item for item in found if item.dialogue or has_dialogue(connection, item.name)]
        known = known_sheets(connection, at, [item.sheet.name for item in items])
        for item in items:
            stored, truth = known.get(item.sheet.name), _encode(item.sheet.truth).decode()
            if stored is not None and stored.truth != truth:
                correct_truth(connection, stored.id, truth)
        add_dialogues(
            connection,
            study_id=intake.study_id,
            stage=intake.index,
            purpose=GOLD,
            source=self.file.name if self.file else "verdicts",
            new=[item.dialogue for item in items if item.dialogue is not None],
            now=intake.now,
        )
        new = [item.sheet for item in items]
        added = add_sheets(
            connection, intake.study_id, intake.index, GOLD, new, order="file", seed=0
        )
        drop_absent(connection, at, {sheet.name for sheet in new})
        advance_intake(connection, replace(at, sheets=len(new), complete=len(items) == len(found)))
        return added

    def _digest(self, connection: Connection, round_: Round) -> str:
        asked = [question.version for question in self.examples.questions]
        if self.file is not None:
            return file_digest([self.file], [GOLD, round_.task, asked])
        count = count_verdicts(connection, round_.study_id, round_.stage)
        return f"verdicts {round_.number} {count} {'+'.join(asked)}"

    def _items(self, connection: Connection, round_: Round, task: Task) -> Iterator[GoldItem]:
        if self.file is not None:
            for place, record in enumerate(read_records(self.file)):
                yield self._of_record(record, place, round_, task)
        else:
            every = self.examples.stage.examples == "all"
            for place, example in enumerate(read_examples(connection, round_)):
                owner = next((v.verdict for v in example.votes if v.mode == "owner"), None)
                if owner is not None and is_to_be_judged(example, every=every):
                    yield self._of_verdict(example, owner, place, task)

    def _of_record(
        self, record: Mapping[str, Any], place: int, round_: Round, task: Task
    ) -> GoldItem:
        intake = self.examples
        verdict = record_verdict(record)
        item = task.read_example({k: v for k, v in record.items() if k != "verdict"})
        context = {each.name: item.values[each.name] for each in task.context}
        form = form_of(task)
        asked = WritingBrief(round=round_.number, context_id=item.uid, context=context, form=form)
        shown = _encode([item.values, verdict]).decode()
        key = hidden_key(
            intake.secret, intake.study_id, intake.index, f"{GOLD}\n{item.uid}\n{shown}"
        )
        dialogue = shown_dialogue(
            asked,
            item.values,
            key=key,
            uid=f"{GOLD}-{item.uid}",
            group="",
            model=GOLD,
            with_gold=intake.judges_verdicts,
        )
        return GoldItem(self._sheet(key, (), place, item.values, verdict, task), dialogue)

    def _of_verdict(
        self, example: WrittenExample, verdict: Verdict, place: int, task: Task
    ) -> GoldItem:
        """The example that others may judge, too: nobody is handed both of its sheets."""
        intake = self.examples
        key = hidden_key(intake.secret, intake.study_id, intake.index, example.uid)
        return GoldItem(self._sheet(key, (example.writer,), place, example.values, verdict, task))

    def _sheet(
        self,
        key: str,
        people: tuple[str, ...],
        place: int,
        values: Mapping[str, Any],
        verdict: Verdict,
        task: Task,
    ) -> NewSheet:
        questions = self.examples.questions
        right = RightAnswer(
            unit=dialogue_unit(key).key,
            question=questions[0].name,
            any_of=tuple(self._right(values, verdict, task)),
        )
        return NewSheet(
            name=key,
            group=key,
            position=place,
            content=sheet_content(key, questions),
            truth=Truth(answers=(right,)),
            people=people,
        )

    def _right(self, values: Mapping[str, Any], verdict: Verdict, task: Task) -> Sequence[Any]:
        """The answers to the deciding question that are right."""
        if self.examples.judges_verdicts or verdict == FLAGGED:
            return [verdict]
        target = task.targets[0]
        gold = values.get(task.gold[target.name], values.get(target.name))
        golds = gold if isinstance(gold, list) else [gold]
        if verdict == CORRECT:
            return golds
        question = self.examples.questions[0]
        options = question.options if isinstance(question, Choice) else ()
        return [each.id for each in options if each.id not in (*golds, FLAGGED)]


def read_records(file: Path) -> Iterator[dict[str, Any]]:
    """The records of a file, one JSON object per line; InputError says which line is none."""
    for number, line in enumerate(file.read_bytes().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = msgspec.json.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError) as error:
            raise InputError(f"{file.name}, line {number}: is not JSON: {error}.") from None
        if not isinstance(record, dict):
            raise InputError(f"{file.name}, line {number}: expected an object with the fields.")
        yield record


def record_verdict(record: Mapping[str, Any]) -> Verdict:
    """The verdict that is right for a record: `correct` where it does not say."""
    given = record.get("verdict", CORRECT)
    verdict = next((each for each in VERDICTS if each == given), None)
    if verdict is None:
        raise InputError(f"A 'verdict' is one of {', '.join(VERDICTS)}; got {given!r}.")
    return verdict
