"""Taking into the store what is to be judged: files, and what other studies have collected.

A file goes in by chunks, so that serving goes on meanwhile. Each chunk is one transaction that also
says how far the intake is; a process that is killed goes on there when it comes back, and a second
process finds the work done. The file was checked as a whole before (`materials`).
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TypeVar

from sqlalchemy import Connection

from palaver.core.errors import ConflictError
from palaver.core.logs import get_log
from palaver.core.questions import Question
from palaver.core.sheets import SheetContent, SheetPart
from palaver.storage import Store
from palaver.storage.judging.intakes import Intake, open_intake
from palaver.storage.judging.sheets import NewSheet, StoredSheet, add_sheets, uneven_sheets
from palaver.storage.studies.imports import FinishedGroup, finished_groups
from palaver.studies.intake.chunks import SHEETS, ChunkStep, IntakeRun, Taken
from palaver.studies.intake.judged_files import SheetSource
from palaver.studies.intake.materials import StudyMaterials
from palaver.studies.intake.other_studies import JUDGED, source_rounds
from palaver.studies.stages import RateStage

T = TypeVar("T")
log = get_log(__name__)

# Another process may be at the same file; nobody waits longer than a minute for its chunk.
ATTEMPTS = 60
PAUSE = 1.0


async def take_in(
    store: Store, study_id: int, materials: StudyMaterials, *, now: float
) -> list[Taken]:
    """Take in every file of a study that is not in the store yet; what was done, file by file."""
    done = []
    for source in materials.sources():
        taken = await _take_source(store, study_id, source, now=now)
        if taken is not None:
            done.append(taken)
            _tell(taken)
    return done


async def _take_source(
    store: Store, study_id: int, source: SheetSource, *, now: float
) -> Taken | None:
    """Take in one file; None if it was there."""
    begin = partial(
        open_intake,
        study_id=study_id,
        stage=source.stage,
        purpose=source.purpose,
        digest=source.digest,
    )
    intake = await _write(store, begin)
    if intake.complete:
        return None
    run = IntakeRun(store.lasting_secret(), study_id, source, now)
    taken = Taken(source.stage, source.purpose)
    while not intake.complete:
        step = await _go_through(store, run, intake)
        intake, taken = step.intake, taken + step.taken
        if intake.digest != source.digest:
            log.warning("another_process_takes_in_another_file", stage=source.stage)
            break
    return taken


async def _go_through(store: Store, run: IntakeRun, intake: Intake) -> ChunkStep:
    """Read the file from where the intake stands to its end, or until another process is ahead."""
    names: set[str] = set()
    chunks = run.chunks(intake.sheets, names)
    taken = Taken(intake.stage, intake.purpose)
    while True:
        chunk = await asyncio.to_thread(next, chunks, ())
        step = await _write(store, partial(run.store, chunk=chunk, at=intake, names=names))
        intake, taken = step.intake, taken + step.taken
        if step.elsewhere or intake.complete:
            return ChunkStep(intake, taken)


async def take_in_finished(
    store: Store,
    study_id: int,
    index: int,
    stage: RateStage,
    questions: Mapping[str, Question],
    *,
    limit: int = SHEETS,
    now: float = 0.0,
    folder: Path | None = None,
) -> int:
    """Make sheets of what the study that the stage names `from` has got since; how many.

    Where two conversations are compared, the two that one person held make one sheet. Where people
    write against models, each example makes one.
    """
    asked = [questions[name] for name in stage.ask]
    rounds = await store.read(partial(source_rounds, study=stage.source or ""))
    if rounds:
        # It needs the evaluation server, which other studies do not load.
        module = await asyncio.to_thread(import_module, "palaver.studies.intake.written_intake")
        written = module.WrittenIntake(store, partial(_write, store), rounds, folder)
        made: int = await written.take_in(study_id, index, stage, asked, limit=limit, now=now)
        return made
    compares = any(question.about == "pair" for question in asked)
    count = 0
    while True:
        groups = await store.read(
            partial(
                finished_groups,
                study=stage.source or "",
                judged_in=(study_id, index),
                reasons=JUDGED,
                together=compares,
                limit=limit,
            )
        )
        new = [_finished_sheet(group, asked, stage.raters) for group in groups]
        if new:
            count += await _write(
                store,
                partial(
                    add_sheets,
                    study_id=study_id,
                    stage=index,
                    purpose="real",
                    new=new,
                    order=stage.order,
                    seed=stage.seed,
                ),
            )
        if len(groups) < limit:
            return count


async def follow_raters(store: Store, study_id: int, index: int, stage: RateStage) -> None:
    """Give the sheets that were made of another study as many raters as the stage says now.

    Of examples that people wrote, the round says how many judge them.
    """
    if await store.read(partial(source_rounds, study=stage.source or "")):
        return
    seen: set[str] = set()
    while True:
        uneven = await store.read(
            partial(
                uneven_sheets, study_id=study_id, stage=index, needed=stage.raters, limit=SHEETS
            )
        )
        if all(sheet.key in seen for sheet in uneven):
            return  # none, or only such as another process holds right now
        seen.update(sheet.key for sheet in uneven)
        again = [_with_raters(sheet, stage.raters) for sheet in uneven]
        await _write(
            store,
            partial(
                add_sheets,
                study_id=study_id,
                stage=index,
                purpose="real",
                new=again,
                order=stage.order,
                seed=stage.seed,
            ),
        )


def _with_raters(sheet: StoredSheet, raters: int) -> NewSheet:
    return NewSheet(
        name=sheet.name,
        group=sheet.group,
        position=sheet.position,
        content=sheet.content,
        needed=raters,
    )


def _finished_sheet(group: FinishedGroup, asked: Sequence[Question], raters: int) -> NewSheet:
    alone = tuple(question.name for question in asked if question.about != "pair")
    compared = tuple(question.name for question in asked if question.about == "pair")
    parts = [SheetPart(dialogues=(key,), ask=alone) for key in group.dialogues if alone]
    if compared:
        parts.append(SheetPart(dialogues=group.dialogues, ask=compared))
    return NewSheet(
        name=group.name,
        group=group.name,
        position=group.position,
        content=SheetContent(parts=tuple(parts)),
        people=group.people,
        needed=raters,
    )


async def _write(store: Store, work: Callable[[Connection], T]) -> T:
    """Write once no other process holds the same row."""
    for _ in range(ATTEMPTS):
        try:
            return await store.write(work)
        except ConflictError:
            await asyncio.sleep(PAUSE)
    return await store.write(work)


def _tell(taken: Taken) -> None:
    counts = {"new": taken.new, "replaced": taken.replaced, "kept": taken.kept}
    log.info("taken_in", stage=taken.stage, purpose=taken.purpose, **counts, dropped=taken.dropped)
    if taken.changed:
        log.warning(
            "begun_sheets_kept_as_they_were",
            stage=taken.stage,
            purpose=taken.purpose,
            sheets=taken.changed[:10],
            count=len(taken.changed),
        )
