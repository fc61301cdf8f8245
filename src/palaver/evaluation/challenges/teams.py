"""Teams of a challenge: they register, are approved or refused, change, leave; one token for all tracks.

A token is shown once. A team that waits can look at its sheet with it, one that is approved hands in,
one that has left is not known any more.
"""

import unicodedata
from collections.abc import Sequence

from sqlalchemy import Connection

from palaver.core.audit import SERVER, Actor
from palaver.core.deadlines import in_both_zones
from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.core.evaluation.challenge_entries import ChallengeTeam
from palaver.core.evaluation.challenges import Registration, StoredChallenge, TeamState
from palaver.core.evaluation.submissions import Team, TeamToken
from palaver.core.evaluation.tasks import terms_digest
from palaver.core.letters import checked_address
from palaver.core.registry import near
from palaver.core.serial import extended
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.endpoint_plans import plan_endpoints
from palaver.evaluation.challenges.letters import tell_decided, tell_registered
from palaver.evaluation.challenges.stored import check_not_frozen
from palaver.evaluation.models.decisions import check_link
from palaver.evaluation.submissions.teams import check_affiliation, check_team_name
from palaver.storage.audit.entries import record
from palaver.storage.evaluation import submitters
from palaver.storage.evaluation.challenges import (
    find_challenge_by_id,
    hold_challenge,
    list_entries,
    retire_entry_models,
    set_entries,
)

MOST_MEMBER_NAME = 100
# A team's name is the name of a folder when its runs are downloaded.
NO_FOLDER = set('/\\:*?"<>|')


def register_team(
    connection: Connection,
    row: StoredChallenge,
    *,
    team: str,
    contact: str,
    affiliation: str = "",
    link: str = "",
    members: Sequence[str] = (),
    now: float,
) -> TeamToken:
    """Register a team from outside, in the time for that; it waits where approval is asked for."""
    registration = stored_definition(row).registration
    check_registration(row, registration, now=now)
    state: TeamState = "waiting" if registration.approval else "approved"
    made = _add(
        connection,
        row,
        team=team,
        contact=checked_address(contact),
        affiliation=affiliation,
        link=link,
        members=members,
        state=state,
        by=SERVER,
        now=now,
    )
    tell_registered(connection, row, made, now=now)
    return made


def add_team(
    connection: Connection,
    row: StoredChallenge,
    *,
    team: str,
    contact: str = "",
    affiliation: str = "",
    link: str = "",
    members: Sequence[str] = (),
    is_baseline: bool = False,
    by: Actor,
    now: float,
) -> TeamToken:
    """Add a team as the organisers do: at any time, approved at once, as a baseline of their own."""
    return _add(
        connection,
        row,
        team=team,
        contact=checked_address(contact) if contact.strip() else "",
        affiliation=affiliation,
        link=link,
        members=members,
        state="approved",
        baseline=is_baseline,
        by=by,
        now=now,
    )


def check_registration(row: StoredChallenge, registration: Registration, *, now: float) -> None:
    """Raise AccessError unless teams may register now."""
    check_not_frozen(row)
    if registration.opens is not None and now < registration.opens:
        raise AccessError(f"Registration opens at {in_both_zones(registration.opens)}.")
    if registration.closes is not None and int(now) > registration.closes:
        raise AccessError(
            f"Registration closed at {in_both_zones(registration.closes)}. Ask the organisers."
        )


def approve_team(
    connection: Connection, row: StoredChallenge, team: str | int, *, by: Actor, now: float
) -> ChallengeTeam:
    """Let a team hand in; one that was refused may come back this way, one that left may not."""
    return _decide(connection, row, team, "approved", by=by, now=now)


def refuse_team(
    connection: Connection, row: StoredChallenge, team: str | int, *, by: Actor, now: float
) -> ChallengeTeam:
    """Let a team hand in nothing (more); what it handed in is kept and no longer counts."""
    return _decide(connection, row, team, "refused", by=by, now=now)


def leave_team(
    connection: Connection, row: StoredChallenge, team: str | int, *, by: Actor = SERVER, now: float
) -> ChallengeTeam:
    """Let a team leave: its token is refused from now on, and what it handed in is kept.

    Its entries are withdrawn from phases that are not over and from the final one; those of earlier
    phases stay in their standings.
    """
    row = hold_challenge(connection, row.id, alone=True)
    check_not_frozen(row)
    found = find_team(connection, row, team)
    if found.state == "left":
        return found
    phases = stored_definition(row).phases
    touched = {p.name for p in phases if p.is_final or p.state(now) != "over"}
    entries = list_entries(connection, row.id, submitter_id=found.id)
    open_ones = [e for e in entries if e.phase in touched and e.withdrawn is None]
    set_entries(connection, [e.key for e in open_ones], withdrawn=now, final=False)
    retire_entry_models(connection, [e.model_version_id for e in open_ones], now=now)
    left = submitters.set_submitter(connection, found.id, state="left", revoked=now)
    record(
        connection,
        "team.leave",
        by=by,
        now=now,
        subject=_subject(row, left),
        detail={"withdrawn": len(open_ones)},
    )
    return _team(left, row)


def change_team(
    connection: Connection,
    row: StoredChallenge,
    team: str | int,
    *,
    contact: str | None = None,
    affiliation: str | None = None,
    link: str | None = None,
    members: Sequence[str] | None = None,
    by: Actor = SERVER,
    now: float,
) -> ChallengeTeam:
    """Change what a team says about itself; None leaves it as it is. Its name stays."""
    found = find_team(connection, row, team)
    changed: dict[str, object] = {}
    if contact is not None:
        changed["contact"] = checked_address(contact)
    if affiliation is not None:
        changed["affiliation"] = check_affiliation(affiliation)
    if link is not None:
        changed["link"] = link.strip()
        check_link(link.strip())
    if members is not None:
        changed["members"] = _checked_members(members, stored_definition(row).registration)
    if not changed:
        return found
    kept = submitters.set_submitter(connection, found.id, **changed)
    detail = {"changed": sorted(changed)}
    subject = _subject(row, kept)
    record(connection, "team.change", by=by, now=now, subject=subject, detail=detail)
    return _team(kept, row)


def renew_token(
    connection: Connection, row: StoredChallenge, team: str | int, *, by: Actor, now: float
) -> TeamToken:
    """A new token for a team, in place of the old one; one that left stays away."""
    found = find_team(connection, row, team)
    if found.state == "left":
        raise InputError(f"The team '{found.team}' has left the challenge; it gets no new token.")
    made = submitters.renew_token(connection, found.id)
    detail = {"team": found.team}
    record(connection, "token.make", by=by, now=now, subject=row.name, detail=detail)
    return made


def accept_terms(
    connection: Connection, row: StoredChallenge, team: Team, *, digest: str, now: float
) -> ChallengeTeam:
    """Record that the team accepts the wording with this digest; InputError if it is another now."""
    wanted = terms_digest(stored_definition(row).terms)
    if digest != wanted:
        raise InputError(
            f"The terms of '{row.name}' have changed: their digest is now {wanted}. Read them "
            "again, then accept that digest."
        )
    submitters.accept_terms(connection, team.id, digest=digest, now=now)
    detail = {"digest": digest}
    subject = _subject(row, team)
    record(connection, "team.terms", by=SERVER, now=now, subject=subject, detail=detail)
    return find_team(connection, row, team.id)


def has_accepted(row: StoredChallenge, team: Team) -> bool:
    """Whether the team accepted the terms as they stand now, or there are none for it.

    Baselines are the organisers' own, who accept no terms of theirs.
    """
    terms = stored_definition(row).terms.strip()
    return not terms or team.is_baseline or team.accepted_digest == terms_digest(terms)


def check_terms(row: StoredChallenge, team: Team) -> None:
    """Raise AccessError unless the team accepted the terms as they stand now."""
    if not has_accepted(row, team):
        raise AccessError(
            f"Accept the terms of '{row.name}' first; they are on its page and may have changed."
        )


def check_approved(team: ChallengeTeam) -> None:
    """Raise AccessError unless the team may hand in."""
    words = {
        "waiting": "waits for the organisers to approve it; until then it cannot hand in",
        "refused": "was refused by the organisers, so it cannot hand in",
        "left": "has left the challenge, so it cannot hand in",
    }
    if team.state != "approved":
        raise AccessError(f"The team '{team.team}' {words[team.state]}.")


def list_teams(connection: Connection, row: StoredChallenge) -> list[ChallengeTeam]:
    """The teams of a challenge, oldest first, whatever their state."""
    found = submitters.list_challenge_submitters(connection, row.id)
    return [_team(each, row) for each in found]


def find_team(connection: Connection, row: StoredChallenge, team: str | int) -> ChallengeTeam:
    """A team by its id or its name (case and spaces aside); UnknownNameError names what is near."""
    known = list_teams(connection, row)
    for each in known:
        if each.id == team or (isinstance(team, str) and _same(each.team, team)):
            return each
    names = [each.team for each in known]
    raise UnknownNameError(
        f"The challenge '{row.name}' has no team '{str(team)[:80]}'.{near(str(team), names)}"
    )


def holder_of(connection: Connection, secret: str) -> tuple[StoredChallenge, ChallengeTeam] | None:
    """The challenge and the team that a token speaks for; None if it is unknown or the team left."""
    team = submitters.find_submitter(connection, secret)
    if team is None or team.challenge_id is None:
        return None
    row = find_challenge_by_id(connection, team.challenge_id)
    return row, _team(team, row)


def _add(
    connection: Connection,
    row: StoredChallenge,
    *,
    team: str,
    contact: str,
    affiliation: str,
    link: str,
    members: Sequence[str],
    state: TeamState,
    baseline: bool = False,
    by: Actor,
    now: float,
) -> TeamToken:
    name = check_team_name(team)
    if NO_FOLDER & set(name) or name.startswith("."):
        raise InputError(
            f"The name of a team cannot begin with '.' or contain {' '.join(sorted(NO_FOLDER))}, "
            f"because its runs are downloaded in a folder of that name; got '{name}'."
        )
    place, link = check_affiliation(affiliation), link.strip()
    check_link(link)
    people = _checked_members(members, stored_definition(row).registration)
    check_not_frozen(hold_challenge(connection, row.id, alone=True))
    for known in submitters.list_challenge_submitters(connection, row.id):
        if _same(known.team, name):
            raise InputError(
                f"There is a team '{known.team}' already; case and spaces make no difference. "
                "Choose another name, or ask the organisers for a new token if it is yours."
            )
    made = submitters.add_submitter(
        connection,
        challenge_id=row.id,
        team=name,
        state=state,
        contact=contact,
        affiliation=place,
        link=link,
        members=people,
        baseline=baseline,
        now=now,
    )
    detail = {"state": state, **({"baseline": True} if baseline else {})}
    record(connection, "team.add", by=by, now=now, subject=_subject(row, made), detail=detail)
    return made


def _decide(
    connection: Connection,
    row: StoredChallenge,
    team: str | int,
    state: TeamState,
    *,
    by: Actor,
    now: float,
) -> ChallengeTeam:
    check_not_frozen(hold_challenge(connection, row.id))
    found = find_team(connection, row, team)
    if found.state == "left":
        raise InputError(f"The team '{found.team}' has left the challenge.")
    if found.state == state:
        return found
    kept = submitters.set_submitter(connection, found.id, state=state)
    if state == "approved":
        plan_endpoints(connection, row, now=now)
    detail = {"state": state, "before": found.state}
    record(connection, "team.decide", by=by, now=now, subject=_subject(row, kept), detail=detail)
    tell_decided(connection, row, kept, now=now)
    return _team(kept, row)


def _checked_members(members: Sequence[str], registration: Registration) -> tuple[str, ...]:
    names = [" ".join(name.split()) for name in members]
    names = [name for name in names if name]
    if len(names) > registration.most_members:
        raise InputError(
            f"A team has at most {registration.most_members} members; got {len(names)}."
        )
    for name in names:
        if len(name) > MOST_MEMBER_NAME or not name.isprintable():
            raise InputError(
                f"The name of a member has 1 to {MOST_MEMBER_NAME} characters; got "
                f"'{name[:MOST_MEMBER_NAME]}'."
            )
    return tuple(dict.fromkeys(names))


def _same(one: str, other: str) -> bool:
    return _folded(one) == _folded(other)


def _folded(name: str) -> str:
    """A name without what readers do not tell apart: case, spaces, forms of one character."""
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())


def _subject(row: StoredChallenge, team: Team) -> str:
    return f"{row.name}/{team.team}"


def _team(team: Team, row: StoredChallenge) -> ChallengeTeam:
    return extended(team, ChallengeTeam, challenge=row.name)
