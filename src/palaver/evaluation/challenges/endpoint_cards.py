"""What a team tells of the model behind its endpoint, and the names that boards know it by.

A card is kept with the model: its description and its link as they are, the rest as tags.
"""

import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from sqlalchemy import Connection

from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, EndpointCard, Entry
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.evaluation.models import Model
from palaver.core.situations import AdvisingModel, parameter_count
from palaver.evaluation.challenges.counting import counting_entries, failed_entries
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.stored import find_track
from palaver.evaluation.challenges.teams import list_teams
from palaver.evaluation.models.decisions import check_told
from palaver.evaluation.tasks import find_task
from palaver.storage.evaluation.challenges import list_entries
from palaver.storage.evaluation.models import list_models

TITLE, PARAMETERS = "title:", "parameters:"
MOST_TITLE = 50
MOST_ABOUT = 300
MOST_PARAMETERS = 1e16


def read_parameters(typed: str) -> float | None:
    """How many parameters a model has, as people write it; None where nothing was written.

    >>> [read_parameters(each) for each in ("", "350M", "1.5 b", "11,000,000,000")]
    [None, 350000000.0, 1500000000.0, 11000000000.0]
    """
    if not typed.strip():
        return None
    count = parameter_count(typed)
    if count is None:
        raise InputError(
            f"How many parameters a model has is a number such as 350M or 1.5B; got '{typed[:40]}'."
        )
    return count


def check_card(card: EndpointCard) -> EndpointCard:
    """The card with single spaces; InputError says what cannot be told."""
    title = " ".join(card.title.split())
    if len(title) > MOST_TITLE or not title.isprintable():
        raise InputError(f"The name of a system has at most {MOST_TITLE} characters.")
    if len(card.about) > MOST_ABOUT:
        raise InputError(
            f"The description has at most {MOST_ABOUT} characters; got {len(card.about):,}. Put the "
            "rest behind the link."
        )
    count = card.parameters
    if count is not None and not (math.isfinite(count) and 0 < count <= MOST_PARAMETERS):
        raise InputError(f"How many parameters a model has is a number above 0; got {count:g}.")
    check_told(link=card.link)
    return EndpointCard(
        title=title, parameters=count, link=card.link.strip(), about=card.about.strip()
    )


def card_tags(card: EndpointCard) -> tuple[str, ...]:
    """The part of a card that is kept as tags of its model."""
    tags = [f"{TITLE}{card.title}"] if card.title else []
    if card.parameters is not None:
        tags.append(f"{PARAMETERS}{card.parameters:.17g}")
    return tuple(tags)


def card_of(model: Model) -> EndpointCard:
    """What a team told of a model."""
    told = {
        mark: tag.removeprefix(mark)
        for mark in (TITLE, PARAMETERS)
        for tag in model.tags
        if tag.startswith(mark)
    }
    count = told.get(PARAMETERS)
    return EndpointCard(
        title=told.get(TITLE, ""),
        parameters=None if count is None else float(count),
        link=model.link,
        about=model.about,
    )


Part = Literal["counts", "failed", "out"]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisingEntry:
    """What a team entered as a round names it; whether it takes part, and if it failed, why."""

    card: AdvisingModel
    part: Part
    version_id: int
    reason: str = ""


def advising_entries(
    connection: Connection, row: StoredChallenge, track: str, phase: str
) -> list[AdvisingEntry]:
    """What was entered for each run of a track in a phase, by team and run.

    A name is made of the team and the run, fits a file and a page, is nobody else's, and stays the
    same whatever becomes of other entries. Systems that were handed in as files are among them where
    the track takes files.
    """
    wanted = find_track(stored_definition(row), track)
    task_row = find_task(connection, wanted.task)
    models = {each.version_id: each for each in list_models(connection, task_row.id)}
    teams = _team_names(list_teams(connection, row))
    parts: dict[str, Part] = {
        each.key: "failed" for each in failed_entries(connection, row, track, phase)
    }
    parts |= {each.key: "counts" for each in counting_entries(connection, row, track, phase)}
    return [
        AdvisingEntry(
            card=_advising(entry, models[entry.model_version_id], teams[entry.submitter_id]),
            part=parts.get(entry.key, "out"),
            version_id=entry.model_version_id,
            reason=entry.reason,
        )
        for entry in sorted(
            list_entries(connection, row.id, track=track, phase=phase),
            key=lambda each: (each.team, each.run),
        )
        if entry.model_version_id in models and not entry.is_replaced
    ]


def advising_models(
    connection: Connection, row: StoredChallenge, track: str, phase: str
) -> list[tuple[AdvisingModel, int]]:
    """The systems of a track that count in a phase, as a round names them, with their versions."""
    found = advising_entries(connection, row, track, phase)
    return [(each.card, each.version_id) for each in found if each.part == "counts"]


def _advising(entry: Entry, model: Model, team: str) -> AdvisingModel:
    card = card_of(model)
    return AdvisingModel(
        name=f"{team}-run{entry.run}",
        title=card.title or f"{entry.team}, run {entry.run}",
        team=entry.team,
        parameters=card.parameters,
        date=datetime.fromtimestamp(entry.created, UTC).date().isoformat(),
        link=card.link,
    )


def _team_names(teams: Sequence[ChallengeTeam]) -> dict[int, str]:
    """A name for each team by its id; those that would be called the same get a number."""
    names: dict[int, str] = {}
    for team in sorted(teams, key=lambda each: each.id):
        slug = _slug(team.team)
        taken = set(names.values())
        name, number = slug, 2
        while name in taken:
            name, number = f"{slug}-{number}", number + 1
        names[team.id] = name
    return names


def _slug(team: str) -> str:
    plain = unicodedata.normalize("NFKD", team).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:40] or "team"
