"""Advice that raters have begun to judge stays as it was.

What is judged may follow its file until somebody has begun. Models that come later, or answer anew,
would be judged by other people at another time than those beside them on the board: they belong to a
round of their own.
"""

from functools import partial

from palaver.core.errors import Problem
from palaver.core.studies.progress import SlotProgress
from palaver.core.words import counted, listed
from palaver.storage import Store
from palaver.storage.judging.intakes import intake_of
from palaver.storage.judging.slot_counts import progress
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.intake.chunks import IntakeRun, SheetChanges
from palaver.studies.intake.judged_files import JudgedFile
from palaver.studies.intake.materials import StudyMaterials
from palaver.studies.stages import RateStage
from palaver.studies.stages.rate import ADVICE


def begun_problems(store: Store, study: Study, materials: StudyMaterials) -> list[Problem]:
    """A problem for every stage whose advice changed after somebody had begun to judge it."""
    stored = {each.name: each.id for each in store.read_now(list_studies)}
    if study.name not in stored:
        return []
    return [
        problem
        for index, file in materials.data.items()
        if _is_advice(study, index)
        and (problem := _problem(store, study, stored[study.name], file)) is not None
    ]


def _is_advice(study: Study, index: int) -> bool:
    stage = study.stages[index]
    return isinstance(stage, RateStage) and stage.format == ADVICE


def _problem(store: Store, study: Study, study_id: int, file: JudgedFile) -> Problem | None:
    rated = store.read_now(partial(progress, study_id=study_id, stage=file.stage))
    if not rated.done and not rated.held:
        return None
    taken = store.read_now(partial(intake_of, study_id=study_id, stage=file.stage, purpose="real"))
    if taken is not None and taken.digest == file.digest:
        return None
    changes = store.read_now(IntakeRun(store.lasting_secret(), study_id, file, 0.0).changes)
    if not changes.any:
        return None
    return Problem(str(study.file), 1, 1, _words(rated, changes))


def _words(rated: SlotProgress, changes: SheetChanges) -> str:
    told = {"new": changes.new, "changed": changes.changed, "gone": changes.gone}
    words = [
        f"{len(names):,} {what} ({listed(names, most=4)})" for what, names in told.items() if names
    ]
    done = f"{counted(rated.done, 'judgement')} of {rated.needed:,}"
    return (
        f"Rating has begun ({done}), so what is judged must stay as it is; but of its items there "
        f"would be {listed(words)}. Put situations and answers back as they were, or hold another "
        "round: a copy of this folder with another 'name' in its study.yaml."
    )
