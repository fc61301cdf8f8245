"""Teams of a challenge: registered, approved, refused, changed, gone; one token for all tracks."""

from collections.abc import Callable
from typing import Any

import pytest

from palaver.core.audit import COMMAND, AuditFilter
from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.core.evaluation.submissions import TeamToken
from palaver.core.evaluation.tasks import terms_digest
from palaver.evaluation import submissions
from palaver.evaluation.challenges.sheets import team_sheet
from palaver.evaluation.challenges.teams import (
    accept_terms,
    add_team,
    approve_team,
    change_team,
    find_team,
    holder_of,
    leave_team,
    list_teams,
    refuse_team,
    register_team,
    renew_token,
)
from palaver.storage.audit.entries import all_entries
from support.challenges import FILE, FINAL, PRACTICE, Cup


def register(cup: Cup, team: str = "Otters", *, now: float = PRACTICE, **given: Any) -> TeamToken:
    given = {"contact": "otters@example.org", **given}
    return cup.home.store.write_now(
        lambda c: register_team(c, cup.row, team=team, now=now, **given)
    )


def write(cup: Cup, act: Callable[..., Any], *given: Any, **more: Any) -> Any:
    return cup.home.store.write_now(lambda c: act(c, cup.row, *given, now=PRACTICE, **more))


def state_of(cup: Cup, secret: str) -> str | None:
    found = cup.home.store.read_now(lambda c: holder_of(c, secret))
    return None if found is None else found[1].state


class TestRegistering:
    def test_a_team_waits_with_a_token_for_its_sheet_alone(self, cup: Cup) -> None:
        made = register(cup, members=["Ada", " Grace  H. ", "Ada"])
        assert made.token.startswith("ps_")
        row, team = cup.home.store.read_now(lambda c: holder_of(c, made.token)) or (None, None)
        assert row == cup.row
        assert team is not None
        assert (team.state, team.members, team.challenge) == ("waiting", ("Ada", "Grace H."), "cup")
        sheet = cup.home.store.read_now(lambda c: team_sheet(c, cup.row, team, now=FINAL))
        assert [track.track for track in sheet.tracks] == ["english", "chinese"]
        assert not sheet.accepted
        with pytest.raises(AccessError, match="waits for the organisers to approve it"):
            cup.submit(team)

    def test_approved_it_hands_in(self, local_cup: Cup) -> None:
        made = register(local_cup)
        team = write(local_cup, approve_team, "Otters", by=COMMAND)
        write(local_cup, accept_terms, team, digest=terms_digest("Use the data for research only."))
        assert state_of(local_cup, made.token) == "approved"
        assert local_cup.submit(team).team == "Otters"
        acts = local_cup.home.store.read_now(lambda c: list(all_entries(c, AuditFilter())))
        told = [(each.act, each.subject) for each in acts if each.act.startswith("team.")]
        assert told == [
            ("team.add", "cup/Otters"),
            ("team.decide", "cup/Otters"),
            ("team.terms", "cup/Otters"),
        ]

    def test_without_approval_it_may_begin_at_once(self, local_cup: Cup) -> None:
        local_cup.add(FILE.replace("tracks:\n", "registration: {approval: false}\ntracks:\n", 1))
        made = register(local_cup)
        assert state_of(local_cup, made.token) == "approved"

    @pytest.mark.parametrize("name", ["otters", "OTTERS", "Ot ters", "  Otters ", "Ｏtters"])
    def test_names_differ_by_more_than_case_and_spaces(self, local_cup: Cup, name: str) -> None:
        register(local_cup)
        with pytest.raises(InputError, match="There is a team 'Otters' already"):
            register(local_cup, name)

    @pytest.mark.parametrize("name", ["", "  ", "a\x00b", "x" * 101, "a/b", "..", "a\u202eb"])
    def test_rough_names_are_refused(self, local_cup: Cup, name: str) -> None:
        with pytest.raises(InputError, match="name"):
            register(local_cup, name)

    @pytest.mark.parametrize(
        "contact", ["", "otters", "otters@", "a@b@c.org", "a@b.org\nBcc: x@y.org", "a b@c.org"]
    )
    def test_a_contact_is_an_address(self, local_cup: Cup, contact: str) -> None:
        with pytest.raises(InputError, match="A mail address looks like"):
            register(local_cup, contact=contact)

    def test_too_many_members_and_rough_ones(self, local_cup: Cup) -> None:
        with pytest.raises(InputError, match="at most 10 members; got 11"):
            register(local_cup, members=[f"M{n}" for n in range(11)])
        with pytest.raises(InputError, match="The name of a member"):
            register(local_cup, members=["a\x07b"])

    def test_the_window(self, local_cup: Cup) -> None:
        window = "registration: {opens: 2026-09-01 AoE, closes: 2026-10-01 23:59 +09:00}\n"
        local_cup.add(FILE.replace("tracks:\n", window + "tracks:\n", 1))
        opens = PRACTICE - 14 * 24 * 3600
        with pytest.raises(AccessError, match="opens at 2026-09-01 12:00 UTC"):
            register(local_cup, now=opens - 1)
        with pytest.raises(AccessError, match="closed at 2026-10-01 14:59 UTC"):
            register(local_cup, now=FINAL)
        assert register(local_cup).team == "Otters"

    def test_the_organisers_add_whom_they_like(self, local_cup: Cup) -> None:
        made = write(local_cup, add_team, team="Uniform", is_baseline=True, by=COMMAND)
        team = local_cup.home.store.read_now(lambda c: find_team(c, local_cup.row, made.id))
        assert team.is_baseline
        assert team.state == "approved"
        assert local_cup.submit(team).team == "Uniform"  # baselines accept no terms


class TestDeciding:
    def test_refused_and_approved_again(self, local_cup: Cup) -> None:
        made = register(local_cup)
        assert write(local_cup, refuse_team, made.id, by=COMMAND).state == "refused"
        assert state_of(local_cup, made.token) == "refused"
        assert write(local_cup, approve_team, "otters", by=COMMAND).state == "approved"

    def test_an_unknown_team_names_what_is_near(self, local_cup: Cup) -> None:
        register(local_cup)
        with pytest.raises(UnknownNameError, match=r"has no team 'Otter'\. Near: 'Otters'"):
            write(local_cup, approve_team, "Otter", by=COMMAND)

    def test_a_team_that_left_stays_away_and_its_name_taken(self, cup: Cup) -> None:
        made = register(cup)
        assert write(cup, leave_team, made.id).state == "left"
        assert state_of(cup, made.token) is None
        for act in (approve_team, refuse_team, renew_token):
            with pytest.raises(InputError, match="has left the challenge"):
                write(cup, act, made.id, by=COMMAND)
        with pytest.raises(InputError, match="There is a team 'Otters' already"):
            register(cup)
        assert write(cup, leave_team, made.id).state == "left"

    def test_a_new_token_ends_the_old_one(self, local_cup: Cup) -> None:
        made = register(local_cup)
        new = write(local_cup, renew_token, made.id, by=COMMAND)
        assert state_of(local_cup, made.token) is None
        assert state_of(local_cup, new.token) == "waiting"


class TestChanging:
    def test_it_changes_what_it_says_about_itself(self, local_cup: Cup) -> None:
        made = register(local_cup)
        changed = write(
            local_cup,
            change_team,
            made.id,
            contact="new@example.org",
            affiliation=" River ",
            link="https://otters.example.org",
            members=["Ada"],
        )
        assert (changed.contact, changed.affiliation) == ("new@example.org", "River")
        assert changed.members == ("Ada",)
        with pytest.raises(InputError, match="address looks like"):
            write(local_cup, change_team, made.id, contact="nobody")
        with pytest.raises(InputError):
            write(local_cup, change_team, made.id, link="javascript:alert(1)")

    def test_terms_are_accepted_by_their_wording(self, local_cup: Cup) -> None:
        team = local_cup.team()
        (local_cup.folder / "terms.md").write_text("Use the data for nothing.\n")
        local_cup.add(FILE)
        with pytest.raises(AccessError, match="Accept the terms"):
            local_cup.submit(team)
        with pytest.raises(InputError, match="their digest is now"):
            write(local_cup, accept_terms, team, digest="0" * 16)
        write(local_cup, accept_terms, team, digest=terms_digest("Use the data for nothing."))
        assert local_cup.submit(team).run == 1


class TestTokens:
    def test_tokens_of_tasks_and_challenges_are_not_mixed_up(self, cup: Cup) -> None:
        task = cup.bench.row
        of_challenge = register(cup)
        of_task = cup.home.store.write_now(
            lambda c: submissions.add_team(c, task, team="Otters", now=PRACTICE)
        )

        def holders(secret: str) -> tuple[Any, Any]:
            return cup.home.store.read_now(
                lambda c: (submissions.holder_of(c, secret), holder_of(c, secret))
            )

        for_task, for_challenge = holders(of_task.token)
        assert for_challenge is None
        assert for_task.task_id == task.id
        for_task, for_challenge = holders(of_challenge.token)
        assert for_task is None
        assert for_challenge[1].team == "Otters"
        listed = cup.home.store.read_now(lambda c: list_teams(c, cup.row))
        assert [team.team for team in listed] == ["Otters"]
        assert cup.home.store.read_now(lambda c: holder_of(c, "ps_wrong")) is None
