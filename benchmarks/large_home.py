"""A home with a large study: many dialogues of five systems, and three times as many labels.

Dialogues, units, raters and sheets go in through the store's own functions; slots that are done and
labels by bulk inserts into the schema's tables. A third of the labels are points of a scale, a third
sets of behaviours of single turns, a third comparisons of two dialogues; each has two raters.
"""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from sqlalchemy import Connection, bindparam, insert, select, update

from benchmarks.furnishing import open_store
from palaver.accounts.passwords import hash_password
from palaver.annotation.submission import Submission, label_text, submit
from palaver.core.questions.question import Question
from palaver.core.sheets import SheetContent, SheetPart
from palaver.core.units import Unit, dialogue_unit, event_unit, pair_unit
from palaver.storage.dialogues.bulk import BulkDialogue, BulkEvent, add_dialogues
from palaver.storage.judging.sheets import NewSheet, add_sheets
from palaver.storage.judging.units import ensure_units
from palaver.storage.people.accounts import create_account
from palaver.storage.people.participants import enter
from palaver.storage.people.raters import NewRater, ensure_raters
from palaver.storage.schema import labels, raters, sheets, slots
from palaver.storage.studies.studies import list_studies, register_study
from palaver.studies.file.reader import load_study
from palaver.studies.review.questions import stored_questions

STUDY_NAME = "large"
STUDY = """\
title: A large study
name: large
board: {public: true}
questions:
  quality: {kind: likert, text: How good was this conversation?}
  behaviours:
    kind: multiselect
    text: What does this reply do?
    speaker: system
    options:
      - {id: empathy, text: It is empathetic.}
      - {id: information, text: It tells something.}
      - {id: redundant, text: It repeats itself.}
      - {id: contradiction, text: It contradicts itself.}
      - {id: off_topic, text: It is off topic.}
      - {id: rude, text: It is rude.}
  better: {kind: comparative, text: Which conversation is better?}
stages:
  - rate: {ask: [quality, behaviours], data: dialogues.jsonl, raters: 2}
  - rate: {ask: [better], data: pairs.jsonl, raters: 2}
"""
SYSTEMS = ("crane", "heron", "ibis", "stork", "wren")
SAID = "What did you do at the weekend, was it fun?"
RATERS = 40
BATCH = 2_000
ACCOUNT, PASSWORD = "bench", "correct horse"
LONG_AGO = 30 * 86400.0


@dataclass(frozen=True, slots=True)
class Judge:
    """A person who judges."""

    rater_id: int
    participant_id: int
    assignment_id: int
    alias: str


@dataclass(frozen=True, slots=True)
class Judged:
    """A sheet that somebody judged: its stage and name, and what is asked of which units."""

    stage: int
    name: str
    dialogues: tuple[str, ...]
    asked: tuple[tuple[str, Unit], ...]


def furnish(folder: Path, *, dialogues: int) -> tuple[Path, Path]:
    """The folders of the study and of its home, with so many dialogues and three times the labels."""
    study, home = folder / "study", folder / "home"
    study.mkdir(parents=True)
    (study / "study.yaml").write_text(STUDY, encoding="utf-8")
    talk = [["user", SAID], ["system", SAID]]
    one = {"id": "extra", "turns": talk, "system": SYSTEMS[0]}
    (study / "dialogues.jsonl").write_text(json.dumps(one) + "\n", encoding="utf-8")
    other = one | {"id": "other", "system": SYSTEMS[1]}
    pair = {"id": "extra", "pair": [one, other]}
    (study / "pairs.jsonl").write_text(json.dumps(pair) + "\n", encoding="utf-8")
    loaded, store = load_study(study / "study.yaml"), open_store(home)
    try:
        now = time.time()
        study_id = store.write_now(
            lambda c: register_study(
                c,
                name=loaded.name,
                title=loaded.title,
                digest=loaded.digest,
                definition=STUDY,
                now=now,
            )
        )
        store.write_now(
            lambda c: create_account(
                c,
                name=ACCOUNT,
                role="owner",
                password_hash=hash_password(PASSWORD),
                one_time=False,
                now=now,
            )
        )
        judges = store.write_now(lambda c: [_judge(c, study_id, n, now) for n in range(RATERS)])
        keys = [f"large-{n:06}" for n in range(dialogues)]
        for some in _batches(keys):
            store.write_now(lambda c, some=some: _talk(c, study_id, some, now - LONG_AGO))
        dice = Random(1)
        for judged in _batches(list(_sheets(keys))):
            store.write_now(
                lambda c, judged=judged: _judge_all(
                    c, study_id, judged, judges, loaded.questions, dice, now - LONG_AGO
                )
            )
    finally:
        store.close()
    return study, home


def _batches(of: Sequence) -> Iterator[Sequence]:
    for start in range(0, len(of), BATCH):
        yield of[start : start + BATCH]


def _judge(connection: Connection, study_id: int, number: int, now: float) -> Judge:
    visit = enter(
        connection,
        study_id=study_id,
        crowd="link",
        person=f"r{number}",
        assignment="1",
        first_step="stage:0",
        now=now,
    )
    new = NewRater(visit.alias, "person", now, visit.participant_id)
    ids = ensure_raters(connection, [new])
    return Judge(ids[visit.alias], visit.participant_id, visit.id, visit.alias)


def _system(key: str) -> int:
    return int(key.rpartition("-")[2]) % len(SYSTEMS)


def _talk(connection: Connection, study_id: int, keys: Sequence[str], then: float) -> None:
    said = json.dumps({"text": SAID})
    events = (
        BulkEvent(0, "join", "{}"),
        BulkEvent(1, "join", "{}"),
        *(BulkEvent(n % 2, "message", said) for n in range(4)),
        BulkEvent(None, "end", '{"reason":"complete"}'),
    )
    new = [
        BulkDialogue(
            key=key,
            source_id=key,
            condition="file",
            system=SYSTEMS[_system(key)],
            scenario="{}",
            events=events,
        )
        for key in keys
    ]
    add_dialogues(
        connection,
        study_id=study_id,
        stage=0,
        purpose="real",
        source="large.jsonl",
        new=new,
        now=then,
    )


def _sheets(keys: Sequence[str]) -> Iterator[Judged]:
    """Half of the dialogues with their quality, a quarter of those with two turns; all in pairs."""
    for n in range(0, len(keys), 2):
        key = keys[n]
        turns = [("behaviours", event_unit(key, seq)) for seq in (4, 6)] if n % 4 == 0 else []
        yield Judged(0, key, (key,), (("quality", dialogue_unit(key)), *turns))
    for n in range(0, len(keys) - 1, 2):
        one, other = keys[n], keys[n + 1]
        pair = pair_unit(dialogue_unit(one), dialogue_unit(other))
        yield Judged(1, f"{one}|{other}", (one, other), (("better", pair),))


def _judge_all(
    connection: Connection,
    study_id: int,
    judged: Sequence[Judged],
    judges: Sequence[Judge],
    questions: dict[str, Question],
    dice: Random,
    then: float,
) -> None:
    """Store some sheets with two slots each, all done, and their labels."""
    wanted: dict[str, Unit] = {}
    for each in judged:
        wanted |= {f"dialogue:{key}": dialogue_unit(key) for key in each.dialogues}
        wanted |= {unit.key: unit for _, unit in each.asked}
    unit_ids = ensure_units(connection, study_id, wanted.values())
    for stage in (0, 1):
        new = [
            NewSheet(
                each.name,
                each.name,
                n,
                SheetContent(parts=(SheetPart(dialogues=each.dialogues, ask=()),)),
                needed=2,
            )
            for n, each in enumerate(judged)
            if each.stage == stage
        ]
        add_sheets(connection, study_id, stage, "real", new, order="file", seed=1)
    held = _slots(connection, study_id, [each.name for each in judged])
    done, said = [], []
    for each in judged:
        for slot, judge in zip(held[each.stage, each.name], dice.sample(judges, 2), strict=True):
            at = then + 86400 * 28 * dice.random()
            done.append((slot, judge, at))
            said += [
                _label(study_id, slot, judge, questions[name], unit_ids[unit.key], each, dice, at)
                for name, unit in each.asked
            ]
    _finish(connection, done)
    connection.execute(insert(labels), said)


def _slots(
    connection: Connection, study_id: int, names: Sequence[str]
) -> dict[tuple[int, str], list[int]]:
    rows = connection.execute(
        select(sheets.c.stage, sheets.c.name, slots.c.id)
        .join(slots, slots.c.sheet_id == sheets.c.id)
        .where(sheets.c.study_id == study_id, sheets.c.name.in_(names))
        .order_by(slots.c.number)
    )
    found: dict[tuple[int, str], list[int]] = {}
    for stage, name, slot in rows:
        found.setdefault((stage, name), []).append(slot)
    return found


def _finish(connection: Connection, done: Sequence[tuple[int, Judge, float]]) -> None:
    connection.execute(
        update(slots)
        .where(slots.c.id == bindparam("slot"))
        .values(
            state="done",
            participant_id=bindparam("participant"),
            assignment_id=bindparam("assignment"),
            since=bindparam("from"),
            seen=bindparam("at"),
            finished=bindparam("at"),
        ),
        [
            {
                "slot": slot,
                "participant": judge.participant_id,
                "assignment": judge.assignment_id,
                "from": at - 60,
                "at": at,
            }
            for slot, judge, at in done
        ],
    )


def _label(
    study_id: int,
    slot: int,
    judge: Judge,
    question: Question,
    unit_id: int,
    judged: Judged,
    dice: Random,
    at: float,
) -> dict[str, object]:
    value = _answer(question, judged, dice)
    return {
        "study_id": study_id,
        "unit_id": unit_id,
        "question": question.name,
        "question_version": question.version,
        "purpose": "real",
        "rater_id": judge.rater_id,
        "assignment_id": judge.assignment_id,
        "shown_order": '["first","second"]' if question.level == "pairwise" else None,
        "value": json.dumps(value, separators=(",", ":")),
        "abstained": False,
        "seconds": dice.lognormvariate(2, 0.6),
        "time": at,
        "client_id": f"{slot}:{unit_id}:{question.name}",
        "label": label_text(question, value),
        "slot_id": slot,
    }


def _answer(question: Question, judged: Judged, dice: Random) -> object:
    """What somebody says; later systems of the list are a little better, raters mostly agree."""
    better = _system(judged.dialogues[0])
    own = Random(judged.name)
    if question.name == "quality":
        return min(5, max(1, round(own.gauss(2.6 + 0.1 * better, 0.9) + dice.gauss(0, 0.5))))
    if question.name == "behaviours":
        options = [option.id for option in question.options]  # type: ignore[attr-defined]
        return [each for each in options if own.random() < 0.2 and dice.random() < 0.8]
    edge = 0.3 * (better - _system(judged.dialogues[1])) + own.gauss(0, 0.8) + dice.gauss(0, 0.5)
    return "first" if edge > 0.2 else "second" if edge < -0.2 else "tie"


def add_label(connection: Connection, number: int) -> None:
    """One more answer about the quality of a dialogue, by a rater who was here before."""
    study = next(each for each in list_studies(connection) if each.name == STUDY_NAME)
    question = stored_questions(study.definition)["quality"]
    rater = connection.execute(select(raters.c.key).order_by(raters.c.id)).scalars().first()
    assert rater is not None
    submit(
        connection,
        Submission(
            study_id=study.id,
            question=question,
            unit=dialogue_unit(f"large-{2 * number + 1:06}"),
            rater=rater,
            rater_kind="person",
            answer=4,
            time=time.time(),
            seconds=5.0,
        ),
    )
