"""What teams are told by letter: once each, those who take part, in the transaction of the act."""

import pytest
from sqlalchemy import Connection

from palaver.core.audit import COMMAND, Actor, AuditFilter
from palaver.core.errors import InputError
from palaver.core.letters import Letter
from palaver.core.listings import Window
from palaver.evaluation.challenges.announcements import (
    announce,
    list_announcements,
    tell_results,
    tell_teams,
)
from palaver.evaluation.challenges.teams import approve_team, refuse_team, register_team
from palaver.storage.audit.entries import read_entries
from palaver.storage.outbox.letters import list_mails
from support.challenges import FINAL, PRACTICE, Cup

OLGA = Actor("olga", "desk")


def letters(cup: Cup) -> list[Letter]:
    """All letters, oldest first."""
    return cup.home.store.read_now(list_mails)[::-1]


def told(cup: Cup) -> list[tuple[str, str]]:
    return [(each.recipient, each.subject) for each in letters(cup)]


def test_an_announcement_is_kept_sent_to_approved_teams_and_on_record(cup: Cup) -> None:
    cup.team("Otters", contact="otters@example.org")
    cup.team("Newts", contact="newts@example.org")
    cup.team("Uniform", is_baseline=True)
    out = cup.team("Rats", contact="rats@example.org")
    store = cup.home.store
    store.write_now(lambda c: refuse_team(c, cup.row, out.id, by=COMMAND, now=PRACTICE))
    store.write_now(
        lambda c: announce(
            c, cup.row, subject=" New data ", text="Look.\n", public=True, by=OLGA, now=FINAL
        )
    )
    (kept,) = store.read_now(lambda c: list_announcements(c, cup.row))
    assert (kept.subject, kept.text, kept.created_by, kept.created) == (
        "New data",
        "Look.\n",
        "olga",
        FINAL,
    )
    assert told(cup)[1:] == [
        ("otters@example.org", "[cup] New data"),
        ("newts@example.org", "[cup] New data"),
    ]
    window = Window(newest_first=True, size=1)
    (act,) = store.read_now(lambda c: read_entries(c, AuditFilter(), window)).rows
    assert (act.act, act.account, act.detail["letters"]) == ("challenge.announce", "olga", 2)


def test_the_same_is_told_once(cup: Cup) -> None:
    cup.team("Otters", contact="otters@example.org")
    cup.team("Silent")

    def tell(connection: Connection, key: str) -> object:
        given = {"subject": "Scores", "text": "They were recomputed.", "key": key, "now": FINAL}
        return tell_teams(connection, cup.row, **given)

    store = cup.home.store
    first, again, other = (
        store.write_now(lambda c, key=key: tell(c, key)) for key in ("gold/1", "gold/1", "gold/2")
    )
    assert (first.letters, first.unreachable) == (1, ("Silent",))
    assert (again.letters, other.letters) == (0, 1)
    assert len(letters(cup)) == 2


def test_only_the_teams_that_are_named_are_told(cup: Cup) -> None:
    one = cup.team("Otters", contact="otters@example.org")
    cup.team("Newts", contact="newts@example.org")
    store = cup.home.store
    store.write_now(
        lambda c: tell_teams(
            c, cup.row, subject="Yours", text="Alone.", key="k", now=FINAL, teams=[one]
        )
    )
    assert told(cup) == [("otters@example.org", "[cup] Yours")]


def test_what_is_not_decided_after_all_is_not_told(cup: Cup) -> None:
    cup.team("Otters", contact="otters@example.org")

    def fail(connection: Connection) -> None:
        announce(connection, cup.row, subject="A", text="B", public=True, by=OLGA, now=FINAL)
        raise InputError("After all, no.")

    with pytest.raises(InputError, match="After all"):
        cup.home.store.write_now(fail)
    assert letters(cup) == []
    assert cup.home.store.read_now(lambda c: list_announcements(c, cup.row)) == []


def test_a_team_hears_that_it_is_registered_approved_refused_and_of_results(cup: Cup) -> None:
    store = cup.home.store
    made = store.write_now(
        lambda c: register_team(
            c, cup.row, team="Otters", contact="Otters@example.org", now=PRACTICE
        )
    )
    assert made.token not in letters(cup)[0].text
    store.write_now(lambda c: approve_team(c, cup.row, made.id, by=OLGA, now=PRACTICE + 1))
    # Approved already: nothing new.
    store.write_now(lambda c: approve_team(c, cup.row, made.id, by=OLGA, now=PRACTICE + 2))
    store.write_now(lambda c: tell_results(c, cup.row, now=FINAL))
    store.write_now(lambda c: refuse_team(c, cup.row, made.id, by=OLGA, now=FINAL + 1))
    assert [subject for _, subject in told(cup)] == [
        "[cup] Team Otters is registered",
        "[cup] Team Otters is approved",
        "[cup] The results are out",
        "[cup] Team Otters is refused",
    ]
