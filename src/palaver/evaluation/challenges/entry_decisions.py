"""What a team decides about its entries: to withdraw one, or which of them count in the end."""

from sqlalchemy import Connection

from palaver.core.audit import SERVER, Actor
from palaver.core.deadlines import in_both_zones
from palaver.core.errors import InputError, UnknownNameError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, Entry
from palaver.core.evaluation.challenges import Audience, Challenge, StoredChallenge
from palaver.evaluation.challenges.counting import is_live
from palaver.evaluation.challenges.definition import stored_definition
from palaver.evaluation.challenges.entry_list import list_entries
from palaver.evaluation.challenges.stored import check_not_frozen
from palaver.evaluation.home import EvaluationHome
from palaver.storage.audit.entries import record
from palaver.storage.evaluation import challenges as rows


def withdraw_entry(
    home: EvaluationHome,
    row: StoredChallenge,
    team: ChallengeTeam,
    key: str,
    *,
    now: float,
    by: Actor = SERVER,
) -> Entry:
    """Take an entry out of the standings; its file is kept, and it stays counted among submissions."""

    def withdraw(connection: Connection) -> None:
        check_not_frozen(rows.hold_challenge(connection, row.id, alone=True))
        entry = _own(connection, row, team, key)
        if entry.withdrawn is not None:
            return
        rows.set_entries(connection, [key], withdrawn=now, final=False)
        rows.retire_entry_models(connection, [entry.model_version_id], now=now)
        detail = {"team": team.team, "track": entry.track, "run": entry.run}
        subject = f"{row.name}/{key}"
        record(connection, "submission.withdraw", by=by, now=now, subject=subject, detail=detail)

    home.store.write_now(withdraw)
    return own_entry(home, row, key, now=now)


def choose_final(
    home: EvaluationHome,
    row: StoredChallenge,
    team: ChallengeTeam,
    key: str,
    *,
    final: bool,
    now: float,
    by: Actor = SERVER,
) -> Entry:
    """Choose an entry of the final phase as one that counts, or take the choice back."""
    challenge = stored_definition(row)

    def choose(connection: Connection) -> None:
        check_not_frozen(rows.hold_challenge(connection, row.id, alone=True))
        entry = _own(connection, row, team, key)
        if entry.is_final == final:
            return
        _check_choice(challenge, entry, now=now)
        if final:
            others = rows.list_entries(
                connection, row.id, submitter_id=team.id, track=entry.track, phase=entry.phase
            )
            chosen = [each.run for each in others if each.is_final and is_live(each)]
            if len(chosen) >= challenge.final_runs:
                raise InputError(
                    f"{challenge.final_runs} runs of a track can be final, and you have chosen "
                    f"{', '.join(map(str, chosen))}. Take one of them back first."
                )
        rows.set_entries(connection, [key], final=final)
        detail = {"team": team.team, "track": entry.track, "run": entry.run, "final": final}
        subject = f"{row.name}/{key}"
        record(connection, "submission.final", by=by, now=now, subject=subject, detail=detail)

    home.store.write_now(choose)
    return own_entry(home, row, key, now=now)


def own_entry(home: EvaluationHome, row: StoredChallenge, key: str, *, now: float) -> Entry:
    """An entry as its team sees it."""
    audience: Audience = "own"
    found = home.store.read_now(
        lambda c: list_entries(c, row, now=now, audience=audience, key=key, home=home)
    )
    return found[0]


def _check_choice(challenge: Challenge, entry: Entry, *, now: float) -> None:
    """Raise InputError unless the run of an entry can be chosen now."""
    phase = next(each for each in challenge.phases if each.name == entry.phase)
    if not phase.is_final:
        raise InputError(
            f"Runs of the phase '{phase.title}' are not part of the final results; only those of "
            "the final phase are chosen."
        )
    if phase.state(now) == "over":
        raise InputError(
            f"The phase '{phase.title}' closed at {in_both_zones(phase.closes or 0.0)}; final runs "
            "are chosen before that."
        )
    if not is_live(entry):
        how = "was replaced by a later file" if entry.is_replaced else f"is {entry.state}"
        raise InputError(f"This entry {how}, so it cannot be final. Choose another.")


def _own(connection: Connection, row: StoredChallenge, team: ChallengeTeam, key: str) -> Entry:
    found = rows.list_entries(connection, row.id, submitter_id=team.id, key=key)
    if not found:
        raise UnknownNameError(f"Your team has no entry '{key[:80]}' in '{row.name}'.")
    return found[0]
