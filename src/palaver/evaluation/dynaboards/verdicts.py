"""Which models of a board differ, by each measure on each data set: the verdict of `standings`.

Ten thousand trials take seconds for a board of some size, so a page does not wait for them: a process
beside the server computes them, and what it found is kept as long as no score changes.
"""

import subprocess
import sys
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from threading import Lock, Thread

import msgspec

from palaver.analysis.tukey import TRIALS
from palaver.core.errors import InputError
from palaver.core.evaluation.boards import MeasureVerdict
from palaver.core.numeric import Numbers, np
from palaver.evaluation.standings.boards import SIGNIFICANCE, Better, MeasureBoard
from palaver.evaluation.standings.make import StandingMeasure, StandingRun, stand
from palaver.storage.engine.store import Cache

SEED = 1
# Numbers to shuffle that take about a tenth of a second.
QUICK = 1_500_000
# Verdicts are some hundred bytes; as many boards are remembered.
MOST_KEPT = 64
LIMIT = 900.0
MODULE = "palaver.evaluation.dynaboards.verdict_worker"


class MeasureTable(msgspec.Struct, frozen=True, kw_only=True):
    """One measure of the models on the items of a data set: items × models, as bytes."""

    name: str
    title: str
    direction: Better
    values: bytes


class SetTable(msgspec.Struct, frozen=True, kw_only=True):
    """The models on one data set, with every measure that has a value per item."""

    dataset: str
    items: int
    models: list[str]
    teams: list[str]
    measures: list[MeasureTable]


class VerdictTask(msgspec.Struct, frozen=True, kw_only=True):
    """What is to be computed."""

    tables: list[SetTable]
    trials: int = TRIALS
    seed: int = SEED

    @property
    def size(self) -> int:
        """How many numbers are shuffled."""
        return self.trials * sum(
            each.items * len(each.models) * len(each.measures) for each in self.tables
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What came of it; `problem` says why there is none."""

    verdicts: tuple[MeasureVerdict, ...] = ()
    warnings: tuple[str, ...] = ()
    problem: str = ""


def compute(task: VerdictTask) -> Found:
    """The verdict by each measure on each data set, computed here."""
    verdicts: list[MeasureVerdict] = []
    warnings: list[str] = []
    for table in task.tables:
        shape = (table.items, len(table.models))
        values = {each.name: _matrix(each.values, shape) for each in table.measures}
        board = stand(
            [
                StandingRun(name=name, team=team, values={key: values[key][:, n] for key in values})
                for n, (name, team) in enumerate(zip(table.models, table.teams, strict=True))
            ],
            [str(n) for n in range(table.items)],
            key=table.dataset,
            title=table.dataset,
            measures=[
                StandingMeasure(each.name, each.title, each.direction) for each in table.measures
            ],
            trials=task.trials,
            seed=task.seed,
        )
        verdicts += [_verdict(table.dataset, measure) for measure in board.measures]
        # How alike two measures rank the models is not shown here.
        warnings += [each for each in board.warnings if not each.startswith("Kendall")]
    return Found(verdicts=tuple(verdicts), warnings=tuple(dict.fromkeys(warnings)))


class Verdicts:
    """The verdicts of a process, by the content of their boards; `at_once` computes them here."""

    def __init__(self, *, at_once: bool = False, trials: int = TRIALS) -> None:
        self.trials = trials
        self._at_once = at_once
        self._kept: Cache[Found] = Cache(MOST_KEPT)
        self._under_way: dict[Hashable, Thread] = {}
        self._lock = Lock()

    def get(self, name: Hashable, tables: Callable[[], Sequence[SetTable]]) -> Found | None:
        """What was found for the board called `name`; None while it is being computed."""
        found = self._kept.get(name)
        if found is not None:
            return found
        with self._lock:
            if name in self._under_way:
                return None
            task = VerdictTask(tables=list(tables()), trials=self.trials)
            if self._at_once or task.size <= QUICK:
                return self._kept.keep(name, compute(task))
            thread = Thread(target=self._beside, args=(name, task), daemon=True)
            self._under_way[name] = thread
        thread.start()
        return None

    def wait(self) -> None:
        """Come back when everything that is being computed is there."""
        for thread in list(self._under_way.values()):
            thread.join()

    def _beside(self, name: Hashable, task: VerdictTask) -> None:
        try:
            self._kept.keep(name, run_beside(task))
        finally:
            with self._lock:
                self._under_way.pop(name, None)


def run_beside(task: VerdictTask) -> Found:
    """The verdicts, computed by a process of its own, which gives way to everything else."""
    try:
        done = subprocess.run(
            [sys.executable, "-m", MODULE],
            input=msgspec.msgpack.encode(task),
            capture_output=True,
            timeout=LIMIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return Found(problem=f"Which models differ could not be computed: {error}.")
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return Found(problem=f"Which models differ could not be computed: {(lines or ['?'])[-1]}")
    return msgspec.msgpack.decode(done.stdout, type=Found)


def table_bytes(columns: Sequence[Numbers]) -> bytes:
    """The values of models on items, one column each, as a table has them."""
    return np.column_stack(columns).astype("<f8").tobytes()


def _matrix(content: bytes, shape: tuple[int, int]) -> Numbers:
    found: Numbers = np.frombuffer(content, dtype="<f8").reshape(shape)
    return found


def _verdict(dataset: str, board: MeasureBoard) -> MeasureVerdict:
    pairs = board.tukey.pairs if board.tukey else ()
    return MeasureVerdict(
        dataset=dataset,
        measure=board.measure,
        title=board.title,
        answer=_answer(board),
        tied_sets=board.sets,
        apart=tuple((pair.a, pair.b) for pair in pairs if pair.p < SIGNIFICANCE),
    )


def _answer(board: MeasureBoard) -> str:
    try:
        return board.answer
    except InputError as error:
        return str(error)
