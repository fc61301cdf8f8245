"""What a study needs before it is served: its files, read and checked against what is stored."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module

from palaver.core.errors import Problem, StudyError
from palaver.core.logs import get_log
from palaver.storage import Store
from palaver.storage.judging.intakes import complete_digests
from palaver.storage.studies.studies import list_studies
from palaver.storage.studies.versions import latest_version, versions_of_file
from palaver.studies.file.definition import Study
from palaver.studies.file.reader import load_study_text
from palaver.studies.intake.begun_rounds import begun_problems
from palaver.studies.intake.materials import StudyMaterials, load_material
from palaver.studies.intake.other_studies import placed_source_problems
from palaver.studies.stages import RateStage

log = get_log(__name__)


@dataclass(frozen=True, slots=True)
class PreparedStudy:
    """The files of a study, as far as they could be read, and what stops it from being served."""

    materials: StudyMaterials
    problems: tuple[Problem, ...]


def prepare_study(store: Store, study: Study, served: Mapping[str, Study]) -> PreparedStudy:
    """Read the files that a study names; `served` are all that are served with it."""
    problems: list[Problem] = []
    materials = StudyMaterials()
    known = store.read_now(partial(complete_digests, study=study.name))
    try:
        materials = load_material(study, taken_in=known)
        problems += begun_problems(store, study, materials)
    except StudyError as error:
        problems += error.problems
    found = store.read_now(partial(placed_source_problems, study=study, served=served))
    problems += [replace(problem, warning=False) for problem in found]
    found = _example_problems(store, study, served)
    problems += [problem for problem in found if not problem.warning]
    return PreparedStudy(materials, tuple(problems))


def _example_problems(store: Store, study: Study, served: Mapping[str, Study]) -> list[Problem]:
    """What is wrong with stages that judge what people wrote; others do not load what tells it."""
    if not any(isinstance(each, RateStage) and each.source for each in study.stages):
        return []
    module = import_module("palaver.studies.intake.example_questions")
    told = partial(module.placed_example_problems, study=study, served=served)
    return store.read_now(told)


def newest_file(store: Store, study: Study) -> Study:
    """The study as it is to be served: by its file, or by a later version that the file lacks.

    A process that was killed while it changed a study leaves an older file behind. One that somebody
    edited is no version yet, and goes first; so does one after which only files followed.
    """
    stored = {each.name: each.id for each in store.read_now(list_studies)}
    study_id = stored.get(study.name)
    if study_id is None:
        return study
    latest = store.read_now(partial(latest_version, study_id=study_id))
    if latest is None or latest.via == "server" or latest.digest == study.digest:
        return study
    older = store.read_now(partial(versions_of_file, study_id=study_id, digest=study.digest))
    if not older:
        return study
    log.warning(
        "older_study_file_replaced",
        study=study.name,
        file=str(study.file),
        found=older[-1].number,
        served=latest.number,
    )
    return load_study_text(latest.definition, study.file)
