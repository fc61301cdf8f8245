"""What a challenge tells its teams: announcements, and letters about what happened to their scores."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection

from palaver.core.audit import Actor
from palaver.core.evaluation.challenge_entries import Announcement, ChallengeTeam
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.letters import checked_subject, checked_text
from palaver.evaluation.challenges.letters import write_to_team
from palaver.evaluation.challenges.teams import list_teams
from palaver.storage.audit.entries import record
from palaver.storage.evaluation import announcements as rows

MOST_SUBJECT = 200


@dataclass(frozen=True, slots=True)
class ToldTeams:
    """How many letters were written, and the teams that have no address to write to."""

    letters: int
    unreachable: tuple[str, ...] = ()


def announce(
    connection: Connection,
    row: StoredChallenge,
    *,
    subject: str,
    text: str,
    public: bool,
    by: Actor,
    now: float,
) -> Announcement:
    """Store an announcement, and write a letter to each approved team.

    With `public` everybody reads it on the page of the challenge; else only teams do.
    """
    subject, text = checked_subject(subject, most=MOST_SUBJECT), checked_text(text)
    made = rows.add_announcement(
        connection,
        challenge_id=row.id,
        subject=subject,
        text=text,
        public=public,
        created_by=by.name,
        now=now,
    )
    told = tell_teams(
        connection, row, subject=subject, text=text, key=f"announcement/{made.id}", now=now
    )
    detail = {"subject": subject, "public": public, "letters": told.letters}
    record(connection, "challenge.announce", by=by, now=now, subject=row.name, detail=detail)
    return made


def list_announcements(
    connection: Connection, row: StoredChallenge, *, public_only: bool = False
) -> list[Announcement]:
    """The announcements of a challenge, newest first."""
    found = rows.list_announcements(connection, row.id)
    return [each for each in found if each.public or not public_only]


def tell_teams(
    connection: Connection,
    row: StoredChallenge,
    *,
    subject: str,
    text: str,
    key: str,
    now: float,
    teams: Sequence[ChallengeTeam] | None = None,
) -> ToldTeams:
    """Write a letter to these teams, or to all that are approved; once for each `key`.

    In the transaction of what they are told about, so that neither happens without the other.
    """
    known = list_teams(connection, row) if teams is None else teams
    asked = [team for team in known if team.state == "approved"]
    written = [
        write_to_team(
            connection, row, team, subject=subject, text=text, key=f"{key}/{team.id}", now=now
        )
        for team in asked
    ]
    # Baselines are the organisers' own.
    unreachable = [team.team for team in asked if not team.contact and not team.is_baseline]
    return ToldTeams(sum(written), tuple(unreachable))


def tell_results(connection: Connection, row: StoredChallenge, *, now: float) -> ToldTeams:
    """Tell the teams that the results of a challenge are out."""
    return tell_teams(
        connection,
        row,
        subject="The results are out",
        text=(
            f"{row.title} is closed: its results are final, and the page of the challenge shows "
            "them, with the tables of all tracks."
        ),
        key=f"results/{row.frozen or now:.0f}",
        now=now,
    )
