"""Teams of live challenges in a round: their endpoints are asked what its models are asked.

A track of a challenge names, for a phase, the study whose raters judge the answers. The situations of
that round are the data set which the track names for the phase. The entries of teams have one run each
on it, due when the phase asks; whoever comes first works through them, a server or the round itself.
Nothing about it is stored beside the challenge: what takes part follows from its entries.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlalchemy import Connection

from palaver.core.deadlines import in_both_zones
from palaver.core.errors import InputError
from palaver.core.evaluation.challenges import Phase, StoredChallenge, Track, stored_definition
from palaver.core.evaluation.datasets import Dataset
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.situations import AdvisingModel, Situation
from palaver.core.words import listed
from palaver.evaluation.challenges.endpoint_cards import AdvisingEntry, advising_entries
from palaver.evaluation.challenges.endpoint_plans import plan_endpoints
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.outcomes import retry_run
from palaver.evaluation.tasks import stored_task
from palaver.storage import Store
from palaver.storage.evaluation.challenges import list_challenges
from palaver.storage.evaluation.datasets import find_dataset, list_datasets
from palaver.storage.evaluation.runs import find_run_by_id, runs_of_versions
from palaver.studies.advice.rounds import TASK, advice_task, holds_situations, take_situations


@dataclass(frozen=True, slots=True)
class JudgedTrack:
    """A track of a challenge and the phase of it that a study judges."""

    row: StoredChallenge
    track: Track
    phase: Phase

    @property
    def dataset(self) -> str:
        """The name of the data set that teams are asked about."""
        return self.track.datasets[self.phase.name]

    def entries(self, connection: Connection) -> list[AdvisingEntry]:
        """What teams entered."""
        return advising_entries(connection, self.row, self.track.name, self.phase.name)


@dataclass(frozen=True, slots=True)
class TeamModel:
    """A model of a team that answered."""

    card: AdvisingModel
    run: Run


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamModels:
    """What became of asking teams: those that answered, why others did not, and who is not in it."""

    complete: Sequence[TeamModel]
    failed: Mapping[str, str] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class RoundTeams:
    """The teams whose answers a round judges, by the tracks that they entered."""

    tracks: Sequence[JudgedTrack]

    @property
    def asks(self) -> float | None:
        """When the last of the phases asks; None where all ask as soon as they can."""
        return max((each.phase.asks for each in self.tracks if each.phase.asks), default=None)

    def waits(self, now: float) -> str:
        """Why nobody is asked yet, in words; empty once the time has come."""
        if self.asks is None or now >= self.asks:
            return ""
        named = listed([f"'{each.row.name}'" for each in self.tracks])
        return f"the challenge {named} asks its teams from {in_both_zones(self.asks)} on"

    def still_open(self, now: float) -> str:
        """Until when teams can still register, in words; empty once they cannot."""
        taking = [each.phase for each in self.tracks if each.phase.takes(now)]
        ends = [each.closes + 3600 * each.late_hours for each in taking if each.closes is not None]
        if not taking:
            return ""
        until = f"until {in_both_zones(max(ends))}" if len(ends) == len(taking) else "at any time"
        return f"Teams can still register {until}; who comes after rating has begun is not in it."

    def names(self, store: Store) -> list[str]:
        """What the models that take part or would, had they not failed, are called."""
        return [
            name
            for name, _, entry in store.read_now(lambda c: list(self._entries(c)))
            if entry.part != "out"
        ]

    def schedule(
        self, home: EvaluationHome, situations: Sequence[Situation], *, now: float
    ) -> None:
        """Have the situations ready, so that a server asks teams about them when it is time."""
        row = home.store.write_now(lambda c: advice_task(c, now=now))
        self.take_situations(home, row, situations, now=now)

    def take_situations(
        self,
        home: EvaluationHome,
        row: StoredTask,
        situations: Sequence[Situation],
        *,
        now: float,
    ) -> Dataset:
        """The situations as the data set of each track, with the runs of its entries planned.

        InputError where a data set of that name is about something else.
        """
        taken = [
            _take(home, row, each, situations, now=now)
            for each in {each.dataset: each for each in self.tracks}.values()
        ]
        return taken[0]

    def planned(self, home: EvaluationHome, row: StoredTask) -> dict[str, Run]:
        """The runs of what teams entered, by name; what failed goes on where it stopped."""

        def plan(connection: Connection) -> dict[str, Run]:
            runs = self._runs(connection, row)
            found: dict[str, Run] = {}
            for name, _, entry in self._entries(connection):
                run = runs.get(entry.version_id)
                if run is None:
                    continue
                if entry.part == "failed" and run.state == "failed":
                    retry_run(connection, run)
                found[name] = find_run_by_id(connection, run.id)
            return found

        return home.store.write_now(plan)

    def models(self, home: EvaluationHome, row: StoredTask) -> TeamModels:
        """What became of asking the teams."""
        return home.store.read_now(lambda c: self._models(c, row))

    def _models(self, connection: Connection, row: StoredTask) -> TeamModels:
        runs = self._runs(connection, row)
        complete: list[TeamModel] = []
        failed: dict[str, str] = {}
        out: set[str] = set()
        for name, card, entry in self._entries(connection):
            run = runs.get(entry.version_id)
            if entry.part == "counts" and run is not None and run.state == "done":
                complete.append(TeamModel(card, run))
                continue
            out.add(name)
            if entry.part != "out":
                state = "not planned" if run is None else run.state
                failed[name] = entry.reason or f"The run is {state}."
        return TeamModels(complete=complete, failed=failed, left_out=frozenset(out))

    def _runs(self, connection: Connection, row: StoredTask) -> dict[int, Run]:
        """The runs of what was entered, by model version."""
        found: dict[int, Run] = {}
        for each in self.tracks:
            dataset = find_dataset(connection, row.id, each.dataset)
            versions = [entry.version_id for entry in each.entries(connection)]
            runs = runs_of_versions(connection, versions, [dataset.version_id])
            found |= {run.model_version_id: run for run in runs}
        return found

    def _entries(
        self, connection: Connection
    ) -> Iterator[tuple[str, AdvisingModel, AdvisingEntry]]:
        """What was entered, under a name that no other track has."""
        for each in self.tracks:
            place = f"{each.row.name}-{each.track.name}-{each.phase.name}-"
            before = place if len(self.tracks) > 1 else ""
            for entry in each.entries(connection):
                name = f"{before}{entry.card.name}"
                yield name, replace(entry.card, name=name), entry


def find_teams(store: Store, study: str, *, models: Iterable[str] = ()) -> RoundTeams | None:
    """The teams whose answers a study judges; None where no challenge names it.

    InputError where a track asks for something else than advice, or a team's model would be called
    like one of `models`.
    """
    tracks = store.read_now(lambda c: list(_judged_by(c, study)))
    for each in tracks:
        if each.track.task != TASK:
            raise InputError(
                f"The track '{each.track.name}' of the challenge '{each.row.name}' is judged by the "
                f"study '{study}', but its task is '{each.track.task}'; a round asks for '{TASK}'. "
                "Correct 'task' or 'judged' in the challenge file."
            )
    if not tracks:
        return None
    found = RoundTeams(tracks)
    taken = sorted({*models} & {*found.names(store)})
    if taken:
        raise InputError(
            f"What teams registered is called {listed(taken)} in this round. Call your own models "
            "something else in models.yaml."
        )
    return found


def _judged_by(connection: Connection, study: str) -> Iterator[JudgedTrack]:
    for row in list_challenges(connection):
        challenge = stored_definition(row)
        for track in challenge.tracks:
            for phase in challenge.phases:
                if track.judged.get(phase.name) == study and phase.name in track.datasets:
                    yield JudgedTrack(row, track, phase)


def _take(
    home: EvaluationHome,
    row: StoredTask,
    judged: JudgedTrack,
    situations: Sequence[Situation],
    *,
    now: float,
) -> Dataset:
    known = home.store.read_now(lambda c: {each.name: each for each in list_datasets(c, row.id)})
    dataset = known.get(judged.dataset)
    if dataset is not None:
        if not holds_situations(home, stored_task(row), dataset, situations):
            raise InputError(
                f"The data set '{dataset.name}' of the task '{TASK}', which the challenge "
                f"'{judged.row.name}' puts to its teams, is there already and holds other "
                "situations than this round. Put the same ones into the round; for others make "
                "another phase with a data set and a study of its own."
            )
        return dataset

    def plan(
        connection: Connection, task_row: StoredTask, dataset: Dataset, *, now: float
    ) -> list[Run]:
        for each in list_challenges(connection):
            plan_endpoints(connection, each, now=now)
        return []

    return take_situations(home, row, situations, name=judged.dataset, now=now, plan=plan)
