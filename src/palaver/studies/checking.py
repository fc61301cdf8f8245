"""Checking a study before anybody takes part: everything that is wrong, with file and line.

On top of what loading finds stand the warnings, an attempt to build each system, and a look through
the files that stages name, so that what is missing shows now and not in front of a participant.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from palaver.core.errors import InputError, Problem, StudyError
from palaver.formats.faults import Fault, place_faults
from palaver.studies.definition import ChatStage, Reading, Study, read_study
from palaver.studies.materials import (
    MaterialReading,
    StudyMaterials,
    read_material,
    unconfigured_faults,
)
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
    faulty = {fault.steps[1] for fault in reading.faults if _in_system(fault)}
    systems = reading.marked.data.get("systems")
    folder = Path(reading.marked.file).parent
    sound = {name: given for name, given in _mappings(systems) if name not in faulty}
    material = _material(reading)
    faults = [*reading.faults, *_build_faults(sound, folder), *material.faults]
    return [*place_faults(reading.marked, faults), *material.problems]


def _material(reading: Reading) -> MaterialReading:
    """What stands in the files; they are looked at once the study itself is in order."""
    if reading.study is None or any(not fault.warning for fault in reading.faults):
        return MaterialReading(StudyMaterials(), [], [])
    material = read_material(reading.study)
    material.faults.extend(unconfigured_faults(reading.study))
    material.faults.extend(_rules_faults(reading.study))
    return material


def _rules_faults(study: Study) -> Iterator[Fault]:
    for i, stage in enumerate(study.stages):
        if isinstance(stage, ChatStage):
            try:
                stage.game_rules(study.folder)
            except InputError as error:
                yield Fault(("stages", i, "chat", "game"), str(error))


def _in_system(fault: Fault) -> bool:
    return fault.steps[:1] == ("systems",) and len(fault.steps) > 1 and not fault.warning


def _mappings(systems: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, given in systems.items() if isinstance(systems, dict) else []:
        if isinstance(given, dict):
            yield name, given


def _build_faults(systems: dict[str, dict[str, Any]], folder: Path) -> Iterator[Fault]:
    for name, given in systems.items():
        try:
            asyncio.run(_try(name, given, folder))
        except Exception as error:  # noqa: BLE001  # a researcher's own class may raise anything
            yield Fault(("systems", name), str(error) or repr(error), at_key=True)


async def _try(name: str, given: dict[str, Any], folder: Path) -> None:
    system = build_system(name, given, folder=folder)
    await system.close()
