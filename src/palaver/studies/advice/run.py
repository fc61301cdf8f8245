"""Taking a round from its situations to its report: each step is done if it can be, and told.

A step looks at what exists and does what is missing, so a round that was stopped anywhere goes on
from there, and repeating a step doubles nothing: answers are kept as they come in, sheets are taken
in by chunks, simulated raters take turns, a report is closed whole. Once somebody has begun to judge,
no model is asked any more.
"""

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from palaver.core.audit import COMMAND
from palaver.core.clock import Clock, WallClock
from palaver.core.errors import InputError, StudyError
from palaver.core.situations import Situation
from palaver.core.words import counted, listed
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.runs.progress import Echo
from palaver.storage import Store
from palaver.storage.judging.intakes import complete_digests
from palaver.studies.advice.asking import AskedModel, ask_models
from palaver.studies.advice.closing import RoundWriter, close_round
from palaver.studies.advice.kept_rounds import RoundResults, find_closed, round_results
from palaver.studies.advice.models_file import FILE, ModelEntry, read_models_file
from palaver.studies.advice.round import AdviceRound, RoundState, round_state
from palaver.studies.advice.rounds import set_name
from palaver.studies.advice.teams import RoundTeams, find_teams
from palaver.studies.intake.begun_rounds import begun_problems
from palaver.studies.intake.intake import take_in
from palaver.studies.intake.materials import load_material
from palaver.studies.run.registered import register
from palaver.studies.run.simulated_raters import SimulatedRaters

Until = Literal["asked", "open", "closed"]
When = Literal["done", "now", "next"]


@dataclass(frozen=True, slots=True)
class StepTold:
    """What is said of a step: whether it is done, under way or to come, and what to do about it."""

    when: When
    step: str
    words: str
    hints: tuple[str, ...] = ()


Teller = Callable[[StepTold], None]


class Asker(Protocol):
    """Asks models for advice and writes what they answer into a folder; goes on where it stopped."""

    def __call__(
        self,
        home: EvaluationHome,
        situations: Sequence[Situation],
        models: Mapping[str, ModelEntry],
        *,
        into: Path,
        name: str,
        teams: RoundTeams | None,
        echo: Echo,
    ) -> Sequence[AskedModel]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRun:
    """One go at a round: as far as `until`, or as far as it can be taken.

    `models` is the file that says which models are asked; without it the folder's own is taken, if
    there is one. With `partial` rating opens although models have not advised on everything, with
    `simulate` simulated raters judge, with `close` the round ends although raters are missing.
    Teams of a challenge that names the study are asked beside the models, and not before its time.
    """

    found: AdviceRound
    home: EvaluationHome
    tell: Teller
    writer: RoundWriter
    echo: Echo = lambda line: None
    ask: Asker = ask_models
    models: Path | None = None
    until: Until = "closed"
    partial: bool = False
    simulate: bool = False
    close: bool = False
    clock: Clock = field(default_factory=WallClock)

    def go(self) -> RoundState:
        """Do the steps that can be done; how far the round is then.

        StudyError and InputError where something stands in the way; what was done stays done.
        """
        state = self._state()
        self.tell(StepTold("done", "Situations", _situations(state)))
        if find_closed(self.home, self.found.study.name) is not None:
            return self._tell_all(state)
        asked = self._ask(state)
        if asked is None or self.until == "asked":
            return asked or state
        state = asked
        state = self._open(state)
        if self.simulate and not state.is_rated:
            state = self._simulate()
        self._tell_rating(state)
        if self.until == "open":
            return state
        self._close(state)
        return state

    def _tell_all(self, state: RoundState) -> RoundState:
        """Say how a round ended; it is not changed any more."""
        self.tell(StepTold("done", "Models", _models(state), tuple(_missing(state))))
        self.tell(StepTold("done", "Rating", _rating(state)))
        self._tell_closed(round_results(self.home, self.found.study.name))
        return state

    @property
    def _store(self) -> Store:
        return self.home.store

    def _state(self, models: Iterable[str] = ()) -> RoundState:
        return round_state(self.found, self._store, models)

    def _ask(self, state: RoundState) -> RoundState | None:
        """How far the round is when all were asked; None while it is too early to ask."""
        entries = self._entries()
        asked: Sequence[AskedModel] = ()
        if state.has_begun:
            self._refuse_late(entries, state)
        else:
            teams = find_teams(self._store, self.found.study.name, models=entries)
            if teams is not None and not self._can_ask(teams):
                return None
            if entries or teams is not None:
                asked = self._ask_models(entries, teams)
                state = self._state(each.model for each in asked)
        if not state.answered:
            raise InputError(
                f"There are no answers in {self.found.answers} and no {FILE} that names models to "
                "ask, and no team of a challenge is to be asked. Write one, or name it with --models."
            )
        when: When = "now" if state.incomplete and not state.has_begun else "done"
        hints = [f"{each.model}: {each.words}" for each in asked if each.failed]
        self.tell(StepTold(when, "Models", _models(state), tuple(hints or _missing(state))))
        return state

    def _can_ask(self, teams: RoundTeams) -> bool:
        """Whether the time of the teams has come; their situations are there from now on."""
        self._check_takes_answers()
        words = teams.waits(self.clock.now())
        if words:
            items = self.found.situations().situations
            teams.schedule(self.home, [item.situation for item in items], now=self.clock.now())
            hints = ("Nobody is asked before, and rating opens after; run this again then.",)
            self.tell(StepTold("next", "Asking", words, hints))
        return not words

    def _ask_models(
        self, entries: Mapping[str, ModelEntry], teams: RoundTeams | None
    ) -> Sequence[AskedModel]:
        items = self.found.situations().situations
        of_teams = 0 if teams is None else len(teams.names(self._store))
        told = f"{counted(len(entries) + of_teams, 'model')} on {counted(len(items), 'situation')}"
        if of_teams:
            told += f", {of_teams:,} of teams"
        late = "" if teams is None else teams.still_open(self.clock.now())
        self.tell(StepTold("now", "Asking", told, (late,) if late else ()))
        return self.ask(
            self.home,
            [item.situation for item in items],
            entries,
            into=self.found.answers,
            name=set_name(self.found.situations_file),
            teams=teams,
            echo=self.echo,
        )

    def _entries(self) -> dict[str, ModelEntry]:
        given = self.models or self.found.folder / FILE
        if self.models is None and not given.is_file():
            return {}
        self._check_takes_answers()
        return read_models_file(given)

    def _check_takes_answers(self) -> None:
        if not self.found.takes_answers:
            raise InputError(
                f"Models are asked where 'data' takes what they answer ('answers/*.jsonl'); the "
                f"study names its files: {self.found.stage.data}."
            )

    def _refuse_late(self, entries: Mapping[str, ModelEntry], state: RoundState) -> None:
        late = [name for name in entries if name not in state.answered]
        if late:
            raise InputError(
                f"Rating has begun ({counted(state.rated.done, 'judgement')}), so nobody is asked any "
                f"more: {listed(late)} would be judged by other people than the rest. Take them out "
                f"of {FILE}, or hold another round: a copy of this folder with another 'name' in its "
                "study.yaml."
            )

    def _open(self, state: RoundState) -> RoundState:
        if state.incomplete and not state.has_begun and not self.partial:
            raise InputError(
                f"Rating is not opened yet: {listed(_missing(state))}. Run this again to ask for the "
                "rest, or open rating with what there is: --partial"
            )
        study = self.found.study
        known = self._store.read_now(lambda c: complete_digests(c, study.name))
        material = load_material(study, taken_in=known)
        problems = begun_problems(self._store, study, material)
        if problems:
            raise StudyError(problems)
        now = self.clock.now()
        study_id = self._store.write_now(lambda c: register(c, study, now=now))
        asyncio.run(take_in(self._store, study_id, material, now=now))
        return self._state()

    def _simulate(self) -> RoundState:
        self.tell(StepTold("now", "Rating", "simulated raters judge"))
        study = self.found.study
        now = self.clock.now()
        study_id = self._store.write_now(lambda c: register(c, study, now=now))
        raters = SimulatedRaters(self._store, study, study_id, self.found.index, clock=self.clock)
        raters.run()
        return self._state()

    def _tell_rating(self, state: RoundState) -> None:
        folder = self.found.folder
        hints = (f"palaver serve {folder}", f"palaver link {folder} -n 20")
        when: When = "done" if state.is_rated else "now"
        self.tell(StepTold(when, "Rating", _rating(state), () if state.is_rated else hints))

    def _close(self, state: RoundState) -> None:
        if not state.is_rated and not self.close:
            words = "once every pair has its raters, or at once with --close"
            self.tell(StepTold("next", "Report", words))
            return
        now = self.clock.now()
        results = close_round(
            self.home,
            self.found.study,
            writer=self.writer,
            by=COMMAND,
            now=now,
            early=self.close,
        )
        self._tell_closed(results)

    def _tell_closed(self, results: RoundResults) -> None:
        hints = (f"palaver advice results {self.found.folder}",)
        self.tell(StepTold("done", "Report", results.answer, hints))


def _situations(state: RoundState) -> str:
    topics = sorted(state.topics.items(), key=lambda item: (-item[1], item[0]))
    told = ", ".join(f"{topic} {count:,}" for topic, count in topics)
    return f"{state.situations:,} with advice of people ({told})"


def _models(state: RoundState) -> str:
    whole = len(state.answered) - len(state.incomplete)
    if not state.incomplete:
        return f"{counted(whole, 'model')} advised on everything"
    return f"{whole:,} of {counted(len(state.answered), 'model')} advised on everything"


def _missing(state: RoundState) -> list[str]:
    return [f"{name} {n:,} of {state.situations:,}" for name, n in state.incomplete.items()]


def _rating(state: RoundState) -> str:
    rated = state.rated
    of = (
        f"{rated.done:,} of {counted(rated.needed, 'judgement')} on {counted(rated.sheets, 'pair')}"
    )
    kinds = {"people": state.by_people, "simulated raters": state.simulated}
    by = listed([who for who, count in kinds.items() if count])
    return f"{of}{f', by {by}' if by else ''}"
