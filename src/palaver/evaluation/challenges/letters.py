"""Letters to a team of a challenge: that it is registered, approved or refused, or anything else.

A letter goes into the outbox in the transaction that decides on it. Its key makes it one letter,
however often the same thing is decided.
"""

from sqlalchemy import Connection

from palaver.core.evaluation.challenges import StoredChallenge, TeamState
from palaver.core.evaluation.submissions import Team
from palaver.evaluation.challenges.definition import stored_definition
from palaver.storage.outbox.letters import enqueue_mail


def about(row: StoredChallenge) -> str:
    """What letters of a challenge are about, as the outbox lists them."""
    return f"challenge/{row.name}"


def write_to_team(
    connection: Connection,
    row: StoredChallenge,
    team: Team,
    *,
    subject: str,
    text: str,
    key: str,
    now: float,
) -> bool:
    """Put a letter to a team into the outbox; False if it has no address, or got it already."""
    if not team.contact:
        return False
    contact = stored_definition(row).contact
    questions = f"Questions: {contact}\n" if contact else ""
    return enqueue_mail(
        connection,
        recipient=team.contact,
        subject=f"[{row.name}] {subject}",
        text=f"{text.strip()}\n\n-- \n{row.title}\nYour team: {team.team}\n{questions}",
        about=about(row),
        now=now,
        key=f"{about(row)}/{key}",
    )


def tell_registered(
    connection: Connection, row: StoredChallenge, team: Team, *, now: float
) -> bool:
    """Tell a team that it is registered; an address gets one such letter, whoever enters it."""
    return write_to_team(
        connection,
        row,
        team,
        subject=f"Team {team.team} is registered",
        text=(
            f"The team '{team.team}' is registered for {row.title}.\n\n{_NEXT[team.state]}\n\n"
            "The token was shown when the team was registered; it is in no letter. If you know "
            "nothing of this, somebody mistyped an address: you need do nothing."
        ),
        key=f"registered/{team.contact.lower()}",
        now=now,
    )


def tell_decided(connection: Connection, row: StoredChallenge, team: Team, *, now: float) -> bool:
    """Tell a team that it was approved or refused."""
    return write_to_team(
        connection,
        row,
        team,
        subject=f"Team {team.team} is {team.state}",
        text=f"The team '{team.team}' is {team.state} for {row.title}.\n\n{_NEXT[team.state]}",
        # A team may be refused and approved again, and hears of each.
        key=f"{team.state}/{team.id}/{now:.0f}",
        now=now,
    )


_NEXT: dict[TeamState, str] = {
    "waiting": "The organisers will decide about it; you will get a letter then.",
    "approved": (
        "With its token the team can accept the terms, load the data and submit: on the pages of "
        "the challenge, or with the command 'palaver submit'."
    ),
    "refused": "It cannot submit. Write to the organisers if you think that this is a mistake.",
    "left": "",
}
