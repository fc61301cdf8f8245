"""Entries: by the clock, within the limits, once for one file, kept whatever becomes of them."""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from palaver.core.audit import COMMAND, AuditFilter
from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.core.evaluation.challenge_entries import ChallengeTeam
from palaver.evaluation.challenges.counting import counting_entries
from palaver.evaluation.challenges.entries import (
    check_file,
    choose_final,
    questions_of,
    shared_file,
    withdraw_entry,
)
from palaver.evaluation.challenges.sheets import team_sheet
from palaver.evaluation.challenges.teams import leave_team, refuse_team
from palaver.evaluation.submissions import AllowanceError
from palaver.storage.audit.entries import all_entries
from palaver.storage.evaluation.challenges import set_challenge
from palaver.storage.evaluation.models import list_models
from support.challenges import (
    DEADLINE,
    DEV,
    FINAL,
    HOUR,
    PRACTICE,
    TEST,
    TEST_ZH,
    Cup,
    answers,
    at_once,
)


def acts(cup: Cup, act: str) -> list[dict[str, Any]]:
    found = cup.home.store.read_now(lambda c: list(all_entries(c, AuditFilter(act=act))))
    return [each.detail for each in found]


def counting(cup: Cup, *, track: str = "english", phase: str = "final") -> list[tuple[str, int]]:
    found = cup.home.store.read_now(lambda c: counting_entries(c, cup.row, track, phase))
    return [(each.team, each.run) for each in found]


class TestHandingIn:
    def test_a_file_becomes_an_entry_with_a_score_on_hidden_data(self, cup: Cup) -> None:
        content = answers(TEST, right=3)
        entry = cup.submit(cup.team(), content)
        assert (entry.team, entry.track, entry.phase, entry.run) == (
            "Otters",
            "english",
            "final",
            1,
        )
        assert entry.digest == hashlib.sha256(content).hexdigest()
        assert cup.home.objects.read(cup.entries()[0].path) == content
        assert cup.scores(entry)["accuracy"] == 0.5
        assert acts(cup, "submission.make") == [
            {"team": "Otters", "track": "english", "phase": "final", "run": 1}
        ]

    def test_the_phase_is_the_one_of_the_clock(self, local_cup: Cup) -> None:
        team = local_cup.team()
        entry = local_cup.submit(team, answers(DEV), now=PRACTICE)
        assert entry.phase == "practice"

    def test_a_run_is_the_next_free_one_unless_it_is_named(self, local_cup: Cup) -> None:
        team = local_cup.team()
        given = [
            local_cup.submit(team, answers(TEST, right=n), run=run)
            for n, run in ((1, None), (2, 3), (3, None))
        ]
        assert [each.run for each in given] == [1, 3, 2]

    @pytest.mark.parametrize("run", [0, -1, 5])
    def test_there_is_no_other_run(self, local_cup: Cup, run: int) -> None:
        with pytest.raises(InputError, match=f"Runs are numbered 1 to 4; got {run}"):
            local_cup.submit(local_cup.team(), run=run)

    def test_all_runs_used(self, local_cup: Cup) -> None:
        team = local_cup.team()
        for n in range(4):
            local_cup.submit(team, answers(DEV, right=n), now=PRACTICE)
        with pytest.raises(InputError, match="All 4 runs have been handed in"):
            local_cup.submit(team, answers(DEV, right=4), now=PRACTICE)

    def test_the_same_run_again_replaces_it_and_both_are_kept(self, cup: Cup) -> None:
        team = cup.team()
        first = cup.submit(team, answers(TEST, right=1), run=2)
        second = cup.submit(team, answers(TEST, right=2), run=2)
        kept = {each.key: each.is_replaced for each in cup.entries(team)}
        assert kept == {first.key: True, second.key: False}
        assert counting(cup) == [("Otters", 2)]

    def test_an_official_key_is_as_good_as_ours(self, local_cup: Cup) -> None:
        entry = local_cup.submit(local_cup.team(), answers(TEST, key="id"))
        assert local_cup.scores(entry)["accuracy"] == 1.0


class TestDeadlines:
    def test_the_last_second_is_in_time(self, local_cup: Cup) -> None:
        entry = local_cup.submit(local_cup.team(), now=DEADLINE + 0.9)
        assert not entry.is_late

    def test_after_it_entries_are_late(self, local_cup: Cup) -> None:
        entry = local_cup.submit(local_cup.team(), now=DEADLINE + 1)
        assert entry.is_late

    def test_after_the_late_hours_the_deadline_is_told_in_both_zones(self, local_cup: Cup) -> None:
        with pytest.raises(AccessError) as refused:
            local_cup.submit(local_cup.team(), now=DEADLINE + 12 * HOUR + 1)
        assert (
            "The phase 'Final' closed at 2026-12-01 11:59 UTC (2026-11-30 23:59 AoE). Late "
            "submissions were taken until 2026-12-01 23:59 UTC (2026-12-01 11:59 AoE)."
        ) in str(refused.value)
        assert local_cup.entries() == []

    def test_between_phases_the_next_one_is_told(self, local_cup: Cup) -> None:
        between = DEADLINE - 25 * 24 * HOUR
        with pytest.raises(AccessError, match="'Final' opens at 2026-11-10 00:00 UTC"):
            local_cup.submit(local_cup.team(), now=between)

    def test_a_track_without_data_in_the_phase_takes_nothing(self, local_cup: Cup) -> None:
        with pytest.raises(AccessError, match="The track 'chinese' takes no submissions now"):
            local_cup.submit(local_cup.team(), track="chinese", now=PRACTICE)

    def test_at_the_last_second_twice_is_one_entry(self, local_cup: Cup) -> None:
        team = local_cup.team()
        first = local_cup.submit(team, now=DEADLINE)
        again = local_cup.submit(team, now=DEADLINE + 30)
        long_after = local_cup.submit(team, now=DEADLINE + 13 * HOUR)
        assert first.key == again.key == long_after.key
        assert not again.is_late
        assert len(local_cup.entries()) == 1


class TestLimits:
    def test_so_many_in_so_many_hours(self, local_cup: Cup) -> None:
        team = local_cup.team()
        for n in range(3):
            local_cup.submit(team, answers(TEST, right=n), now=FINAL + n)
        with pytest.raises(AllowanceError, match="3 of 3 submissions in 24 hours are used") as full:
            local_cup.submit(team, now=FINAL + HOUR)
        assert full.value.retry_after == 23 * HOUR
        assert local_cup.submit(team, now=FINAL + 24 * HOUR).run == 4

    def test_each_track_has_its_own(self, local_cup: Cup) -> None:
        team = local_cup.team()
        for n in range(3):
            local_cup.submit(team, answers(TEST, right=n))
        assert local_cup.submit(team, track="chinese").run == 1

    def test_a_withdrawn_entry_counts_and_the_same_file_twice_does_not(
        self, local_cup: Cup
    ) -> None:
        team = local_cup.team()
        first = local_cup.submit(team, answers(TEST, right=1))
        withdraw_entry(local_cup.home, local_cup.row, team, first.key, now=FINAL)
        for _ in range(3):
            local_cup.submit(team, answers(TEST, right=2), run=1)
        sheet = local_cup.home.store.read_now(
            lambda c: team_sheet(c, local_cup.row, team, now=FINAL)
        )
        allowance = sheet.tracks[0].allowance
        assert allowance is not None
        assert allowance.used == 2

    def test_of_two_files_at_once_at_the_limit_one_is_refused(self, cup: Cup) -> None:
        team = cup.team()
        for n in range(2):
            cup.submit(team, answers(TEST, right=n))
        said = at_once(
            lambda: cup.submit(team, answers(TEST, right=3)),
            lambda: cup.submit(team, answers(TEST, right=4)),
        )
        assert sorted(said) == ["AllowanceError", "entry"]
        assert len(cup.entries()) == 3

    def test_the_same_file_at_once_is_one_entry(self, cup: Cup) -> None:
        team = cup.team()
        said = at_once(lambda: cup.submit(team), lambda: cup.submit(team))
        assert said == ["entry", "entry"]
        assert len(cup.entries()) == 1
        models = cup.home.store.read_now(lambda c: list_models(c, cup.bench.row.id))
        assert len(models) == 1


class TestBadFiles:
    @pytest.mark.parametrize(
        ("content", "problem"),
        [
            (b"", "answers.jsonl is empty"),
            (b" \n\n", "answers.jsonl is empty"),
            (b"{]", "answers.jsonl"),
            (answers(TEST[:5]), "no answer to 'u105'"),
            (answers(TEST).replace(b"u100", b"u999"), "the data set has no item 'u999'"),
            (answers(TEST + TEST[:1]), "'u100' was already answered in line 1"),
            (answers(TEST).replace(b"entailed", b"blue"), "answers.jsonl:"),
        ],
    )
    def test_it_is_refused_with_its_place_and_nothing_is_stored(
        self, local_cup: Cup, content: bytes, problem: str
    ) -> None:
        team = local_cup.team()
        with pytest.raises(InputError) as refused:
            local_cup.submit(team, content)
        assert problem in str(refused.value)
        assert local_cup.entries() == []
        assert not (local_cup.home.folder / "objects" / "challenges").exists()
        checked = check_file(
            local_cup.home, local_cup.row, "english", content, name="answers.jsonl", now=FINAL
        )
        assert not checked.valid
        assert problem in "\n".join(checked.problems)

    def test_a_file_of_the_other_language_is_told_where_it_belongs(self, local_cup: Cup) -> None:
        with pytest.raises(InputError, match="those of the track 'Chinese' in the phase 'Final'"):
            local_cup.submit(local_cup.team(), answers(TEST_ZH))

    def test_a_file_for_the_data_of_another_phase(self, local_cup: Cup) -> None:
        with pytest.raises(
            InputError, match="those of the track 'English' in the phase 'Practice'"
        ):
            local_cup.submit(local_cup.team(), answers(DEV))

    def test_data_of_a_phase_to_come_is_not_named(self, local_cup: Cup) -> None:
        with pytest.raises(InputError) as refused:
            local_cup.submit(local_cup.team(), answers(TEST), now=PRACTICE)
        assert "Final" not in str(refused.value)

    def test_a_path_is_named_as_its_team_calls_it(self, local_cup: Cup, tmp_path: Path) -> None:
        file = tmp_path / "upload-x1"
        file.write_bytes(answers(TEST[:5]))
        with pytest.raises(InputError) as refused:
            local_cup.submit(local_cup.team(), file, name="best.jsonl")
        assert "best.jsonl: no answer to 'u105'" in str(refused.value)
        assert str(tmp_path) not in str(refused.value)

    def test_a_file_that_is_too_large(self, local_cup: Cup, tmp_path: Path) -> None:
        small = replace(
            local_cup.home,
            settings=local_cup.home.settings.model_copy(update={"upload_megabytes": 1}),
        )
        file = tmp_path / "large.jsonl"
        with file.open("wb") as stream:
            stream.truncate(2_000_000_000)
        found = check_file(small, local_cup.row, "english", file, name="large.jsonl", now=FINAL)
        assert found.problems == ("large.jsonl has 2,000 MB; at most 1 MB are taken.",)

    def test_a_track_that_does_not_exist(self, local_cup: Cup) -> None:
        with pytest.raises(UnknownNameError, match="has no track 'englsh'"):
            local_cup.submit(local_cup.team(), track="englsh")

    def test_a_valid_file_is_only_looked_at(self, local_cup: Cup) -> None:
        checked = check_file(
            local_cup.home, local_cup.row, "english", answers(TEST), name="a.jsonl", now=FINAL
        )
        assert checked.valid
        assert checked.items == 6
        assert checked.scores == {}
        assert local_cup.entries() == []


class TestRights:
    def test_terms_come_first(self, local_cup: Cup) -> None:
        with pytest.raises(AccessError, match="Accept the terms of 'cup' first"):
            local_cup.submit(local_cup.team(accepts=False))

    def test_a_refused_team_hands_in_nothing_and_counts_nowhere(self, local_cup: Cup) -> None:
        team = local_cup.team()
        local_cup.submit(team)
        local_cup.home.store.write_now(
            lambda c: refuse_team(c, local_cup.row, team.id, by=COMMAND, now=FINAL)
        )
        with pytest.raises(AccessError, match="was refused by the organisers"):
            local_cup.submit(team, answers(TEST, right=2))
        assert counting(local_cup) == []
        assert len(local_cup.entries()) == 1

    def test_a_team_that_leaves_takes_its_open_entries_along(self, cup: Cup) -> None:
        team, other = cup.team(), cup.team("Newts")
        cup.submit(team, answers(DEV), now=PRACTICE)
        cup.submit(team)
        cup.submit(other)
        cup.home.store.write_now(lambda c: leave_team(c, cup.row, team.id, now=FINAL))
        assert counting(cup) == [("Newts", 1)]
        assert counting(cup, phase="practice") == [("Otters", 1)]
        assert [each.state for each in cup.entries(team)] == ["scored", "withdrawn"]
        with pytest.raises(AccessError, match="has left the challenge"):
            cup.submit(team, answers(TEST, right=2))

    def test_a_closed_challenge_takes_and_changes_nothing(self, cup: Cup) -> None:
        team = cup.team()
        entry = cup.submit(team)
        cup.home.store.write_now(lambda c: set_challenge(c, cup.row.id, frozen=FINAL))
        refused: list[Callable[[], Any]] = [
            lambda: cup.submit(team, answers(TEST, right=1)),
            lambda: withdraw_entry(cup.home, cup.row, team, entry.key, now=FINAL),
            lambda: choose_final(cup.home, cup.row, team, entry.key, final=True, now=FINAL),
            lambda: cup.home.store.write_now(lambda c: leave_team(c, cup.row, team.id, now=FINAL)),
            lambda: cup.team("Newts"),
        ]
        for act in refused:
            with pytest.raises(InputError, match="is closed: its results are final"):
                act()
        assert [each.key for each in cup.entries()] == [entry.key]


class TestChoosing:
    def hand_in(self, cup: Cup, team: ChallengeTeam, count: int = 3) -> list[str]:
        return [cup.submit(team, answers(TEST, right=n), now=FINAL + n).key for n in range(count)]

    def test_until_they_are_chosen_the_newest_count(self, local_cup: Cup) -> None:
        team = local_cup.team()
        self.hand_in(local_cup, team)
        assert counting(local_cup) == [("Otters", 2), ("Otters", 3)]

    def test_chosen_ones_count(self, cup: Cup) -> None:
        team = cup.team()
        keys = self.hand_in(cup, team)
        chosen = choose_final(cup.home, cup.row, team, keys[0], final=True, now=FINAL)
        assert chosen.is_final
        assert counting(cup) == [("Otters", 1)]
        choose_final(cup.home, cup.row, team, keys[1], final=True, now=FINAL)
        with pytest.raises(
            InputError, match="2 runs of a track can be final, and you have chosen 1"
        ):
            choose_final(cup.home, cup.row, team, keys[2], final=True, now=FINAL)
        choose_final(cup.home, cup.row, team, keys[0], final=False, now=FINAL)
        assert counting(cup) == [("Otters", 2)]
        assert len(acts(cup, "submission.final")) == 3

    def test_a_new_file_for_a_chosen_run_is_chosen(self, local_cup: Cup) -> None:
        team = local_cup.team()
        keys = self.hand_in(local_cup, team, 2)
        choose_final(local_cup.home, local_cup.row, team, keys[0], final=True, now=FINAL)
        assert local_cup.submit(team, answers(TEST, right=5), run=1).is_final
        assert counting(local_cup) == [("Otters", 1)]

    def test_a_withdrawn_choice_is_none(self, local_cup: Cup) -> None:
        team = local_cup.team()
        keys = self.hand_in(local_cup, team, 2)
        choose_final(local_cup.home, local_cup.row, team, keys[0], final=True, now=FINAL)
        gone = withdraw_entry(local_cup.home, local_cup.row, team, keys[0], now=FINAL)
        assert gone.state == "withdrawn"
        assert not gone.is_final
        assert counting(local_cup) == [("Otters", 2)]
        with pytest.raises(InputError, match="is withdrawn, so it cannot be final"):
            choose_final(local_cup.home, local_cup.row, team, keys[0], final=True, now=FINAL)

    def test_not_after_the_phase_and_not_in_practice(self, local_cup: Cup) -> None:
        team = local_cup.team()
        early = local_cup.submit(team, answers(DEV), now=PRACTICE)
        entry = local_cup.submit(team)
        home, row = local_cup.home, local_cup.row
        with pytest.raises(InputError, match="'Practice' are not part of the final results"):
            choose_final(home, row, team, early.key, final=True, now=FINAL)
        with pytest.raises(InputError, match="final runs are chosen before that"):
            choose_final(home, row, team, entry.key, final=True, now=DEADLINE + 13 * HOUR)

    def test_the_entry_of_another_team_is_not_there(self, local_cup: Cup) -> None:
        team, other = local_cup.team(), local_cup.team("Newts")
        entry = local_cup.submit(other)
        for act in (
            lambda: withdraw_entry(local_cup.home, local_cup.row, team, entry.key, now=FINAL),
            lambda: choose_final(
                local_cup.home, local_cup.row, team, entry.key, final=True, now=FINAL
            ),
        ):
            with pytest.raises(UnknownNameError, match="Your team has no entry"):
                act()


class TestSight:
    def test_scores_are_seen_by_date(self, cup: Cup) -> None:
        team = cup.team()
        practice = cup.submit(team, answers(DEV, right=2), now=PRACTICE)
        final = cup.submit(team, answers(TEST, right=3))
        cup.bench.work()
        published = FINAL + 31 * 24 * HOUR

        def seen(audience: Any, now: float, of: ChallengeTeam | None = team) -> dict[str, Any]:
            found = cup.entries(of, now=now, audience=audience)
            return {each.key: each.scores.get("accuracy") for each in found}

        assert seen("organisers", FINAL) == {practice.key: 0.5, final.key: 0.5}
        assert seen("own", FINAL) == {practice.key: 0.5, final.key: None}
        assert seen("everybody", FINAL, None) == {}
        assert seen("everybody", published, None) == {final.key: 0.5}
        told = {each.key: each.withheld for each in cup.entries(team, audience="own")}
        assert told[practice.key] == ""
        assert "are shown from 2026-12-15 12:00 UTC (2026-12-15 00:00 AoE) on" in told[final.key]


class TestMaterial:
    def test_questions_have_no_gold(self, local_cup: Cup) -> None:
        lines = list(questions_of(local_cup.home, local_cup.row, "english", now=FINAL))
        assert len(lines) == 6
        assert b"u100" in lines[0]
        assert b"label" not in lines[0]

    def test_a_shared_file_waits_for_terms_and_its_date(self, local_cup: Cup) -> None:
        home, row = local_cup.home, local_cup.row
        team, other = local_cup.team(), local_cup.team("Newts", accepts=False)
        place = shared_file(home, row, team, "training", now=PRACTICE)
        assert place.read_text() == "training\n"
        with pytest.raises(AccessError, match="from 2026-09-02 00:00 UTC"):
            shared_file(home, row, team, "training", now=PRACTICE - 20 * 24 * HOUR)
        with pytest.raises(AccessError, match="Accept the terms"):
            shared_file(home, row, other, "training", now=PRACTICE)
        with pytest.raises(UnknownNameError, match="has no file 'test'"):
            shared_file(home, row, team, "test", now=PRACTICE)
