"""What the rate and screen stages of a study need from files, found and checked.

`palaver check` tells everything that is wrong with them; serving needs them in order. What is still
to be provided (`unconfigured`) is a warning to one and an error to the other.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from pathlib import Path

from palaver.core.errors import Problem, StudyError
from palaver.core.questions import Question
from palaver.core.registry import near
from palaver.formats.chateval_lines import read_rater_counts
from palaver.formats.json_places import Steps
from palaver.formats.key_problems import KeyProblem, place_problems
from palaver.formats.line_problems import LineProblems
from palaver.formats.marked_yaml import read_marked
from palaver.studies import library
from palaver.studies.file.definition import Study
from palaver.studies.intake.advice import AdviceFiles
from palaver.studies.intake.drawn_sheets import (
    MadeSheets,
    files_of_pattern,
    is_pattern,
    system_of_file,
)
from palaver.studies.intake.judged_files import JudgedFile, SheetSource, file_digest
from palaver.studies.intake.responses import ResponseFiles
from palaver.studies.intake.trainings import Training, check_training, read_training_file
from palaver.studies.intake.unconfigured import unconfigured
from palaver.studies.stages import RateStage, ScreenStage, WriteStage
from palaver.studies.stages.parts import FileChoice, path_of
from palaver.studies.stages.rate import ADVICE, USUAL


@dataclass(frozen=True, slots=True)
class StudyMaterials:
    """The files of a study by stage: what is judged, hidden checks, training, and other studies."""

    data: dict[int, JudgedFile] = field(default_factory=dict)
    gold: dict[int, JudgedFile] = field(default_factory=dict)
    trainings: dict[int, Training] = field(default_factory=dict)
    # Stages that judge what another study collects, and the name of that study.
    finished_in: dict[int, str] = field(default_factory=dict)

    def sources(self) -> Iterator[SheetSource]:
        """Everything that is to be taken into the store; what raters need first comes first."""
        yield from self.trainings.values()
        yield from self.gold.values()
        yield from self.data.values()


@dataclass(frozen=True, slots=True)
class MaterialReading:
    """What was found: the materials that could be read, and everything that is wrong.

    KeyProblems belong to the study file, problems to the files that it names.
    """

    materials: StudyMaterials
    key_problems: list[KeyProblem]
    problems: list[Problem]


def load_material(
    study: Study, *, taken_in: Container[str] = (), most: int | None = None
) -> StudyMaterials:
    """The materials of a study that is to be served; StudyError with every problem.

    Files whose digest is in `taken_in` stand in the store already and are not read again. With
    `most`, no more sheets of a file are read.
    """
    reading = read_material(study, taken_in=taken_in, most=most)
    problems = (
        place_problems(read_marked(study.file), reading.key_problems)
        if reading.key_problems
        else []
    )
    wrong = [problem for problem in [*problems, *reading.problems] if not problem.warning]
    wrong += [replace(problem, warning=False) for problem in unconfigured(study)]
    if wrong:
        raise StudyError(wrong)
    return reading.materials


def read_material(
    study: Study, *, taken_in: Container[str] = (), most: int | None = None
) -> MaterialReading:
    """The same without raising, warnings included; the study itself must be in order."""
    reading = _Reading(study, taken_in, most)
    for index, stage in enumerate(study.stages):
        if isinstance(stage, RateStage):
            reading.rate(index, stage)
        elif isinstance(stage, ScreenStage):
            reading.screen(index, stage)
        elif isinstance(stage, WriteStage):
            reading.write(index, stage)
    blocked = path_of(study.crowd.blocked, study.folder)
    if blocked is not None and not blocked.is_file():
        reading.key_problems.append(
            KeyProblem(("crowd", "blocked"), f"There is no file {blocked}.")
        )
    return MaterialReading(reading.materials, reading.key_problems, reading.problems)


class _Reading:
    """The files of one study, one after the other."""

    def __init__(self, study: Study, taken_in: Container[str], most: int | None) -> None:
        self.materials = StudyMaterials()
        self.key_problems: list[KeyProblem] = []
        self.problems: list[Problem] = []
        self._study = study
        self._taken_in = taken_in
        self._most = most

    def rate(self, index: int, stage: RateStage) -> None:
        """What a rate stage has judged, and its hidden checks."""
        here: Steps = ("stages", index, "rate")
        if stage.source is not None:
            self.materials.finished_in[index] = stage.source
        if stage.format in USUAL:
            self._add_made(index, stage, here)
            return
        data = self._path((*here, "data"), stage.data if isinstance(stage.data, str) else None)
        units = self._path((*here, "units"), stage.units)
        counts = None if units is None else self._counts(units)
        if data is not None and (units is None or counts is not None):
            self._add_data(index, stage, data, units, counts)
        # What stands in it is read with the task, when examples are taken in.
        self._path((*here, "gold", "records"), stage.gold.records if stage.gold else None)
        gold = self._path((*here, "gold", "file"), stage.gold.file if stage.gold else None)
        if gold is not None:
            self._add_gold(index, stage, gold)

    def write(self, index: int, stage: WriteStage) -> None:
        """The file of contexts of a write stage."""
        if not isinstance(stage.contexts, str):
            return
        here: Steps = ("stages", index, "write", "contexts")
        path = self._path(here, stage.contexts)
        if path is None:
            return
        files = import_module("palaver.studies.intake.writing_files")
        problem = files.context_problem(stage, path)
        if problem:
            self.key_problems.append(KeyProblem(here, problem))

    def _add_data(
        self,
        index: int,
        stage: RateStage,
        path: Path,
        units: Path | None,
        counts: dict[str, int] | None,
    ) -> None:
        questions = self._asked(stage)
        asked = [(name, question.about) for name, question in questions.items()]
        settings = ["real", asked, stage.raters]
        self.materials.data[index] = file = JudgedFile(
            path=path,
            stage=index,
            purpose="real",
            questions=questions,
            digest=file_digest([path] if units is None else [path, units], settings),
            raters=stage.raters,
            counts=counts,
            counts_file="" if units is None else units.name,
            order=stage.order,
            seed=stage.seed,
            most=self._most,
        )
        self._check(file)

    def _add_gold(self, index: int, stage: RateStage, path: Path) -> None:
        questions = self._asked(stage)
        asked = [(name, question.version) for name, question in questions.items()]
        self.materials.gold[index] = file = JudgedFile(
            path=path,
            stage=index,
            purpose="gold",
            questions=questions,
            digest=file_digest([path], ["gold", asked]),
            order="file",
            most=self._most,
        )
        self._check(file)

    def _add_made(self, index: int, stage: RateStage, here: Steps) -> None:
        """Sheets that are made of files by system, and the checks among them."""
        paths = self._files_by_system((*here, "data"), stage)
        questions = self._asked(stage)
        made: MadeSheets
        if stage.format == ADVICE:
            situations = self._path((*here, "situations"), stage.situations)
            if situations is None:
                return
            made = AdviceFiles(situations=situations, paths=paths, stage=stage, questions=questions)
            if not paths:  # asked for by `unconfigured_problems`
                self._check_situations(made)
                return
        elif not paths:
            return
        else:
            made = ResponseFiles(paths=paths, stage=stage, questions=questions)
        self._add_sheets(index, stage, here, made, questions)

    def _add_sheets(
        self,
        index: int,
        stage: RateStage,
        here: Steps,
        made: MadeSheets,
        questions: dict[str, Question],
    ) -> None:
        asked = [(name, question.version) for name, question in questions.items()]
        first, seed = made.files[0], stage.seed
        file = partial(
            JudgedFile, path=first, stage=index, questions=questions, seed=seed, most=self._most
        )
        settings = [made.format, asked, stage.raters, *made.settings]
        self.materials.data[index] = file(
            purpose="real",
            digest=file_digest(made.files, settings),
            raters=stage.raters,
            order=stage.order,
            lines=made.lines,
        )
        self._check(self.materials.data[index])
        gold = stage.gold
        if gold is not None and gold.file is not None:
            path = self._path((*here, "gold", "file"), gold.file)
            if path is not None:
                self._add_gold(index, stage, path)
        elif gold is not None:
            self.materials.gold[index] = file(
                purpose="gold",
                digest=file_digest(made.files, ["gold", *settings]),
                order="file",
                lines=made.serving("gold").lines,
            )
            self._check(self.materials.gold[index])

    def _check_situations(self, files: AdviceFiles) -> None:
        line_problems = LineProblems(str(files.situations))
        files.read(line_problems)
        self.problems += line_problems.problems

    def _files_by_system(self, steps: Steps, stage: RateStage) -> dict[str, Path]:
        """The files by the systems whose outputs they hold; a pattern finds several."""
        choice = stage.data
        if isinstance(choice, dict):
            found = {name: self._path((*steps, name), file) for name, file in choice.items()}
            return {name: path for name, path in found.items() if path is not None}
        if not isinstance(choice, str):
            return {}
        if not is_pattern(choice):
            path = self._path(steps, choice)
            return {} if path is None else {system_of_file(path): path}
        files = files_of_pattern(self._study.folder, choice)
        if not files and stage.format != ADVICE:
            message = f"'data' names '{choice}'; no file in {self._study.folder} fits it."
            self.key_problems.append(KeyProblem(steps, message))
        by_system: dict[str, Path] = {}
        for path in files:
            name = system_of_file(path)
            if name in by_system:
                message = (
                    f"{path} and {by_system[name]} would both be the system '{name}'. Name them: "
                    "data: {NAME: FILE, …}."
                )
                self.key_problems.append(KeyProblem(steps, message))
            by_system[name] = path
        return by_system

    def _asked(self, stage: RateStage) -> dict[str, Question]:
        return {name: self._study.questions[name] for name in stage.ask}

    def screen(self, index: int, stage: ScreenStage) -> None:
        """What a screen stage teaches."""
        steps: Steps = ("stages", index, "screen", "training")
        path = self._training_path(steps, stage.training)
        if path is None:
            return
        line_problems = LineProblems(str(path))
        training_file = read_training_file(path, line_problems)
        if training_file is not None:
            name = stage.ask or training_file.training.question
            question = self._study.questions.get(name)
            if question is None:
                hint = near(name, self._study.questions)
                message = f"The training teaches the question '{name}', which is not among those of"
                self.key_problems.append(
                    KeyProblem(steps, f"{message} this study.{hint} Name one with 'ask'.")
                )
            else:
                check_training(training_file, question, line_problems)
                settings = ["training", name, question.version]
                self.materials.trainings[index] = Training(
                    stage=index,
                    file_name=path.name,
                    question=question,
                    training=training_file.training,
                    digest=file_digest([path], settings),
                )
            self._check_rounds(index, stage, len(training_file.training.rounds))
        self.problems += line_problems.problems

    def _check_rounds(self, index: int, stage: ScreenStage, rounds: int) -> None:
        for n, number in enumerate(stage.passing.rounds if stage.passing else ()):
            if number > rounds:
                steps = ("stages", index, "screen", "pass", "rounds", n)
                message = f"The training has {rounds} rounds; there is no round {number}."
                self.key_problems.append(KeyProblem(steps, message))

    def _check(self, file: JudgedFile) -> None:
        if file.digest in self._taken_in:
            return
        line_problems = LineProblems(file.file)
        try:
            found = sum(1 for _ in file.read(line_problems))
        except OSError as error:
            line_problems.add(f"Cannot be read: {error.strerror or error}.")
        else:
            if not found and not line_problems.has_errors:
                line_problems.add("Nothing is left to judge: every group needs 0 raters.")
        self.problems += line_problems.problems

    def _counts(self, path: Path) -> dict[str, int] | None:
        line_problems = LineProblems(str(path))
        counts = read_rater_counts(path.read_bytes(), line_problems)
        self.problems += line_problems.problems
        return None if line_problems.has_errors else counts

    def _training_path(self, steps: Steps, choice: FileChoice) -> Path | None:
        if isinstance(choice, str):
            built_in = library.training_file(choice)
            if built_in is not None:
                return built_in
            if Path(choice).name == choice and not Path(choice).suffix:
                known = library.training_names()
                hint = near(choice, known) or f" Built in: {', '.join(known)}."
                message = f"No training set '{choice}' is built in, and no file has that name."
                self.key_problems.append(KeyProblem(steps, message + hint))
                return None
        return self._path(steps, choice)

    def _path(self, steps: Steps, choice: FileChoice | None) -> Path | None:
        """Where a file stands; a problem where it does not. None for what is not given (yet)."""
        if not isinstance(choice, str):
            return None
        path = self._study.folder / choice
        if _is_file(path):
            return path
        message = f"'{steps[-1]}' names '{choice}'; there is no such file in {self._study.folder}."
        self.key_problems.append(KeyProblem(steps, message))
        return None


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # a name that no file can have
        return False
