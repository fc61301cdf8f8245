"""A round that a crowd service judges: the comparisons it is handed, and its answers as labels.

The comparisons are those of the round's own sheets. What comes back is stored as if it had been given
here: workers under pseudonyms, sides by the unit and not by the screen, places at sheets filled. The
same batch again adds nothing.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from palaver.annotation.submission import label_text
from palaver.core.audit import COMMAND
from palaver.core.errors import AnswerError, InputError, Problem
from palaver.core.labels import Label
from palaver.core.questions.comparative import SIDES, Comparative
from palaver.core.questions.question import Question, Shown
from palaver.core.units import Unit, dialogue_unit, pair_unit
from palaver.formats.advice.crowd_batch import CrowdAnswer, CrowdBatch
from palaver.formats.advice.crowd_csv import AdvicePair, link_of
from palaver.formats.advice.situations import read_situations
from palaver.formats.pseudonyms import origin_pseudonym
from palaver.storage import Store
from palaver.storage.audit.entries import record
from palaver.storage.judging.labels import NewLabel, append_labels
from palaver.storage.judging.sheets import StoredSheet, sheets_of
from palaver.storage.judging.slots import fill
from palaver.storage.judging.units import ensure_unit
from palaver.storage.people.raters import ensure_rater
from palaver.storage.studies.imports import ensure_person, ensure_visit
from palaver.storage.studies.studies import list_studies
from palaver.studies.advice.judgements import COMMENT, STILL, WORSE
from palaver.studies.advice.round import AdviceRound
from palaver.studies.intake.materials import load_material

# The step of what is asked of the worse advice that takes the reason, by how helpful it still is.
REASON_STEPS = {
    "helpful": "rewriting",
    "nothelpful": "elsewhere",
    "dangerous": "elsewhere_dangerous",
}


def pairs_of_round(found: AdviceRound) -> Iterator[AdvicePair]:
    """The comparisons that the round asks for, each with the number of raters it needs."""
    situations = {each.id: each for each in read_situations(_situations_file(found))}
    for sheet in load_material(found.study).data[found.index].sheets():
        people, model = sheet.parts[0].dialogues
        yield AdvicePair(
            situation=situations[sheet.group],
            people=people.turns[-1].text,
            model=model.system,
            advice=model.turns[-1].text,
            raters=sheet.needed,
        )


@dataclass(slots=True)
class CrowdImport:
    """What a batch added, and what of it could not be placed or read."""

    judgements: int = 0
    already: int = 0
    raters: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)


def import_batch(
    store: Store, found: AdviceRound, batch: CrowdBatch, *, file: str, salt: str, now: float
) -> CrowdImport:
    """Store the answers of a batch as labels of the round, all or nothing; what was added."""
    name = found.study.name
    ids = {study.name: study.id for study in store.read_now(list_studies)}
    if name not in ids or not store.read_now(
        lambda c: sheets_of(c, ids[name], found.index, "real")
    ):
        raise InputError(
            f"Nothing is to be judged yet in '{name}'. Open its rating first: palaver advice run "
            f"{found.folder} --until open"
        )
    situations = list(read_situations(_situations_file(found)))
    links = {each.id: each.id for each in situations}
    links |= {link_of(each): each.id for each in situations}

    def store_all(connection: Connection) -> CrowdImport:
        return _Importing(connection, found, ids[name], links, file, salt, now).run(batch)

    return store.write_now(store_all)


def _situations_file(found: AdviceRound) -> Path:
    file = found.stage.situations
    if not isinstance(file, str):
        raise InputError(f"{found.study.file} does not say where its 'situations' are.")
    return found.folder / file


@dataclass(frozen=True, slots=True)
class _Placed:
    """An answer with the sheet it belongs to, the pair it compares and the order of the screen."""

    answer: CrowdAnswer
    sheet: StoredSheet
    pair: Unit
    sides: tuple[Unit, Unit]
    order: tuple[str, ...]


class _Importing:
    """One batch on its way into the store."""

    def __init__(
        self,
        connection: Connection,
        found: AdviceRound,
        study_id: int,
        links: Mapping[str, str],
        file: str,
        salt: str,
        now: float,
    ) -> None:
        self.connection, self.found, self.study_id = connection, found, study_id
        self.links, self.file, self.salt, self.now = links, file, salt, now
        self.sheets = {
            sheet.name: sheet for sheet in sheets_of(connection, study_id, found.index, "real")
        }
        asked = found.stage.ask
        self.better = found.study.questions[found.study.board_question or ""]
        self.beside = {
            name: found.study.questions[name] for name in (WORSE, COMMENT) if name in asked
        }
        self.raters: dict[str, tuple[int, int]] = {}
        self.done = CrowdImport()

    def run(self, batch: CrowdBatch) -> CrowdImport:
        for answer in batch.answers:
            placed = self._place(answer)
            if placed is not None:
                self._store(placed)
        record(
            self.connection,
            "import.make",
            by=COMMAND,
            now=self.now,
            subject=self.found.study.name,
            study_id=self.study_id,
            detail={"judgements": self.done.judgements},
        )
        return self.done

    def _place(self, answer: CrowdAnswer) -> _Placed | None:
        situation = self.links.get(answer.link)
        sheet = self.sheets.get(f"{situation}/{answer.model}")
        if situation is None or sheet is None:
            what = f"the situation '{answer.link}'" if situation is None else ""
            what = what or f"advice of '{answer.model}' on '{answer.link}'"
            self._tell(answer, f"The round does not judge {what}. The row is left out.")
            return None
        people, model = (dialogue_unit(key) for key in sheet.content.parts[0].dialogues)
        left, right = (people, model) if answer.people_first else (model, people)
        pair = pair_unit(people, model)
        order = SIDES if pair.members == (left.key, right.key) else SIDES[::-1]
        return _Placed(answer, sheet, pair, (people, model), order)

    def _store(self, placed: _Placed) -> None:
        answer = placed.answer
        name = origin_pseudonym(self.salt, answer.worker)
        person, rater = self._rater(name)
        work = answer.assignment or f"{answer.worker}:{placed.sheet.name}"
        visit = ensure_visit(
            self.connection,
            study_id=self.study_id,
            participant_id=person,
            name=f"import:{self._digest('work', work)}",
            time=self.now,
        )
        for unit in placed.sides:
            ensure_unit(self.connection, self.study_id, unit)
        unit_id = ensure_unit(self.connection, self.study_id, placed.pair)
        new = [
            NewLabel(
                label=self._label(placed, question, value, rater=name, work=work),
                study_id=self.study_id,
                unit_id=unit_id,
                rater_id=rater,
                assignment_id=visit,
            )
            for question, value in self._values(placed)
        ]
        if append_labels(self.connection, new)[0].repeated:
            self.done.already += 1
            return
        self.done.judgements += 1
        fill(
            self.connection,
            placed.sheet.id,
            participant_id=person,
            assignment_id=visit,
            now=self.now,
        )

    def _values(self, placed: _Placed) -> Iterator[tuple[Question, Any]]:
        """The comparison, then what was said beside it, as questions store them."""
        answer, shown = placed.answer, Shown(order=placed.order)
        graded = isinstance(self.better, Comparative) and self.better.degrees
        yield self.better, self.better.read(answer.code if graded else answer.code[1], shown)
        steps: dict[str, str] = {} if answer.worse is None else {STILL: answer.worse}
        if answer.worse is not None and answer.reason is not None:
            steps[REASON_STEPS[answer.worse]] = answer.reason
        for name, given in ((WORSE, steps), (COMMENT, answer.comment)):
            if name not in self.beside or not given:
                continue
            try:
                yield self.beside[name], self.beside[name].read(given, shown)
            except AnswerError as error:
                self._tell(answer, f"{error} Taken without it.", warning=True)

    def _label(
        self, placed: _Placed, question: Question, value: Any, *, rater: str, work: str
    ) -> Label:
        return Label(
            unit=placed.pair.key,
            question=question.name,
            question_version=question.version,
            rater=rater,
            rater_kind="person",
            value=value,
            shown_order=placed.order,
            label=label_text(question, value),
            seconds=placed.answer.seconds,
            time=self.now,
            client_id=f"import:{self._digest(work, placed.pair.key, question.name)}",
        )

    def _rater(self, name: str) -> tuple[int, int]:
        if name not in self.raters:
            person = ensure_person(self.connection, name, now=self.now)
            rater = ensure_rater(
                self.connection, key=name, kind="person", now=self.now, participant_id=person
            )
            self.raters[name] = (person, rater)
            self.done.raters.add(name)
        return self.raters[name]

    def _tell(self, answer: CrowdAnswer, words: str, *, warning: bool = False) -> None:
        self.done.problems.append(Problem(self.file, answer.line, 1, words, warning=warning))

    def _digest(self, *parts: str) -> str:
        written = json.dumps([self.found.study.name, self.salt, *parts])
        return hashlib.sha256(written.encode()).hexdigest()[:20]
