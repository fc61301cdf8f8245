"""Checking a study before anybody takes part: everything that is wrong, with file and line.

On top of what loading finds stand the warnings, an attempt to build each system, and a look through
the files that stages name, so that what is missing shows now and not in front of a participant.
"""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, Problem, StoreError, StudyError
from palaver.core.studies.stops import StudyStop
from palaver.formats.key_problems import KeyProblem, place_problems
from palaver.storage import Store
from palaver.storage.studies.stops import stops_by_name
from palaver.studies.advice.models_file import FILE as MODELS
from palaver.studies.advice.models_file import read_models_file
from palaver.studies.file.definition import ChatStage, RateStage, Study
from palaver.studies.file.reader import ReadStudy, read_study
from palaver.studies.home import Home
from palaver.studies.intake.example_questions import placed_example_problems
from palaver.studies.intake.materials import MaterialReading, StudyMaterials, read_material
from palaver.studies.intake.other_studies import placed_source_problems
from palaver.studies.intake.unconfigured import unconfigured_problems
from palaver.studies.play.players import check_games
from palaver.studies.stages.parts import to_do_of
from palaver.studies.stages.rate import ADVICE
from palaver.systems.build import build_system


def check_study(path: Path) -> list[Problem]:
    """Every problem and warning of the study in a folder or file, in the order of the file.

    Those of the files that it names come after its own.
    Systems are built on an event loop of their own: call this from a thread that runs none.
    """
    try:
        reading = read_study(path)
    except StudyError as error:
        return error.problems
    return check_reading(reading)


def check_reading(reading: ReadStudy) -> list[Problem]:
    """The same of a study file that was read, wherever its text came from."""
    faulty = {problem.steps[1] for problem in reading.key_problems if _in_system(problem)}
    systems = reading.marked.data.get("systems")
    folder = Path(reading.marked.file).parent
    sound = {name: given for name, given in _mappings(systems) if name not in faulty}
    material = _material(reading)
    key_problems = [
        *reading.key_problems,
        *_build_problems(sound, folder, reading.study),
        *material.key_problems,
    ]
    problems = [*place_problems(reading.marked, key_problems), *material.problems]
    return [*problems, *_model_problems(reading.study)]


def check_stored(paths: Sequence[Path], home: Home) -> list[Problem]:
    """What the store of a home says to these studies: two kinds of warnings.

    One is for every stage that judges a study without anything to judge, one for every study that
    its rule has stopped. Studies that are not in order are left alone; their problems come first.
    """
    studies = {study.name: study for path in paths if (study := _sound(path)) is not None}
    judging = [
        study
        for study in studies.values()
        if any(isinstance(stage, RateStage) and stage.source for stage in study.stages)
    ]
    comparing = [study for study in studies.values() if study.board_question is not None]
    # Before anything is stored nobody can tell what will be served beside it.
    if not (judging or comparing) or not home.exists:
        return []
    try:
        store = Store(home.database_url, read_only=True)
    except StoreError as error:
        return [Problem(home.describe(), 0, 0, str(error), warning=True)]
    with closing(store):
        stopped = store.read_now(stops_by_name)
        return [
            *(
                _stop_problem(study, stopped[study.name])
                for study in comparing
                if study.name in stopped
            ),
            *(
                problem
                for study in judging
                for problem in store.read_now(
                    partial(placed_source_problems, study=study, served=studies)
                )
            ),
            *(
                problem
                for study in judging
                for problem in store.read_now(
                    partial(placed_example_problems, study=study, served=studies)
                )
            ),
        ]


def _stop_problem(study: Study, stop: StudyStop) -> Problem:
    """That nobody more is let in, whatever the file says now."""
    message = (
        f"{stop.words} Nobody more takes part, whatever the file says now. To go on, serve it as a "
        "new study: give it another 'name'."
    )
    return Problem(str(study.file), 0, 0, message, warning=True)


def _sound(path: Path) -> Study | None:
    try:
        reading = read_study(path)
    except StudyError:
        return None
    wrong = any(not problem.warning for problem in reading.key_problems)
    return None if wrong else reading.study


def _material(reading: ReadStudy) -> MaterialReading:
    """What stands in the files; they are looked at once the study itself is in order."""
    if reading.study is None or any(not problem.warning for problem in reading.key_problems):
        return MaterialReading(StudyMaterials(), [], [])
    material = read_material(reading.study)
    material.key_problems.extend(unconfigured_problems(reading.study))
    material.key_problems.extend(_rules_problems(reading.study))
    return material


def _model_problems(study: Study | None) -> list[Problem]:
    """What is wrong with the models that a round asks, where it names any."""
    stages = () if study is None else study.stages
    judged = any(isinstance(each, RateStage) and each.format == ADVICE for each in stages)
    if study is None or not judged or not (study.folder / MODELS).is_file():
        return []
    try:
        read_models_file(study.folder)
    except StudyError as error:
        return error.problems
    return []


def _rules_problems(study: Study) -> Iterator[KeyProblem]:
    for i, stage in enumerate(study.stages):
        if isinstance(stage, ChatStage):
            try:
                rules = stage.game_rules(study.folder)
            except InputError as error:
                yield KeyProblem(("stages", i, stage.kind, "game"), str(error))
            else:
                for problem in stage.counting_problems(rules):
                    yield problem.under("stages", i, stage.kind)


def _in_system(problem: KeyProblem) -> bool:
    return problem.steps[:1] == ("systems",) and len(problem.steps) > 1 and not problem.warning


def _mappings(systems: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, given in systems.items() if isinstance(systems, dict) else []:
        if isinstance(given, dict):
            yield name, given


def _build_problems(
    systems: dict[str, dict[str, Any]], folder: Path, study: Study | None
) -> Iterator[KeyProblem]:
    for name, given in systems.items():
        if to_do_of(given) is not None:
            continue  # told by `unconfigured_problems`
        games = () if study is None else study.games_of(name)
        try:
            asyncio.run(_try(name, given, folder, games))
        except Exception as error:  # noqa: BLE001  # a researcher's own class may raise anything
            yield KeyProblem(("systems", name), str(error) or repr(error), at_key=True)


async def _try(name: str, given: dict[str, Any], folder: Path, games: Sequence[str]) -> None:
    system = build_system(name, given, folder=folder)
    try:
        check_games(name, system, games)
    finally:
        await system.close()
