"""The boards of a DialEval shared task: one per task and language, from gold data and predictions."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from palaver.analysis.item_means import SHARE
from palaver.analysis.tukey import TRIALS
from palaver.core.numeric import np
from palaver.evaluation.dialeval.baselines import oracles as oracle_entries
from palaver.evaluation.dialeval.gold import CountedGold
from palaver.evaluation.dialeval.predictions import Predictions, lay_out
from palaver.evaluation.dialeval.runs import PredictedRun
from palaver.evaluation.dialeval.scoring import MEASURES, score
from palaver.evaluation.standings.boards import TaskBoard
from palaver.evaluation.standings.comparison import part_of
from palaver.evaluation.standings.make import StandingMeasure, StandingRun, stand
from palaver.formats.submissions import KEYS, TASKS, Entries, Task
from palaver.metrics.distances import distance_title, normalised

TITLES: dict[Task, str] = {"nd": "Nugget detection", "dq": "Dialogue quality"}


def make_boards(
    gold: CountedGold,
    entrants: Sequence[PredictedRun],
    *,
    trials: int = TRIALS,
    seed: int = 1,
    legacy: bool = False,
    baselines: bool = True,
    oracles: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> list[TaskBoard]:
    """A board for every task and language that a run takes part in."""
    from_gold = _oracles(gold)
    keys = dict.fromkeys((entrant.task, entrant.language) for entrant in entrants)
    boards = []
    order = sorted(keys, key=lambda key: (TASKS.index(key[0]), key[1]))
    for number, (task, language) in enumerate(order):
        board = stand(
            [
                StandingRun(
                    name=entrant.name,
                    team=entrant.team,
                    values=score(gold, entrant.predictions).values,
                    is_baseline=entrant.is_baseline,
                    is_oracle=_is_oracle(entrant.predictions, from_gold, task),
                )
                for entrant in entrants
                if (entrant.task, entrant.language) == (task, language)
            ],
            gold.ids,
            key=board_key(task, language),
            title=board_title(task, language),
            measures=[
                StandingMeasure(name, distance_title(name), "lower", SHARE)
                for name in MEASURES[task]
            ],
            trials=trials,
            seed=seed,
            legacy=legacy,
            baselines=baselines,
            oracles=oracles,
            items="dialogues",
            progress=part_of(progress, number, len(order)),
        )
        boards.append(replace(board, task=task, language=language))
    return boards


def board_key(task: Task, language: str) -> str:
    """A name for folders: `nugget-english`."""
    return "-".join(filter(None, (KEYS[task], language)))


def board_title(task: Task, language: str) -> str:
    """A name for people."""
    return f"{TITLES[task]}, {language.capitalize()}" if language else TITLES[task]


def _oracles(gold: CountedGold) -> list[Predictions]:
    """What one who reads the gold data would hand in."""
    return [lay_out(Entries(entries), gold, name="oracle") for entries in oracle_entries(gold)]


def _is_oracle(given: Predictions, known: Sequence[Predictions], task: Task) -> bool:
    """Whether a run is what the gold data themselves say, whatever it is called."""
    return any(
        np.allclose(normalised(one), normalised(other), rtol=0, atol=1e-9)
        for oracle in known
        if task in oracle.tasks
        for one, other in [
            (oracle.nuggets, given.nuggets) if task == "nd" else (oracle.quality, given.quality)
        ]
    )
