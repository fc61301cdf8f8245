"""Whether a stage that judges what people wrote asks something that its task can make sense of.

The first question decides. Its options are the verdicts, or the labels of the task and `flagged`;
anything else would count as an answer that is wrong of every example.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from sqlalchemy import Connection

from palaver.core.errors import InputError, Problem, UnknownNameError
from palaver.core.questions import Question
from palaver.core.questions.choice import Choice
from palaver.core.tasks import Task
from palaver.core.words import listed
from palaver.evaluation.rounds.examples import FLAGGED, VERDICTS
from palaver.evaluation.tasks import builtin_names, builtin_task, stored_task
from palaver.formats.key_problems import KeyProblem, place_problems
from palaver.formats.marked_yaml import read_marked
from palaver.games.model_in_the_loop.form import goal_labels
from palaver.storage.evaluation.tasks import find_task
from palaver.studies.file.definition import Study
from palaver.studies.intake.example_gold import read_records, record_verdict
from palaver.studies.intake.other_studies import source_rounds
from palaver.studies.stages import RateStage, WriteStage


def placed_example_problems(
    connection: Connection, study: Study, served: Mapping[str, Study]
) -> list[Problem]:
    """The same as `example_problems`, with their lines in the study's file."""
    found = list(example_problems(connection, study, served))
    return place_problems(read_marked(study.file), found) if found else []


def example_problems(
    connection: Connection, study: Study, served: Mapping[str, Study]
) -> Iterator[KeyProblem]:
    """What is wrong with each stage of a study that judges examples of people."""
    for index, stage in enumerate(study.stages):
        if not isinstance(stage, RateStage) or stage.source is None:
            continue
        written = _written(connection, stage.source, served)
        if written is None:
            continue
        name, validators = written
        asked = [study.questions[each] for each in stage.ask if each in study.questions]
        for problem in _stage_problems(stage, asked, validators):
            yield problem.under("stages", index, "rate")
        task = _task(connection, name)
        if task is not None and asked:
            file = study.folder / stage.gold.records if stage.gold and stage.gold.records else None
            for problem in (*deciding_problems(asked[0], task), *_record_problems(file, task)):
                yield problem.under("stages", index, "rate")


def deciding_problems(question: Question, task: Task) -> Iterator[KeyProblem]:
    """Where the answers to a deciding question are neither verdicts nor the task's labels."""
    labels, here = goal_labels(task), ("ask", 0)
    if not isinstance(question, Choice):
        if labels or question.level != "text":
            message = (
                f"The first question decides about an example; '{question.name}' is no choice. Ask "
                "'example_verdict', or a choice of the labels and 'flagged'."
            )
            yield KeyProblem(here, message)
        return
    options = {option.id for option in question.options}
    if options <= set(VERDICTS):
        return
    if not labels:
        message = (
            f"'{task.name}' has no labels that raters could choose. Ask 'example_verdict' first: "
            "whether the writer's answer is right."
        )
        yield KeyProblem(here, message)
        return
    missing = [label for label in labels if label not in options]
    unknown = [each for each in sorted(options) if each not in (*labels, FLAGGED)]
    if missing:
        message = (
            f"Question '{question.name}' has no option for {listed(missing)}: an example with that "
            "label could never be verified. Ids of options are labels of the task."
        )
        yield KeyProblem(here, message)
    if unknown:
        message = (
            f"{listed(unknown)} is no label of '{task.name}' ({listed(labels)}), so choosing it "
            "says that the writer is wrong."
        )
        yield KeyProblem(here, message, warning=True)
    if FLAGGED not in options:
        message = (
            f"Question '{question.name}' has no option 'flagged': nobody can say that something is "
            "wrong with an example."
        )
        yield KeyProblem(here, message, warning=True)


def _stage_problems(
    stage: RateStage, asked: list[Question], validators: int
) -> Iterator[KeyProblem]:
    for n, question in enumerate(asked):
        if question.about != "dialogue":
            message = (
                f"Question '{question.name}' is about {question.about}s; an example is judged as a "
                "whole."
            )
            yield KeyProblem(("ask", n), message)
    if "raters" in stage.model_fields_set and stage.raters < validators:
        message = (
            f"The round asks for {validators} validators, and every example gets {stage.raters} "
            "here. Leave 'raters' out to have as many as the round says."
        )
        yield KeyProblem(("raters",), message, warning=True)
    if stage.gold is not None and stage.gold.file is not None:
        message = "Examples are checked with 'records' of the task, or with the owner's 'verdicts'."
        yield KeyProblem(("gold", "file"), message)


def _record_problems(file: Path | None, task: Task) -> Iterator[KeyProblem]:
    """What is wrong with the first record that cannot be shown."""
    if file is None or not file.is_file():
        return
    try:
        for record in read_records(file):
            record_verdict(record)
            task.read_example({name: each for name, each in record.items() if name != "verdict"})
    except InputError as error:
        yield KeyProblem(("gold", "records"), str(error))


def _written(
    connection: Connection, source: str, served: Mapping[str, Study]
) -> tuple[str, int] | None:
    """The task that people write for in a study, and how many validators it asks for."""
    stages = served[source].stages if source in served else ()
    stage = next((each for each in stages if isinstance(each, WriteStage)), None)
    if stage is not None:
        return stage.task, stage.validators
    rounds = source_rounds(connection, source)
    return (rounds[-1].task, rounds[-1].terms.validators) if rounds else None


def _task(connection: Connection, name: str) -> Task | None:
    try:
        return stored_task(find_task(connection, name))
    except UnknownNameError:
        return builtin_task(name) if name in builtin_names() else None
