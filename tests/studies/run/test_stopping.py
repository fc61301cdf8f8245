"""A study stops by its rule: once, for good, and whoever is in the middle finishes."""

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from palaver.collection.pairing import Full, Seated, Seating, SeatSeeker, seat
from palaver.core.studies.stops import StudyStop
from palaver.core.units import dialogue_unit, pair_unit
from palaver.storage import Store
from palaver.storage.audit.verification import verify
from palaver.storage.dialogues.dialogues import running_group
from palaver.storage.people.participants import Assignment, enter
from palaver.storage.studies import quotas
from palaver.storage.studies.stops import find_stop, keep_stop
from palaver.studies.file.reader import load_study
from palaver.studies.review.boards import read_study_board
from palaver.studies.review.progress import find_progress
from palaver.studies.run.deployment import Deployment
from palaver.studies.run.openings import closed_to
from palaver.studies.run.stopping import StopWatch
from support.seeding import NOW, STUDY, Seeder, deploy

MOSTLY = [bool(number % 10) for number in range(40)]
RULE = "board: {stop: {until: order, within: 5, at_most: 60}}\n"


def make(store: Store, folder: Path, rule: str = RULE) -> Deployment:
    """The deployment of a study with a rule, not started."""
    folder.mkdir(exist_ok=True)
    text = STUDY.format(name="pilot", title="Pilot", needed=500) + rule
    (folder / "study.yaml").write_text(text, encoding="utf-8")
    return deploy(store, folder)


def vote(store: Store, study_id: int, wins: Sequence[bool], *, since: int = 0) -> None:
    """Votes by a rater each: whether the chatty system won."""
    seeder = Seeder(store, study_id)
    ann = seeder.visit("ann")
    _, terse = seeder.dialogue(ann, "hello", "hi", system="terse")
    _, chatty = seeder.dialogue(ann, "hello", "well", system="chatty")
    is_first = pair_unit(dialogue_unit(terse), dialogue_unit(chatty)).members[0].endswith(chatty)
    for number, won in enumerate(wins, start=since):
        value = "first" if won == is_first else "second"
        seeder.preference(terse, chatty, value, rater=f"r{number}")


def during(deployment: Deployment, act: Callable[[Deployment], Coroutine[Any, Any, None]]) -> None:
    """Do something while a deployment is up."""

    async def run() -> None:
        await deployment.start()
        try:
            async with asyncio.timeout(20):
                await act(deployment)
        finally:
            await deployment.stop()

    asyncio.run(run())


async def until_stopped(deployment: Deployment) -> None:
    await deployment.studies["pilot"].stopped.wait()


def registered(store: Store, deployment: Deployment) -> int:
    """The id of the study, once it was served."""

    async def nothing(_: Deployment) -> None: ...

    during(deployment, nothing)
    return store.read_now(lambda c: find_progress(c, deployment.definitions[0]).id)


def test_a_study_stops_when_its_order_is_decided(store: Store, tmp_path: Path) -> None:
    study_id = registered(store, make(store, tmp_path))
    vote(store, study_id, MOSTLY)

    # The votes came while no server was up: one that starts looks at them.
    during(make(store, tmp_path), until_stopped)
    stop = store.read_now(lambda c: find_stop(c, study_id))

    assert stop is not None
    assert (stop.reason, stop.votes, stop.raters) == ("decided", 40, 40)
    assert stop.answer.startswith("chatty leads")
    assert [(p.higher, p.lower, p.decided) for p in stop.pairs] == [("chatty", "terse", True)]
    assert (stop.until, stop.within, stop.at_most) == ("order", 0.05, 60)
    assert store.read_now(lambda c: verify(c, None)).breaks == ()


def test_a_vote_that_comes_while_the_server_is_up_is_looked_at(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("palaver.studies.run.stopping.LOOK_SECONDS", 0.0)
    study_id = registered(store, make(store, tmp_path))
    vote(store, study_id, MOSTLY[:6])

    async def vote_on(deployment: Deployment) -> None:
        # Through `write`, as a page does: that is what wakes the watch.
        await asyncio.to_thread(vote, store, study_id, MOSTLY, since=6)
        await deployment.store.write(lambda c: None)
        await until_stopped(deployment)

    during(make(store, tmp_path), vote_on)
    assert store.read_now(lambda c: find_stop(c, study_id)) is not None


@pytest.mark.parametrize(
    ("rule", "count", "reason", "equal"),
    [
        ("board: {stop: {until: order, within: 20, at_most: 400}}\n", 120, "decided", True),
        ("board: {stop: {until: order, within: 5, at_most: 60}}\n", 60, "spent", False),
    ],
)
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_equal_systems_stop_a_study_when_they_are_surely_equal_or_it_cost_enough(
    store: Store, tmp_path: Path, rule: str, count: int, reason: str, equal: bool
) -> None:
    study_id = registered(store, make(store, tmp_path, rule))
    vote(store, study_id, [bool(number % 2) for number in range(count)])

    during(make(store, tmp_path, rule), until_stopped)
    stop = store.read_now(lambda c: find_stop(c, study_id))

    assert stop is not None
    assert (stop.reason, stop.votes) == (reason, count)
    assert [pair.equal for pair in stop.pairs] == [equal]


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_too_few_votes_stop_nothing(store: Store, tmp_path: Path) -> None:
    study_id = registered(store, make(store, tmp_path))
    vote(store, study_id, MOSTLY[:6])

    async def look(deployment: Deployment) -> None:
        await StopWatch(deployment).look()

    during(make(store, tmp_path), look)
    assert store.read_now(lambda c: find_stop(c, study_id)) is None


STOP = StudyStop(
    time=NOW, reason="decided", votes=31, raters=31, answer="A leads", until="order", within=0.05
)


def test_a_study_stops_once(store: Store, tmp_path: Path) -> None:
    study_id = registered(store, make(store, tmp_path))
    # Another process on the same database, where there can be one.
    other = Store(store.url) if store.is_postgres else store

    async def both() -> list[bool]:
        kept = [each.write(lambda c: keep_stop(c, study_id, STOP)) for each in (store, other)]
        return list(await asyncio.gather(*kept))

    assert sorted(asyncio.run(both())) == [False, True]
    if other is not store:
        other.close()
    acts = "SELECT detail FROM audit_entries WHERE act = 'study.stop'"
    assert len(store.read_now(lambda c: c.execute(text(acts)).all())) == 1


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_nobody_more_is_let_in_and_whoever_is_in_the_middle_finishes(
    store: Store, tmp_path: Path
) -> None:
    deployment = make(store, tmp_path)

    async def come(deployment: Deployment) -> None:
        study = deployment.studies["pilot"]
        plan, study_id = study.plans[0], study.id

        def arrive(person: str) -> Assignment:
            return store.write_now(
                lambda c: enter(
                    c,
                    study_id=study_id,
                    crowd="link",
                    person=person,
                    assignment="1",
                    first_step="stage:0",
                    now=NOW,
                )
            )

        def sit(visit: Assignment) -> Seating:
            person = SeatSeeker(visit.id, visit.participant_id, visit.key)
            return store.write_now(lambda c: seat(c, plan, person, holder=store.holder, now=NOW))

        early, late = arrive("early"), arrive("late")
        assert isinstance(sit(early), Seated)
        store.write_now(lambda c: keep_stop(c, study_id, STOP))

        assert isinstance(sit(early), Seated)
        assert sit(late) == Full(final=True, decided=True)
        assert store.read_now(lambda c: closed_to(c, study, late)) == "decided"

    during(deployment, come)


def test_a_rule_that_is_changed_or_gone_does_not_reopen_a_study(
    store: Store, tmp_path: Path
) -> None:
    study_id = registered(store, make(store, tmp_path))
    vote(store, study_id, MOSTLY[:2])
    store.write_now(lambda c: keep_stop(c, study_id, STOP))

    async def closed(deployment: Deployment) -> None:
        study = deployment.studies["pilot"]
        visit = Seeder(store, study_id).visit("bob", state=None)
        assert study.stopped.is_set()
        assert store.read_now(lambda c: closed_to(c, study, visit)) == "decided"

    during(make(store, tmp_path, rule=""), closed)
    definition = load_study(tmp_path)
    board = store.read_now(lambda c: read_study_board(c, definition, now=NOW))

    assert (board.state, board.inference, board.stop) == ("final", "anytime", STOP)
    progress = store.read_now(lambda c: find_progress(c, definition))
    assert progress.complete
    assert progress.state.endswith("stopped by its rule")


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_nobody_works_for_a_vote_that_others_are_about_to_give(
    store: Store, tmp_path: Path
) -> None:
    rule = "board: {stop: {at_most: 3}}\n"

    async def come(deployment: Deployment) -> None:
        plan, study_id = deployment.studies["pilot"].plans[0], deployment.studies["pilot"].id
        vote(store, study_id, MOSTLY[:1])
        people = [Seeder(store, study_id).visit(name, state=None) for name in ("b", "c", "d")]

        def sit(visit: Assignment) -> Seating:
            person = SeatSeeker(visit.id, visit.participant_id, visit.key)
            return store.write_now(lambda c: seat(c, plan, person, holder=store.holder, now=NOW))

        assert [isinstance(sit(visit), Seated) for visit in people] == [True, True, False]
        assert sit(people[2]) == Full(final=False)

        store.write_now(lambda c: quotas.release(c, running_group(c, people[0].id, 0) or ""))
        assert isinstance(sit(people[2]), Seated)

    during(make(store, tmp_path, rule), come)


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
import test_stopping
from palaver.storage import Store
from palaver.studies.run import stopping
from palaver.studies.run.deployment import Deployment

stopping.LOOK_SECONDS = 3600.0
store = Store(sys.argv[1])
deployment = test_stopping.make(store, Path(sys.argv[2]))

async def vote_and_die(deployment: Deployment) -> None:
    study_id = deployment.studies["pilot"].id
    await asyncio.to_thread(test_stopping.vote, store, study_id, test_stopping.MOSTLY)
    os.kill(os.getpid(), signal.SIGKILL)

test_stopping.during(deployment, vote_and_die)
"""


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_server_killed_between_vote_and_look_is_followed_by_one_that_stops(
    store: Store, tmp_path: Path
) -> None:
    url = store.url
    here = [*sys.path, str(Path(__file__).parent)]
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, url, str(tmp_path / "study")],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(here)},
        timeout=60,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL
    assert store.read_now(lambda c: find_stop(c, 1)) is None

    for _ in range(2):
        during(make(store, tmp_path / "study"), until_stopped)
    stop = store.read_now(lambda c: find_stop(c, 1))

    assert stop is not None
    assert (stop.reason, stop.votes) == ("decided", 40)
    acts = "SELECT count(*) FROM audit_entries WHERE act = 'study.stop'"
    assert store.read_now(lambda c: c.execute(text(acts)).scalar_one()) == 1
