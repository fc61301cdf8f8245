"""What teams register to be asked: an endpoint for one run of one track, probed first.

It is counted, numbered, replaced and withdrawn as files are. Its run on the data of the phase is planned
in the transaction that stores it, or when the data come, and is due when the phase asks.
"""

import asyncio
import hashlib
import hmac
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec
from sqlalchemy import Connection

from palaver.core.audit import SERVER, Actor
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenge_entries import (
    ChallengeTeam,
    EndpointCard,
    Entry,
)
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.evaluation.models import Model, ProbedEndpoint
from palaver.core.evaluation.runs import Run
from palaver.core.evaluation.tasks import StoredTask
from palaver.core.tasks import Task
from palaver.evaluation.challenges.arrival import checked_run
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.endpoint_cards import advising_models, card_tags, check_card
from palaver.evaluation.challenges.endpoint_probe import probe_endpoint
from palaver.evaluation.challenges.entry_decisions import own_entry
from palaver.evaluation.challenges.entry_place import (
    HandedInError,
    NewEntry,
    TrackPlace,
    check_left,
    current_team,
    model_name,
    read_place,
    same_entry,
    take_entry,
)
from palaver.evaluation.challenges.stored import check_not_frozen
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.jobs.endpoint_probe import ProbeError
from palaver.evaluation.models.registration import add_model
from palaver.evaluation.runs.outcomes import retry_run
from palaver.evaluation.runs.plans import plan_entries
from palaver.evaluation.submissions.endpoints import (
    check_endpoint,
    check_patience,
    with_output,
)
from palaver.storage.audit.entries import record
from palaver.storage.engine.keys import new_key
from palaver.storage.evaluation import challenges as rows
from palaver.storage.evaluation.models import find_model, set_model
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.tasks import find_task
from palaver.systems.build import build_predictor

__all__ = [
    "ProbeError",
    "TeamEndpoint",
    "advising_models",
    "ask_again",
    "probe_endpoint",
    "probe_for_track",
    "submit_endpoint",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamEndpoint:
    """An endpoint as a team describes it: how it is asked, and what the board tells of it."""

    kind: str
    options: Mapping[str, Any]
    card: EndpointCard = field(default_factory=EndpointCard)


async def probe_for_track(
    home: EvaluationHome, row: StoredChallenge, track: str, endpoint: TeamEndpoint, *, now: float
) -> ProbedEndpoint:
    """What an endpoint answers to made-up questions of a track; nothing is stored or counted."""
    place = await asyncio.to_thread(_place, home, row, track, now=now)
    options = _whole_options(place.task, endpoint)
    return await probe_endpoint(home, place.task, endpoint.kind, options)


async def submit_endpoint(
    home: EvaluationHome,
    row: StoredChallenge,
    team: ChallengeTeam,
    endpoint: TeamEndpoint,
    *,
    track: str,
    run: int | None = None,
    now: float,
    by: Actor = SERVER,
    unprobed: bool = False,
) -> Entry:
    """Register an endpoint for a run of a track; ProbeError unless it answers when it is asked.

    The very same endpoint again is the same entry, with what is told of it now. With `unprobed`, for
    organisers, it is not asked before its time.
    """
    registration = _Registration(home, row, team, endpoint, track, run, now, by)
    place, known = await asyncio.to_thread(registration.prepare)
    if known is not None:
        return known
    if not unprobed:
        options = _whole_options(place.task, endpoint)
        probed = await probe_endpoint(home, place.task, endpoint.kind, options)
        if not probed.answers:
            raise ProbeError(probed)
    return await asyncio.to_thread(registration.store, place)


def ask_again(
    home: EvaluationHome, row: StoredChallenge, key: str, *, now: float, by: Actor
) -> Entry:
    """Let an endpoint that failed be asked again, for what has no answer yet."""

    def retry(connection: Connection) -> None:
        check_not_frozen(rows.hold_challenge(connection, row.id))
        found = rows.list_entries(connection, row.id, key=key)
        if not found or not found[0].is_endpoint:
            raise UnknownNameError(f"'{row.name}' has no endpoint '{key[:80]}'.")
        entry = found[0]
        if entry.state != "failed" or entry.is_replaced:
            state = "replaced" if entry.is_replaced else entry.state
            raise InputError(f"Only an endpoint that failed is asked again; this one is {state}.")
        task = next(each.task for each in stored_definition(row).tracks if each.name == entry.track)
        task_id = find_task(connection, task).id
        stuck = [
            each
            for each in list_runs(connection, task_id=task_id, states=["failed", "cancelled"])
            if each.model_version_id == entry.model_version_id
        ]
        retry_run(connection, stuck[-1])
        detail = {"team": entry.team, "track": entry.track, "run": entry.run}
        subject = f"{row.name}/{key}"
        record(connection, "submission.retry", by=by, now=now, subject=subject, detail=detail)

    home.store.write_now(retry)
    return own_entry(home, row, key, now=now)


@dataclass(frozen=True, slots=True)
class _Registration:
    """A team that registers an endpoint: what can be checked before it is probed, and the rest."""

    home: EvaluationHome
    row: StoredChallenge
    team: ChallengeTeam
    endpoint: TeamEndpoint
    track: str
    run: int | None
    now: float
    by: Actor

    def prepare(self) -> tuple[TrackPlace, Entry | None]:
        """Where it belongs, and the entry that it is already; an error if it would be refused."""
        check_card(self.endpoint.card)
        row, team = self.home.store.read_now(lambda c: current_team(c, self.row, self.team))
        place = _place(self.home, row, self.track, now=self.now)
        checked_run(place.challenge, self.run, ())
        options = _whole_options(place.task, self.endpoint)
        private = self.home.settings.private_endpoints
        check_endpoint(self.endpoint.kind, options, private=private)
        check_patience(options)
        build_predictor(self.endpoint.kind, options, folder=self.home.folder)
        digest = self._digest(options)
        same = self.home.store.read_now(
            lambda c: same_entry(
                c, row, team, place.track.name, digest=digest, run=self.run, now=self.now
            )
        )
        if same is not None:
            return place, self._told_again(place, same)
        self.home.store.read_now(lambda c: check_left(c, row, team, place, now=self.now))
        return place, None

    def store(self, place: TrackPlace) -> Entry:
        """Register the model, count the entry and plan its run, in one transaction."""
        home, row, card = self.home, self.row, check_card(self.endpoint.card)
        options = _whole_options(place.task, self.endpoint)
        new = NewEntry(
            key=new_key("e"),
            run=self.run,
            digest=self._digest(options),
            kind=self.endpoint.kind,
        )

        def plan(
            connection: Connection, task_row: StoredTask, model: Model, *, now: float
        ) -> list[Run]:
            take_entry(connection, row, self.team, place, model, new, by=self.by, now=now)
            # Read again: only now it is known to be a team's.
            entered = find_model(connection, task_row.id, model.name)
            return plan_entries(connection, task_row, [entered], now=now)

        try:
            add_model(
                home,
                place.task_row,
                place.task,
                name=model_name(new.key),
                kind=self.endpoint.kind,
                options=options,
                about=card.about,
                link=card.link,
                tags=card_tags(card),
                now=self.now,
                plan=plan,
            )
        except HandedInError as error:
            return own_entry(home, row, error.entry.key, now=self.now)
        return own_entry(home, row, new.key, now=self.now)

    def _told_again(self, place: TrackPlace, entry: Entry) -> Entry:
        """The entry that is there, with what the team tells of its model now."""
        card = check_card(self.endpoint.card)
        told: dict[str, Any] = {"about": card.about, "link": card.link, "tags": card_tags(card)}
        changed = {name: value for name, value in told.items() if value}

        def tell(connection: Connection) -> None:
            name = model_name(entry.key)
            set_model(connection, find_model(connection, place.task_row.id, name).id, **changed)

        if changed:
            self.home.store.write_now(tell)
        return own_entry(self.home, self.row, entry.key, now=self.now)

    def _digest(self, options: Mapping[str, Any]) -> str:
        """What tells whether it is the same endpoint; keys among the options cannot be guessed by it."""
        said = msgspec.json.encode([self.endpoint.kind, dict(options)], order="deterministic")
        return hmac.new(self.row.salt.encode(), said, hashlib.sha256).hexdigest()


def _place(home: EvaluationHome, row: StoredChallenge, track: str, *, now: float) -> TrackPlace:
    place = read_place(home, row, track, now=now)
    if not place.track.takes_endpoints:
        raise InputError(
            f"The track '{place.track.title}' takes files with answers, not endpoints."
        )
    return place


def _whole_options(task: Task, endpoint: TeamEndpoint) -> dict[str, Any]:
    return with_output(task, endpoint.kind, endpoint.options)
