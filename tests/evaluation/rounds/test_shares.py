"""The models of a round get equal numbers of sessions, whoever is seated where and gives up."""

import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from sqlalchemy import select

from palaver.collection.pairing import Seated, SeatSeeker, seat
from palaver.collection.plan import ChatPlan, ConditionPlan
from palaver.core.errors import ConflictError
from palaver.core.evaluation.rounds import Round, RoundTerms
from palaver.core.scenario import Scenario
from palaver.evaluation.rounds.shares import draw_session_key
from palaver.games.open_chat.rules import OpenChat
from palaver.storage import Store
from palaver.storage.evaluation.rounds import set_round
from palaver.storage.people.participants import enter
from palaver.storage.schema import dialogues
from palaver.storage.studies import quotas
from support.written_rounds import NOW, RoundDesk

SESSIONS = 60


class Desk:
    """A round with a place for each of its sessions, where writers are seated as they are served."""

    def __init__(self, store: Store, *models: str) -> None:
        self.store = store
        self.desk = RoundDesk(store, models=models)
        self.begin(self.desk.round)

    def begin(self, round_: Round) -> None:
        """Seat whoever comes from now on in this round."""
        self.round = round_
        each = {f"r{round_.number}-c{n}": 1 for n in range(SESSIONS)}
        self.store.write_now(
            lambda c: quotas.set_scenario_quotas(c, self.desk.study_id, 0, "loop", each=each)
        )
        self.plan = ChatPlan(
            study="loop",
            study_id=self.desk.study_id,
            stage=0,
            rules=OpenChat(exactly=4),
            conditions=(ConditionPlan("loop", ("in_the_loop",), needed=SESSIONS, each=each),),
            draw_scenario=lambda rng: Scenario(),
            make_scenario=lambda name, rng: Scenario(id=name),
            draw_key=lambda c: draw_session_key(c, round_),
            systems={},
            in_sessions=True,
        )

    def sit(self, person: str, store: Store | None = None, *, seconds: float = 0.0) -> str:
        """The group of somebody's session; its transaction takes so long."""

        def work(c: Any) -> Any:
            visit = enter(
                c,
                study_id=self.desk.study_id,
                crowd="link",
                person=person,
                assignment="1",
                first_step="stage:0",
                now=NOW,
            )
            who = SeatSeeker(visit.id, visit.participant_id, visit.key)
            seated = seat(c, self.plan, who, holder="h", now=NOW)
            time.sleep(seconds)
            return seated

        while True:
            try:
                seated = (store or self.store).write_now(work)
            except ConflictError:
                continue
            assert isinstance(seated, Seated)
            return seated.group

    def finish(self, group: str) -> None:
        self.store.write_now(lambda c: quotas.complete(c, group))

    def lose(self, group: str) -> None:
        self.store.write_now(lambda c: quotas.release(c, group))

    def models(self, groups: list[str]) -> Counter[str]:
        """How many of these sessions each model answers in."""
        keys = self.store.read_now(
            lambda c: c.execute(
                select(dialogues.c.key).where(dialogues.c.group_key.in_(groups))
            ).scalars()
        )
        return Counter(self.round.model_of(key).name for key in keys)


@pytest.fixture
def elsewhere(store: Store) -> Iterator[Store]:
    """The store as another process has it; one process writes to SQLite."""
    if not store.is_postgres:
        yield store
        return
    opened = Store(store.url)
    yield opened
    opened.close()


def spread(counts: Counter[str], models: int) -> int:
    """By how much the most used of so many models is ahead of the least used one."""
    return max(counts.values()) - (min(counts.values()) if len(counts) == models else 0)


@pytest.mark.parametrize("names", [("a", "b"), ("a", "b", "c")])
def test_models_are_even_after_every_writer_who_sits_down(
    store: Store, names: tuple[str, ...]
) -> None:
    desk = Desk(store, *names)
    groups: list[str] = []
    for n in range(24):
        groups.append(desk.sit(f"w{n}"))
        assert spread(desk.models(groups), len(names)) <= 1
    assert set(desk.models(groups).values()) == {24 // len(names)}


def test_sessions_that_are_lost_are_made_up_for(store: Store) -> None:
    desk, dice = Desk(store, "a", "b"), random.Random(7)
    running: list[str] = []
    done: list[str] = []
    for n in range(70):
        running.append(desk.sit(f"w{n}"))
        assert spread(desk.models(done + running), 2) <= 1 + (len(running) if n else 0)
        if n % 3:
            group = running.pop(dice.randrange(len(running)))
            if dice.random() < 0.6:
                desk.finish(group)
                done.append(group)
            else:
                desk.lose(group)
    # One model loses three writers in a row: the next sessions are its own.
    ahead = desk.models(done + running)
    behind = min(ahead, key=lambda name: ahead[name])
    lost = [group for group in running if desk.models([group]) == Counter([behind])][:3]
    for group in lost:
        desk.lose(group)
        running.remove(group)
    following = [desk.sit(f"x{n}") for n in range(len(lost))]
    assert desk.models(following) == Counter({behind: len(lost)})


def test_writers_who_come_to_several_processes_at_once_are_shared_out(
    store: Store, elsewhere: Store
) -> None:
    desk = Desk(store, "a", "b")
    with ThreadPoolExecutor(8) as pool:
        works = [pool.submit(desk.sit, f"w{n}", (store, elsewhere)[n % 2]) for n in range(40)]
        groups = [each.result() for each in works]
    assert desk.models(groups) == Counter(a=20, b=20)


def test_whoever_sits_down_meanwhile_waits_to_be_shared_out(store: Store, elsewhere: Store) -> None:
    desk = Desk(store, "a", "b")
    with ThreadPoolExecutor(2) as pool:
        for n in range(8):
            pair = [
                pool.submit(desk.sit, f"w{n}-{place}", each, seconds=0.1)
                for place, each in enumerate((store, elsewhere))
            ]
            groups = [each.result() for each in pair]
            assert desk.models(groups) == Counter(a=1, b=1)


def test_each_round_is_shared_out_by_itself(store: Store) -> None:
    desk = Desk(store, "a")
    for n in range(5):
        desk.finish(desk.sit(f"w{n}"))
    store.write_now(lambda c: set_round(c, desk.round.id, state="closed", now=NOW))
    desk.begin(desk.desk.open(RoundTerms(), ["a", "b"]))
    groups = [desk.sit(f"v{n}") for n in range(8)]
    assert desk.models(groups) == Counter(a=4, b=4)
