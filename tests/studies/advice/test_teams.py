"""Teams of a live challenge in a round: asked in time, beside its models, each by itself."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from aiohttp import web

from palaver.core.audit import COMMAND
from palaver.core.errors import InputError
from palaver.core.evaluation.challenge_entries import ChallengeTeam, EndpointCard, Entry
from palaver.core.evaluation.challenges import StoredChallenge
from palaver.core.situations import AdvisingModel
from palaver.evaluation.challenges.endpoint_entries import (
    TeamEndpoint,
    submit_endpoint,
)
from palaver.evaluation.challenges.entries import withdraw_entry
from palaver.evaluation.challenges.stored import add_challenge, find_challenge
from palaver.evaluation.challenges.teams import add_team, find_team
from palaver.evaluation.home import EvaluationHome, open_evaluation
from palaver.evaluation.submissions.endpoints import endpoint_options
from palaver.formats.advice.answers import read_answers, read_models
from palaver.storage.evaluation.datasets import find_dataset
from palaver.storage.evaluation.runs import list_runs
from palaver.storage.evaluation.tasks import find_task
from palaver.studies.advice import asking
from palaver.studies.advice.closing import FinalRound
from palaver.studies.advice.round import RoundState, advice_round
from palaver.studies.advice.run import RoundRun, StepTold
from palaver.studies.file.reader import load_study
from support.advice import situation, write_round, write_situations
from support.advising import texts
from support.endpoints import Endpoint as Served
from support.endpoints import serving
from support.runs import QUICK

REGISTERED = 1_760_000_000.0
CHALLENGE = """\
name: cup
title: The Advice Cup
contact: cup@example.org
pages: {about: Who advises best?}
tracks:
  advice:
    title: Advice
    task: advice
    takes: endpoints
    data: {first: situations-1}
    judged: {first: round}
phases:
  first: {title: First, closes: 2026-10-31 23:59 UTC, asks: 2999-01-01 00:00 UTC}
registration: {approval: false}
"""
COUNT = 2


def down(body: dict[str, Any]) -> web.Response:
    """What an endpoint answers that has no strength left."""
    return web.Response(status=500, text="inner secret")


class Live:
    """A round, the challenge that it judges, and teams whose endpoints answer."""

    def __init__(self, folder: Path) -> None:
        self.folder = write_round(folder / "round", COUNT, models=())
        self.file = folder / "challenge.yaml"
        self.home = folder / "home"
        self.told: list[StepTold] = []
        self.add(CHALLENGE)

    @contextmanager
    def opened(self) -> Iterator[EvaluationHome]:
        with open_evaluation(self.home, f"sqlite:///{self.home / 'palaver.db'}") as home:
            settings = home.settings.model_copy(update={"private_endpoints": True})
            yield replace(home, settings=settings)

    def add(self, text: str) -> None:
        """Add the challenge with this wording."""
        self.file.write_text(text, encoding="utf-8")
        with self.opened() as home:
            add_challenge(home, self.file, by=COMMAND, now=REGISTERED)

    def come(self) -> None:
        """Let the time come at which teams are asked."""
        self.add(CHALLENGE.replace("2999-01-01", "2026-11-01"))

    def register(self, name: str, url: str, **card: Any) -> Entry:
        """A team with an endpoint."""
        options = endpoint_options("askbatch", url, retries=0, backoff=0.0)
        endpoint = TeamEndpoint(kind="askbatch", options=options, card=EndpointCard(**card))
        with self.opened() as home:
            row, team = home.store.write_now(lambda c: _joined(c, name))
            return asyncio.run(
                submit_endpoint(home, row, team, endpoint, track="advice", now=REGISTERED)
            )

    def withdraw(self, name: str, entry: Entry) -> None:
        with self.opened() as home:
            row = home.store.read_now(lambda c: find_challenge(c, "cup"))
            team = home.store.read_now(lambda c: find_team(c, row, name))
            withdraw_entry(home, row, team, entry.key, now=REGISTERED)

    def go(self, **given: Any) -> RoundState:
        """Take the round as far as it goes; attempts follow each other at once."""
        self.told.clear()

        def ask(*asked: Any, **named: Any) -> list[asking.AskedModel]:
            return asking.ask_models(*asked, **named, backoff=QUICK)

        with self.opened() as home:
            return RoundRun(
                found=advice_round(load_study(self.folder)),
                home=home,
                tell=self.told.append,
                **{"writer": write_page, "ask": ask, **given},
            ).go()

    def files(self) -> list[str]:
        return sorted(path.stem for path in (self.folder / "answers").glob("*.jsonl"))

    def cards(self) -> dict[str, AdvisingModel]:
        return read_models(self.folder / "answers")


def _joined(connection: Any, name: str) -> tuple[StoredChallenge, ChallengeTeam]:
    row = find_challenge(connection, "cup")
    made = add_team(connection, row, team=name, by=COMMAND, now=REGISTERED)
    return row, find_team(connection, row, made.id)


def write_page(final: FinalRound, folder: Path) -> None:
    """A report of one line."""
    (folder / "index.html").write_text(final.board.answer, encoding="utf-8")


class Counted:
    """An endpoint that advises, and counts what it was asked about."""

    def __init__(self) -> None:
        self.titles: Counter[str] = Counter()

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        self.titles.update(each["title"] for each in body["instances"])
        return texts(body)

    @property
    def asked(self) -> dict[str, int]:
        """How often it was asked about each situation of the round."""
        return {title: n for title, n in self.titles.items() if "boiler" in title}


@pytest.fixture
def otter() -> Counted:
    return Counted()


@pytest.fixture
def live(tmp_path: Path, otter: Counted) -> Iterator[tuple[Live, Served]]:
    """A round with two teams; the endpoint of the second can be told to fail."""
    round_ = Live(tmp_path)
    with ExitStack() as stack:
        served = stack.enter_context(serving(otter))
        other = stack.enter_context(serving(texts))
        card = {"title": "Otter 11B", "parameters": 11e9, "link": "https://example.org/otter"}
        round_.register("The Otters!", served.url, **card)
        round_.register("Stoats", other.url)
        yield round_, other


def test_a_round_asks_teams_when_their_time_has_come(
    live: tuple[Live, Served], otter: Counted
) -> None:
    each, other = live
    for given in ({}, {"partial": True}):
        state = each.go(**given)
        assert (each.told[-1].when, each.told[-1].step) == ("next", "Asking")
        assert "from 2999-01-01 00:00 UTC" in each.told[-1].words
        assert (state.rated.sheets, otter.asked, each.files()) == (0, {}, [])
    with each.opened() as home:
        row = home.store.read_now(lambda c: find_task(c, "advice"))
        dataset = home.store.read_now(lambda c: find_dataset(c, row.id, "situations-1"))
        runs = home.store.read_now(list_runs)
    assert (dataset.access, dataset.items) == ("hidden", COUNT)
    assert [run.state for run in runs] == ["waiting", "waiting"]
    each.come()
    other.answers = down
    with pytest.raises(InputError, match=r"stoats-run1 0 of 2\. Run this again .* --partial"):
        each.go()
    (hint,) = each.told[-1].hints
    assert hint.startswith("stoats-run1: 0 of 2 answers. ")
    assert "status 500" in hint
    assert "inner secret" not in hint
    assert each.files() == ["the-otters-run1"]
    # A pair per situation with the model, and one with other people.
    assert each.go(partial=True).rated.sheets == 2 * COUNT
    other.answers = texts
    assert each.go().rated.sheets == 3 * COUNT
    before = [path.read_bytes() for path in sorted((each.folder / "answers").iterdir())]
    again = each.go(simulate=True)
    assert again.rated.sheets == 3 * COUNT
    assert [told.when for told in each.told][-1] == "done"
    assert [path.read_bytes() for path in sorted((each.folder / "answers").iterdir())] == before
    assert list(otter.asked.values()) == [1] * COUNT
    assert each.cards()["the-otters-run1"] == AdvisingModel(
        name="the-otters-run1",
        title="Otter 11B",
        team="The Otters!",
        parameters=11e9,
        date="2025-10-09",
        link="https://example.org/otter",
    )
    assert each.cards()["stoats-run1"].title == "Stoats, run 1"
    with each.opened() as home:
        assert len(home.store.read_now(list_runs)) == 2


def test_models_and_teams_are_asked_together_and_a_stop_doubles_nothing(
    live: tuple[Live, Served], otter: Counted, monkeypatch: pytest.MonkeyPatch
) -> None:
    each, _ = live
    own = Counted()

    class Stopped(Exception):
        pass

    def stop(*given: Any, **named: Any) -> None:
        raise Stopped

    with serving(own) as mine:
        models = f"models:\n  heron: {{kind: askbatch, url: '{mine.url}', retries: 0}}\n"
        (each.folder / "models.yaml").write_text(models, encoding="utf-8")
        each.come()
        with monkeypatch.context() as patched:
            patched.setattr(asking, "write_answers", stop)
            with pytest.raises(Stopped):
                each.go()
        state = each.go()
    assert each.told[1].words == "3 models on 2 situations, 2 of teams"
    assert state.rated.sheets == 4 * COUNT
    assert each.files() == ["heron", "stoats-run1", "the-otters-run1"]
    assert list(own.asked.values()) == list(otter.asked.values()) == [1] * COUNT
    said = read_answers(each.folder / "answers" / "the-otters-run1.jsonl")
    assert said["s00"].startswith("Advice on What about boiler 0?")


def test_what_was_withdrawn_before_rating_is_not_judged(
    live: tuple[Live, Served], otter: Counted
) -> None:
    each, _ = live
    each.come()
    with serving(texts) as third:
        entry = each.register("Voles", third.url)
        assert each.go(until="open").rated.sheets == 4 * COUNT
    each.withdraw("Voles", entry)
    assert each.go(until="open").rated.sheets == 3 * COUNT
    assert each.files() == sorted(each.cards()) == ["stoats-run1", "the-otters-run1"]


def test_other_situations_under_the_name_of_the_data_set_are_refused(
    live: tuple[Live, Served], otter: Counted
) -> None:
    each, _ = live
    each.go()
    write_situations(each.folder / "situations.jsonl", [situation(n) for n in range(7, 9)])
    each.come()
    with pytest.raises(InputError, match=r"'situations-1' .* holds other situations"):
        each.go()
    assert otter.asked == {}


def test_names_and_tasks_that_do_not_fit_are_refused(live: tuple[Live, Served]) -> None:
    each, _ = live
    models = "models:\n  stoats-run1: {kind: askbatch, url: 'http://127.0.0.1:9/'}\n"
    (each.folder / "models.yaml").write_text(models, encoding="utf-8")
    with pytest.raises(InputError, match="called stoats-run1 in this round"):
        each.go()
    other = CHALLENGE.replace("name: cup", "name: pot").replace("task: advice", "task: nli")
    each.add(other)
    with pytest.raises(InputError, match=r"challenge 'pot' is judged .* its task is 'nli'"):
        each.go()
