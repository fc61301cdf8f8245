"""A round: one study whose raters judge what models advised; where it stands follows from what exists.

Nothing about a round is stored beside its files and the rows of its study: the situations and the
answers lie in its folder, the sheets and the judgements in the store. Whoever wants to know how far
it is looks there.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palaver.core.errors import InputError
from palaver.core.studies.progress import SlotProgress
from palaver.formats.advice.answers import read_answers
from palaver.formats.line_problems import LineProblems
from palaver.storage import Store
from palaver.storage.judging.slot_counts import NO_SLOTS, done_by_crowd, progress
from palaver.storage.studies.studies import list_studies
from palaver.studies.file.definition import Study
from palaver.studies.intake.advice import AdviceData, AdviceFiles
from palaver.studies.intake.drawn_sheets import files_of_pattern, is_pattern, system_of_file
from palaver.studies.run.simulation import CROWD
from palaver.studies.stages import RateStage
from palaver.studies.stages.rate import ADVICE


@dataclass(frozen=True, slots=True)
class AdviceRound:
    """A study with the stage in which advice is judged."""

    study: Study
    index: int
    stage: RateStage

    @property
    def folder(self) -> Path:
        return self.study.folder

    @property
    def answers(self) -> Path:
        """Where models' answers are written."""
        data = self.stage.data
        return self.folder / data.rpartition("/")[0] if isinstance(data, str) else self.folder

    @property
    def takes_answers(self) -> bool:
        """Whether what models answer is judged by itself, as opposed to files that are named."""
        data = self.stage.data
        return isinstance(data, str) and is_pattern(data) and data.endswith("/*.jsonl")

    def answer_files(self) -> dict[str, Path]:
        """The files of answers that are there, by model."""
        data = self.stage.data
        if isinstance(data, dict):
            named = {model: self.folder / file for model, file in data.items()}
        elif isinstance(data, str) and not is_pattern(data):
            named = {system_of_file(self.folder / data): self.folder / data}
        else:
            found = files_of_pattern(self.folder, data) if isinstance(data, str) else []
            named = {system_of_file(path): path for path in found}
        return {model: path for model, path in named.items() if path.is_file()}

    @property
    def situations_file(self) -> Path:
        """Where the situations are; InputError while that is not said."""
        file = self.stage.situations
        if not isinstance(file, str):
            raise InputError(f"{self.study.file} does not say where its 'situations' are.")
        return self.folder / file

    def situations(self) -> AdviceData:
        """The situations that can be judged; StudyError with everything that is wrong with them."""
        path = self.situations_file
        line_problems = LineProblems(str(path))
        files = AdviceFiles(situations=path, paths={}, stage=self.stage, questions={})
        read = files.read(line_problems)
        line_problems.raise_errors()
        return read


def advice_round(study: Study) -> AdviceRound:
    """The round of a study; InputError where none of its stages judges advice."""
    for index, stage in enumerate(study.stages):
        if isinstance(stage, RateStage) and stage.format == ADVICE:
            return AdviceRound(study, index, stage)
    raise InputError(
        f"{study.file} has no stage in which advice is judged: 'rate' with 'format: advice'. Write a "
        "study that has one: palaver init --template advice FOLDER"
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundState:
    """How far a round is.

    `topics` counts the situations; `answered` says on how many of them each model has advised.
    `by_people` and `simulated` are the judgements that are in.
    """

    topics: Mapping[str, int]
    answered: Mapping[str, int]
    rated: SlotProgress = NO_SLOTS
    by_people: int = 0
    simulated: int = 0

    @property
    def situations(self) -> int:
        return sum(self.topics.values())

    @property
    def incomplete(self) -> dict[str, int]:
        """The models that have not advised on everything, with how often they have."""
        return {name: n for name, n in self.answered.items() if n < self.situations}

    @property
    def has_begun(self) -> bool:
        """Whether somebody has been handed a sheet: what is judged stays as it is from then on."""
        return self.rated.done + self.rated.held > 0

    @property
    def is_rated(self) -> bool:
        """Whether every sheet has its raters."""
        return 0 < self.rated.needed == self.rated.done


def round_state(found: AdviceRound, store: Store, models: Iterable[str] = ()) -> RoundState:
    """How far a round is, from its files and from the store; `models` are those it asks."""
    asked = found.situations()
    ids = {item.id for item in asked.situations}
    files = found.answer_files()
    answered = {model: len(ids & read_answers(path).keys()) for model, path in files.items()}
    state = RoundState(
        topics=Counter(item.situation.topic for item in asked.situations),
        answered={**dict.fromkeys(models, 0), **answered},
    )
    stored = {study.name: study.id for study in store.read_now(list_studies)}
    if found.study.name not in stored:
        return state
    study_id = stored[found.study.name]
    by_crowd = store.read_now(partial(done_by_crowd, study_id=study_id, stage=found.index))
    return RoundState(
        topics=state.topics,
        answered=state.answered,
        rated=store.read_now(partial(progress, study_id=study_id, stage=found.index)),
        by_people=sum(count for crowd, count in by_crowd.items() if crowd != CROWD),
        simulated=by_crowd.get(CROWD, 0),
    )
