"""The files of contexts that write stages name; loaded for studies that have such a stage alone."""

from pathlib import Path

from palaver.core.errors import InputError
from palaver.evaluation.rounds.context_files import contexts_of_file
from palaver.evaluation.tasks.builtin import builtin_names, builtin_task
from palaver.studies.stages import WriteStage


def context_problem(stage: WriteStage, path: Path) -> str:
    """What is wrong with a file of contexts; empty where nothing is.

    One for a task of one's own is checked as the round opens.
    """
    if stage.task not in builtin_names():
        return ""
    try:
        contexts_of_file(path, builtin_task(stage.task), talks=stage.talk is not None)
    except InputError as error:
        return str(error)
    return ""
