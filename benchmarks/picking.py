"""Handing out a sheet with few and with many of them: the cost should not grow.

Raters take a sheet, store one label and finish, over and over, straight on the store and without a
server, so that what is measured is picking and storing and nothing else. On PostgreSQL the CPU of
the database's own process is counted as well.
"""

import contextlib
import os
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import Any

from sqlalchemy import Connection, text

from benchmarks import furnishing
from benchmarks.postgres import started_postgres
from benchmarks.processes import cpu_seconds
from benchmarks.table import Figure
from palaver.annotation.assignment import Handed, Rater, finish, hand_out
from palaver.annotation.plan import RatePlan
from palaver.annotation.submission import Submission, submit_sheet
from palaver.core.questions.likert import Likert
from palaver.core.scenario import Scenario
from palaver.core.sheets import SheetContent, SheetPart
from palaver.core.units import event_unit
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import Occupant, create_dialogue
from palaver.storage.judging.sheets import NewSheet, add_sheets
from palaver.storage.people.participants import enter

STAGE = 0
RATERS = 50
NEEDED = 3
QUALITY = Likert(name="quality", text="How good was it?")


@dataclass
class Desk:
    """A store with sheets to judge and people who do; `picked` and `whole` in µs of CPU each."""

    store: Store
    plan: RatePlan
    raters: list[Rater]
    dialogue: str
    picked: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)

    def work(self, rounds: int) -> None:
        """Everybody judges so many sheets; what one of them costs is added to the measurements."""
        picking = storing = 0.0
        for _ in range(rounds):
            took = self.store.write_now(self._judge)
            picking, storing = picking + took[0], storing + took[1]
        judged = rounds * len(self.raters)
        self.picked.append(1e6 * picking / judged)
        self.whole.append(1e6 * (picking + storing) / judged)

    def _judge(self, connection: Connection) -> tuple[float, float]:
        """Everybody judges one sheet, in one transaction; CPU seconds for picking and storing.

        One part after the other for all raters: the kernel counts in hundredths of a second.
        """
        cpu = _cpu_of(connection)
        began = cpu()
        handed = [hand_out(connection, self.plan, r, now=time.time()) for r in self.raters]
        held = [each for each in handed if isinstance(each, Handed)]
        assert len(held) == len(handed), "the sheets did not last"
        stored_from = cpu()
        for rater, sheet in zip(self.raters, held, strict=True):
            submit_sheet(connection, [self._label(rater, sheet)])
        stored_to = cpu()
        for rater, sheet in zip(self.raters, held, strict=True):
            finish(connection, self.plan, rater, sheet.slot_id, now=time.time())
        return cpu() - stored_to + stored_from - began, stored_to - stored_from

    def _label(self, rater: Rater, handed: Handed) -> Submission:
        return Submission(
            study_id=self.plan.study_id,
            question=QUALITY,
            unit=event_unit(self.dialogue, handed.sheet.position + 1),
            rater=rater.alias,
            rater_kind="person",
            participant_id=rater.participant_id,
            assignment_id=rater.assignment_id,
            slot_id=handed.slot_id,
            answer=4,
            client_id=f"{handed.slot_id}:quality",
            time=time.time(),
        )


def run(*, sizes: tuple[int, ...], rounds: int, each: int) -> tuple[list[Figure], Any]:
    """CPU per sheet for each number of sheets, in alternate rounds, on both databases."""
    figures: list[Figure] = []
    details: dict[str, Any] = {}
    for database in ("SQLite", "PostgreSQL"):
        with contextlib.ExitStack() as stack:
            desks = {size: stack.enter_context(_furnished(database, size)) for size in sizes}
            for desk in desks.values():
                desk.work(1)  # the first time everything is compiled
                desk.picked.clear()
                desk.whole.clear()
            for _ in range(rounds):
                for desk in desks.values():
                    desk.work(each)
            figures += _figures(database, desks)
            details[database] = {
                str(size): {"picked_us": desk.picked, "whole_us": desk.whole}
                for size, desk in desks.items()
            }
    return figures, details


def _figures(database: str, desks: dict[int, Desk]) -> list[Figure]:
    few, *more = desks
    floor = median(desks[few].picked)
    figures = [
        Figure(
            f"{database}: hand out and finish, {size:,} sheets (floor: {few:,})",
            median(desks[size].picked),
            floor,
            "µs",
            goal="≤ 1.2×",
            met=lambda f: f.ours <= 1.2 * f.floor,
        )
        for size in more
    ]
    whole = Figure(
        f"{database}: hand out, store a label, finish, {max(desks):,} sheets",
        median(desks[max(desks)].whole),
        None,
        "µs",
        goal="≤ 1,000 µs" if database == "SQLite" else "",
        met=(lambda f: f.ours <= 1000) if database == "SQLite" else None,
    )
    return [*figures, whole]


@contextlib.contextmanager
def _furnished(database: str, sheets: int) -> Iterator[Desk]:
    with contextlib.ExitStack() as stack:
        if database == "SQLite":
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="palaver-bench-"))
            url = f"sqlite:///{Path(folder) / 'palaver.db'}"
        else:
            url = stack.enter_context(started_postgres())
        study_id, dialogue, raters = _furnish(url, sheets)
        store = Store(url)
        stack.callback(store.close)
        yield Desk(store, _plan(study_id), raters, dialogue)


def _furnish(url: str, sheets: int) -> tuple[int, str, list[Rater]]:
    # Closed afterwards: what was taken in leaves the journal, as it does while a server runs.
    store = Store(url)
    try:
        with tempfile.TemporaryDirectory(prefix="palaver-bench-") as study:
            study_id = furnishing.register(store, furnishing.write_study(Path(study)))
        dialogue = store.write_now(lambda c: _fill(c, study_id, sheets))
        raters = store.write_now(lambda c: [_rater(c, study_id, n) for n in range(RATERS)])
    finally:
        store.close()
    return study_id, dialogue, raters


def _fill(connection: Connection, study_id: int, sheets: int) -> str:
    _, key = create_dialogue(
        connection,
        study_id=study_id,
        stage=STAGE,
        condition="bench",
        scenario=Scenario(),
        occupants=[Occupant(system="a"), Occupant(system="b")],
        now=0.0,
    )
    content = SheetContent(parts=(SheetPart(dialogues=(key,), ask=(QUALITY.name,)),))
    new = [NewSheet(f"t{n}", f"t{n}", n, content, needed=NEEDED) for n in range(sheets)]
    add_sheets(connection, study_id, STAGE, "real", new, order="balanced", seed=1)
    return key


def _rater(connection: Connection, study_id: int, number: int) -> Rater:
    visit = enter(
        connection,
        study_id=study_id,
        crowd="link",
        person=f"r{number}",
        assignment="1",
        first_step="stage:0",
        now=0.0,
    )
    return Rater(visit.id, visit.key, visit.participant_id, visit.alias, (visit.alias,))


def _plan(study_id: int) -> RatePlan:
    return RatePlan(
        study_id=study_id,
        stage=STAGE,
        questions={QUALITY.name: QUALITY},
        per_visit=None,
        per_rater=None,
        at_once=1,
        time_limit=3600.0,
        shuffle=False,
        qualification="bench",
        gold=None,
        attention=None,
        attention_questions=(),
    )


def _cpu_of(connection: Connection) -> Any:
    """A clock of the CPU that this process and the database's use."""
    if connection.dialect.name == "sqlite":
        return time.process_time
    pid = connection.execute(text("SELECT pg_backend_pid()")).scalar_one()
    return lambda: cpu_seconds(os.getpid()) + cpu_seconds(pid)
