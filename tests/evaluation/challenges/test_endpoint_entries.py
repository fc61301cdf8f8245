"""Endpoints that teams register for a challenge: probed, counted, scheduled, asked."""

import asyncio
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from palaver.core.audit import COMMAND, AuditFilter
from palaver.core.errors import AccessError, InputError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, EndpointCard, Entry
from palaver.evaluation.challenges.endpoint_entries import (
    ProbeError,
    TeamEndpoint,
    advising_models,
    ask_again,
    probe_for_track,
    submit_endpoint,
)
from palaver.evaluation.challenges.entries import withdraw_entry
from palaver.evaluation.challenges.run_folders import write_runs
from palaver.evaluation.challenges.sheets import team_sheet
from palaver.evaluation.challenges.standings import live_rows
from palaver.evaluation.challenges.teams import approve_team, refuse_team
from palaver.evaluation.home import EvaluationHome
from palaver.evaluation.submissions.endpoints import endpoint_options
from palaver.storage.audit.entries import all_entries
from support.challenges import FILE, FINAL, TEST, Cup, at_once
from support.endpoints import Endpoint as Served
from support.endpoints import right_or_wrong, serving
from support.runs import records

# The data of the track 'live' come after its endpoints.
LIVE = FILE.replace(
    "phases:\n",
    """\
  live:
    title: Live
    task: nli
    data: {final: live-test}
    takes: endpoints
    judged: {final: cup-raters}
  asked:
    title: Asked
    task: nli
    data: {final: test}
    takes: both
phases:
""",
    1,
)
LATER = LIVE.replace("    final: true\n", "    final: true\n    asks: 2999-01-01 00:00 UTC\n")


@pytest.fixture
def served() -> Iterator[Served]:
    with serving() as endpoint:
        yield endpoint


def opened(home: EvaluationHome, folder: Path, text: str = LIVE) -> Cup:
    """The challenge in a home that lets endpoints lie inside its network."""
    settings = home.settings.model_copy(update={"private_endpoints": True})
    return Cup(replace(home, settings=settings), folder, text=text)


@pytest.fixture
def live(home: EvaluationHome, tmp_path: Path) -> Cup:
    return opened(home, tmp_path)


@pytest.fixture
def local_live(local_home: EvaluationHome, tmp_path: Path) -> Cup:
    return opened(local_home, tmp_path)


def endpoint(url: str, kind: str = "http", **card: Any) -> TeamEndpoint:
    options = endpoint_options(kind, url, retries=0)
    return TeamEndpoint(kind=kind, options=options, card=EndpointCard(**card))


def register(
    cup: Cup, team: ChallengeTeam, url: str, *, track: str = "asked", **given: Any
) -> Entry:
    wanted = given.pop("endpoint", None) or endpoint(url)
    return asyncio.run(
        submit_endpoint(cup.home, cup.row, team, wanted, track=track, now=FINAL, **given)
    )


def newest(cup: Cup, team: ChallengeTeam) -> Entry:
    return cup.entries(team, audience="own")[-1]


class TestRegistering:
    def test_it_is_probed_asked_at_once_and_scored(self, live: Cup, served: Served) -> None:
        team = live.team()
        entry = register(live, team, served.url)
        assert (entry.state, entry.run, entry.kind, entry.is_endpoint) == (
            "running",
            1,
            "http",
            True,
        )
        assert set(served.asked) == {"probe-1", "probe-2"}
        live.bench.work()
        assert set(served.asked) == {"probe-1", "probe-2"} | {each["uid"] for each in TEST}
        assert newest(live, team).state == "scored"
        assert newest(live, team).asked == len(TEST)

    def test_no_other_data_of_the_task_are_put_to_it(self, local_live: Cup, served: Served) -> None:
        local_live.bench.dataset("open", records(3, start=500), access="scoring")
        register(local_live, local_live.team(), served.url)
        local_live.bench.dataset("later", records(3, start=600), access="scoring")
        local_live.bench.work()
        assert {"u500", "u600"}.isdisjoint(served.asked)

    def test_it_waits_for_data_that_come_later(self, live: Cup, served: Served) -> None:
        team = live.team()
        assert register(live, team, served.url, track="live").state == "scheduled"
        live.bench.work()
        assert "u900" not in served.asked
        live.bench.dataset("live-test", records(2, start=900), access="hidden")
        live.bench.work()
        assert newest(live, team).state == "scored"
        assert served.asked["u900"] == 1

    def test_it_is_asked_when_the_phase_says(self, local_home: Any, tmp_path: Path) -> None:
        cup = opened(local_home, tmp_path, LATER)
        team = cup.team()
        with serving() as served:
            entry = register(cup, team, served.url)
            assert entry.state == "scheduled"
            assert entry.asks is not None
            cup.bench.work()
            assert "u100" not in served.asked
            cup.add(LATER.replace("2999-01-01", "2026-11-12"))
            cup.bench.work()
        assert newest(cup, team).state == "scored"

    def test_the_same_endpoint_again_is_the_same_entry(
        self, local_live: Cup, served: Served
    ) -> None:
        team = local_live.team()
        first = register(local_live, team, served.url)
        again = register(
            local_live, team, served.url, endpoint=endpoint(served.url, title="Otter 2")
        )
        assert again.key == first.key
        found = local_live.home.store.read_now(
            lambda c: advising_models(c, local_live.row, "asked", "final")
        )
        assert [each.title for each, _ in found] == ["Otter 2"]

    def test_a_run_is_replaced_and_the_earlier_one_is_asked_no_more(
        self, live: Cup, served: Served
    ) -> None:
        team = live.team()
        register(live, team, served.url, run=2)
        with serving() as other:
            register(live, team, other.url, run=2)
            live.bench.work()
            assert other.asked["u100"] == 1
        assert "u100" not in served.asked
        assert [each.is_replaced for each in live.entries(team)] == [True, False]
        # The one that was replaced stays counted.
        sheet = live.home.store.read_now(lambda c: team_sheet(c, live.row, team, now=FINAL))
        left = {each.track: each.allowance for each in sheet.tracks}["asked"]
        assert left is not None
        assert left.used == 2

    def test_what_was_withdrawn_is_not_asked(self, live: Cup, served: Served) -> None:
        team = live.team()
        entry = register(live, team, served.url, track="live")
        withdraw_entry(live.home, live.row, team, entry.key, now=FINAL)
        live.bench.dataset("live-test", records(2, start=900), access="hidden")
        live.bench.work()
        assert "u900" not in served.asked

    def test_of_two_at_once_at_the_limit_one_is_refused(self, live: Cup) -> None:
        team = live.team()
        with serving() as one, serving() as two, serving() as three, serving() as four:
            register(live, team, one.url)
            register(live, team, two.url)
            said = at_once(
                lambda: register(live, team, three.url), lambda: register(live, team, four.url)
            )
        assert sorted(said) == ["AllowanceError", "entry"]
        assert len(live.entries(team)) == 3

    def test_a_refused_team_is_not_asked_until_it_is_approved_again(
        self, local_live: Cup, served: Served
    ) -> None:
        cup = local_live
        team = cup.team()
        register(cup, team, served.url, track="live")
        cup.home.store.write_now(lambda c: refuse_team(c, cup.row, team.id, by=COMMAND, now=FINAL))
        cup.bench.dataset("live-test", records(2, start=900), access="hidden")
        cup.bench.work()
        assert "u900" not in served.asked
        cup.home.store.write_now(lambda c: approve_team(c, cup.row, team.id, by=COMMAND, now=FINAL))
        cup.bench.work()
        assert served.asked["u900"] == 1

    def test_files_and_endpoints_go_where_they_are_taken(self, local_live: Cup) -> None:
        team = local_live.team()
        with pytest.raises(InputError, match="takes endpoints, not files"):
            local_live.submit(team, track="live")
        with pytest.raises(InputError, match="takes files with answers, not endpoints"):
            register(local_live, team, "http://127.0.0.1:1/", track="english")

    def test_a_key_is_on_no_record(self, local_live: Cup, served: Served) -> None:
        wanted = TeamEndpoint(
            kind="http", options=endpoint_options("http", served.url, key="s3cret")
        )
        entry = register(local_live, local_live.team(), served.url, endpoint=wanted)
        known = local_live.home.store.read_now(lambda c: list(all_entries(c, AuditFilter())))
        assert any(each.subject.endswith(entry.key) for each in known)
        assert "s3cret" not in repr(known)
        assert "s3cret" not in repr(entry)

    def test_variables_of_the_server_are_refused(self, local_live: Cup) -> None:
        wanted = TeamEndpoint(
            kind="http", options={"url": "http://127.0.0.1:1/", "api_key_env": "X"}
        )
        with pytest.raises(InputError, match="names a variable of the server"):
            register(local_live, local_live.team(), "", endpoint=wanted)


class TestFailing:
    def test_one_that_fails_says_why_and_is_asked_again(self, live: Cup, served: Served) -> None:
        team = live.team()
        entry = register(live, team, served.url)
        served.answers = lambda question: web.Response(status=500, text="inner secret")
        live.bench.work()
        failed = newest(live, team)
        assert failed.state == "failed"
        assert "status 500" in failed.reason
        assert "inner secret" not in failed.reason
        served.answers = right_or_wrong
        ask_again(live.home, live.row, entry.key, now=FINAL, by=COMMAND)
        live.bench.work()
        assert newest(live, team).state == "scored"
        with pytest.raises(InputError, match="Only an endpoint that failed"):
            ask_again(live.home, live.row, entry.key, now=FINAL, by=COMMAND)

    def test_one_that_hangs_holds_up_nobody(self, local_live: Cup, served: Served) -> None:
        cup = local_live
        slow, quick = cup.team("Slow"), cup.team("Quick")
        with serving() as hanging:
            register(cup, slow, hanging.url)
            register(cup, quick, served.url)
            hanging.left = 0

            async def work() -> None:
                from palaver.evaluation.jobs.worker import Worker

                working = asyncio.create_task(Worker(cup.home).run())
                until = time.monotonic() + 60
                while newest(cup, quick).state != "scored" and time.monotonic() < until:
                    await asyncio.sleep(0.02)
                working.cancel()
                await asyncio.gather(working, return_exceptions=True)

            asyncio.run(work())
            hanging.left = None
        assert newest(cup, quick).state == "scored"


class TestProbing:
    def probe(self, cup: Cup, url: str, kind: str = "http") -> Any:
        return asyncio.run(
            probe_for_track(cup.home, cup.row, "asked", endpoint(url, kind), now=FINAL)
        )

    def test_an_endpoint_that_answers(self, local_live: Cup, served: Served) -> None:
        probed = self.probe(local_live, served.url)
        assert probed.answers
        assert probed.reached
        assert [each.came["label"] for each in probed.questions] != []
        assert local_live.entries() == []

    def test_html_wrong_answers_and_statuses_are_told_without_what_was_sent(
        self, local_live: Cup, served: Served
    ) -> None:
        said = {}
        for name, answer in {
            "html": lambda question: web.Response(text="<h1>inner secret</h1>"),
            "wrong": lambda question: {"id": question["uid"], "label": "inner secret"},
            "status": lambda question: web.Response(status=403, text="inner secret"),
            "moved": lambda question: web.Response(status=302, headers={"location": "http://x/"}),
        }.items():
            served.answers = answer
            probed = self.probe(local_live, served.url)
            assert not probed.answers
            assert "inner secret" not in repr(probed)
            said[name] = probed.problem
        assert "status 403" in said["status"]
        assert "not as the task asks" in said["wrong"]
        assert served.asked["probe-1"] == 4

    def test_nobody_at_the_address(self, local_live: Cup) -> None:
        probed = self.probe(local_live, "http://127.0.0.1:9/")
        assert not probed.reached
        assert probed.problem == "The endpoint could not be reached."

    def test_one_that_does_not_answer_is_not_registered(
        self, local_live: Cup, served: Served
    ) -> None:
        served.answers = lambda question: {"id": question["uid"]}
        team = local_live.team()
        with pytest.raises(ProbeError) as caught:
            register(local_live, team, served.url)
        assert "label" in caught.value.probed.mend
        assert local_live.entries() == []
        assert register(local_live, team, served.url, unprobed=True).run == 1

    def test_an_address_inside_the_network_is_refused(self, local_cup: Cup) -> None:
        local_cup.add(LIVE)
        with pytest.raises(InputError, match="not on a public address"):
            asyncio.run(
                probe_for_track(
                    local_cup.home,
                    local_cup.row,
                    "asked",
                    endpoint("http://127.0.0.1:1/"),
                    now=FINAL,
                )
            )

    def test_a_phase_that_is_not_open_probes_nothing(self, local_live: Cup, served: Served) -> None:
        with pytest.raises(AccessError):
            asyncio.run(
                probe_for_track(
                    local_live.home, local_live.row, "asked", endpoint(served.url), now=0.0
                )
            )
        assert not served.asked


class TestJudged:
    def test_it_has_no_automatic_board(self, local_live: Cup, served: Served) -> None:
        team = local_live.team()
        register(local_live, team, served.url, track="live")
        local_live.bench.dataset("live-test", records(2, start=900), access="hidden")
        local_live.bench.work()
        board = live_rows(
            local_live.home, local_live.row, "live", "final", now=FINAL, viewer="organisers"
        )
        assert (board.rows, board.measures) == ((), ())
        assert newest(local_live, team).scores == {}

    def test_models_of_teams_have_names_of_their_own(
        self, local_live: Cup, served: Served, tmp_path: Path
    ) -> None:
        cup = local_live
        card = {"title": "Otter 11B", "parameters": 11e9, "link": "https://example.org"}
        register(
            cup, cup.team("The Otters!"), "", endpoint=endpoint(served.url, **card), track="asked"
        )
        register(cup, cup.team("the-otters"), "", endpoint=endpoint(served.url + "b"))
        cup.bench.work()
        found = cup.home.store.read_now(lambda c: advising_models(c, cup.row, "asked", "final"))
        assert {each.name for each, _ in found} == {"the-otters-run1", "the-otters-2-run1"}
        first = next(each for each, _ in found if each.name == "the-otters-run1")
        assert (first.title, first.parameters, first.team) == ("Otter 11B", 11e9, "The Otters!")
        written = write_runs(cup.home, cup.row, tmp_path / "runs", track="asked")
        assert (tmp_path / "runs" / written[0]).read_bytes().count(b"\n") == len(TEST)
