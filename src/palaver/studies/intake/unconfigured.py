"""What a study still waits for: what an import could not find, and answers nobody has asked for yet.

To `palaver check` these are warnings; a study that is to be served needs all of them.
"""

from collections.abc import Iterator

from palaver.core.errors import Problem
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import KeyProblem, place_problems
from palaver.formats.marked_yaml import read_marked
from palaver.studies.file.definition import Study
from palaver.studies.intake.drawn_sheets import files_of_pattern, is_pattern
from palaver.studies.stages import RateStage, ScreenStage
from palaver.studies.stages.parts import FileChoice, Unconfigured, to_do_of
from palaver.studies.stages.rate import ADVICE


def unconfigured(study: Study) -> list[Problem]:
    """A warning for everything that is still to be provided: by hand, or by models."""
    key_problems = list(unconfigured_problems(study))
    return place_problems(read_marked(study.file), key_problems) if key_problems else []


def unconfigured_problems(study: Study) -> Iterator[KeyProblem]:
    """The same, without line and column."""
    for name, system in study.systems.items():
        note = to_do_of(system.options)
        if note is not None:
            yield KeyProblem(("systems", name), _to_do(f"System '{name}'", note), warning=True)
    if isinstance(study.crowd.blocked, Unconfigured):
        note = study.crowd.blocked.unconfigured
        yield KeyProblem(("crowd", "blocked"), _to_do("'blocked'", note), warning=True)
    for index, stage in enumerate(study.stages):
        if isinstance(stage, RateStage | ScreenStage):
            for steps, choice in _choices(stage):
                if isinstance(choice, Unconfigured):
                    here = ("stages", index, stage.kind, *steps)
                    yield KeyProblem(
                        here, _to_do(f"'{steps[-1]}'", choice.unconfigured), warning=True
                    )
        if isinstance(stage, RateStage) and is_unanswered(study, stage):
            message = (
                f"There are no answers of models in '{stage.data}' yet. Ask models: "
                f"palaver advice run {study.folder}"
            )
            yield KeyProblem(("stages", index, "rate", "data"), message, warning=True)


def waits_for_answers(study: Study) -> bool:
    """Whether models are still to be asked for the advice that a study judges."""
    rated = (stage for stage in study.stages if isinstance(stage, RateStage))
    return any(is_unanswered(study, stage) for stage in rated)


def is_unanswered(study: Study, stage: RateStage) -> bool:
    """Whether a stage waits for models that are to be asked for advice."""
    choice = stage.data
    waits = stage.format == ADVICE and isinstance(choice, str) and is_pattern(choice)
    return waits and not files_of_pattern(study.folder, str(choice))


def _to_do(what: str, note: str) -> str:
    sentence = note.strip().rstrip(".")
    return f"{what} is not configured yet: {sentence}. The study cannot be served until it is."


def _choices(stage: RateStage | ScreenStage) -> Iterator[tuple[Steps, FileChoice | None]]:
    """Every file that a stage may name, with the steps that lead there."""
    if isinstance(stage, ScreenStage):
        yield ("training",), stage.training
        return
    yield ("data",), stage.data if not isinstance(stage.data, dict) else None
    yield ("situations",), stage.situations
    yield ("units",), stage.units
    yield ("gold", "file"), stage.gold.file if stage.gold else None
