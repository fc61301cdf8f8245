"""Asking the models of a round for advice: all at once, resumable, each by itself.

Every answer is committed as it comes, so that whatever stops the asking, the next call goes on where
this one ended and asks nothing twice. What the models answered is written as a folder of answers; what
they did not, is said per model and per situation, and nothing stands in for it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

from palaver.core.clock import Backoff, WallClock
from palaver.core.errors import InputError
from palaver.core.evaluation.runs import Prediction, Run
from palaver.core.situations import AdvisingModel, Situation
from palaver.core.words import counted
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.foreground import work_through
from palaver.evaluation.runs.predictions import run_predictions
from palaver.evaluation.runs.progress import Echo
from palaver.formats.advice.answers import read_models, remove_answers, write_answers, write_models
from palaver.storage.evaluation.runs import find_run_by_id
from palaver.studies.advice.models_file import ModelEntry
from palaver.studies.advice.rounds import advice_task, plan_model, take_situations
from palaver.studies.advice.teams import RoundTeams, TeamModels
from palaver.systems.build import predictor_options_type


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedModel:
    """What became of asking one model.

    `failed` says per situation why there is no answer, `empty` names the answers without a word in
    them, `reason` is why the model failed as a whole, and `seconds` how long it was being asked.
    """

    model: str
    asked: int
    answered: int
    failed: Mapping[str, str] = field(default_factory=dict)
    empty: tuple[str, ...] = ()
    reason: str = ""
    seconds: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether every situation has an answer, if only an empty one."""
        return self.answered == self.asked

    @property
    def words(self) -> str:
        """What came of it, in a line."""
        told = f"{self.answered:,} of {counted(self.asked, 'answer')}"
        if self.empty:
            told += f", {len(self.empty):,} without a word in it"
        return f"{told}. {self.reason}" if self.reason else f"{told}."


def ask_models(
    home: EvaluationHome,
    situations: Sequence[Situation],
    models: Mapping[str, ModelEntry],
    *,
    into: Path,
    name: str = "situations",
    teams: RoundTeams | None = None,
    timeout: float | None = None,
    chunk: int | None = None,
    echo: Echo = lambda line: None,
    stream: TextIO | None = None,
    backoff: Backoff | None = None,
) -> list[AskedModel]:
    """Ask each model for advice on each situation, and write the answers to the folder `into`.

    All models are asked side by side; one that fails stops no other. Called again, it asks what has no
    answer yet. `name` is what the situations are called in the home: the answers belong to it.
    What `teams` registered is asked beside the models, about data sets that their tracks name.
    `timeout` and `chunk` hold for every model that can be asked so.
    """
    now = WallClock().now()
    row = home.store.write_now(lambda c: advice_task(c, now=now))
    if teams is None:
        dataset = take_situations(home, row, situations, name=name, now=now)
    else:
        dataset = teams.take_situations(home, row, situations, now=now)
    runs: dict[str, Run] = {}
    refused: dict[str, str] = {}
    for model, entry in models.items():
        asked_so = with_manner(entry, timeout=timeout, chunk=chunk)
        try:
            runs[model] = plan_model(home, row, dataset, asked_so, now=now)
        except InputError as error:
            refused[model] = str(error)
            echo(f"{model}: {error}")
    of_teams = {} if teams is None else teams.planned(home, row)
    due = [*runs.values(), *of_teams.values()]
    if due:
        work_through(
            home,
            runs=due,
            at_once=len(due),
            echo=_with_names(echo, of_teams),
            stream=stream,
            backoff=backoff,
        )
    found = [
        _written(home, situations, runs[model], into=into)
        if model in runs
        else _not_asked(situations, model, refused[model])
        for model in models
    ]
    cards: dict[str, AdvisingModel] = {
        **read_models(into),
        **{model: entry.card for model, entry in models.items()},
    }
    if teams is not None:
        asked = teams.models(home, row)
        found += _teams_written(home, situations, asked, into=into)
        cards = {name: card for name, card in cards.items() if name not in asked.left_out}
        cards |= {each.card.name: each.card for each in asked.complete}
    write_models(into, cards.values())
    return found


def with_manner(
    entry: ModelEntry, *, timeout: float | None = None, chunk: int | None = None
) -> ModelEntry:
    """The same model asked with other limits, as far as its kind takes them."""
    fields = predictor_options_type(entry.kind).model_fields
    given: dict[str, Any] = {}
    if timeout is not None:
        given["timeout"] = min([timeout, *_most(fields["timeout"])])
    if chunk is not None and (fields["batch"].default > 1 or "batch" in entry.options):
        given["batch"] = min([chunk, *_most(fields["batch"])])
    return replace(entry, options={**entry.options, **given})


def _most(option: Any) -> list[float]:
    return [limit.le for limit in option.metadata if hasattr(limit, "le")]


def _with_names(echo: Echo, of_teams: Mapping[str, Run]) -> Echo:
    """Tells of the models of teams by the names that they have in the round."""

    def tell(line: str) -> None:
        for name, run in of_teams.items():
            line = line.replace(run.model, name)
        echo(line)

    return tell


def _teams_written(
    home: EvaluationHome, situations: Sequence[Situation], asked: TeamModels, *, into: Path
) -> list[AskedModel]:
    """What became of the models of teams; the answers of those that take part are in the folder."""
    for name in asked.left_out:
        remove_answers(into, name)
    return [
        *(
            _written(home, situations, each.run, into=into, name=each.card.name)
            for each in asked.complete
        ),
        *(_not_asked(situations, name, reason) for name, reason in asked.failed.items()),
    ]


def _written(
    home: EvaluationHome,
    situations: Sequence[Situation],
    planned: Run,
    *,
    into: Path,
    name: str | None = None,
) -> AskedModel:
    """What became of a run; its answers are in the folder then."""
    run = home.store.read_now(lambda c: find_run_by_id(c, planned.id))
    kept = {each.uid: each for each in run_predictions(home, run)}
    answers = {
        each.id: str(kept[each.id].answer["advice"])  # type: ignore[index]
        for each in situations
        if _is_answered(kept.get(each.id))
    }
    model = name or run.model
    write_answers(into, model, answers)
    failed = {
        each.id: _why(kept.get(each.id), run) for each in situations if each.id not in answers
    }
    return AskedModel(
        model=model,
        asked=len(situations),
        answered=len(answers),
        failed=failed,
        empty=tuple(id for id, text in answers.items() if not text.strip()),
        reason=run.reason if failed else "",
        seconds=run.start_seconds + run.busy_seconds,
    )


def _is_answered(kept: Prediction | None) -> bool:
    return kept is not None and kept.answer is not None and "advice" in kept.answer


def _why(kept: Prediction | None, run: Run) -> str:
    if kept is not None and kept.problem:
        return kept.problem
    return run.reason or f"It was not asked: the run is {run.state}."


def _not_asked(situations: Sequence[Situation], model: str, reason: str) -> AskedModel:
    failed = {each.id: f"It was not asked: {reason}" for each in situations}
    return AskedModel(model=model, asked=len(situations), answered=0, failed=failed, reason=reason)
