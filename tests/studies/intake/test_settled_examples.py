"""What is settled is handed to nobody new: an owner's verdict, or a writer who takes it back."""

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Any

import pytest
from sqlalchemy import Connection

from palaver.annotation.assignment import Handed, Nothing, finish, hand_out
from palaver.core.audit import Actor
from palaver.core.errors import ConflictError, InputError
from palaver.evaluation.rounds.example_decisions import give_verdict, retract_example
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import load_dialogue
from palaver.storage.judging.slot_returns import abandon_stale
from palaver.storage.people.erasure import erase_assignment
from palaver.studies.intake.written_examples import ExampleIntake, ExampleSheet
from support.validating import Validation
from support.written_rounds import RoundDesk, Sent

FOOLED = Sent("The signal was to blame.", "entailed", "neutral")
OLGA = Actor(name="olga", via="desk")
HOURS = 7200.0


class Settling:
    """A round with one example of Ann's, and a study in which three others judge it."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.desk = RoundDesk(store)
        self.ann = self.desk.visit("ann")
        self.desk.session(self.ann, FOOLED)
        self.validation = Validation(self.desk)
        [example] = self.desk.examples()
        self.uid = example.uid

    def verdict(self, verdict: str | None) -> None:
        self.store.write_now(
            lambda c: give_verdict(
                c, self.desk.round, self.uid, verdict, by=OLGA, now=self.desk.now
            )
        )

    def gives_correct(self, c: Connection) -> None:
        give_verdict(c, self.desk.round, self.uid, "correct", by=OLGA, now=self.desk.now)

    def taken_back(self) -> None:
        self.store.write_now(
            lambda c: retract_example(c, self.uid, writer=self.ann.alias, now=self.desk.now)
        )

    def erased(self) -> None:
        self.store.write_now(lambda c: erase_assignment(c, self.ann.id, now=self.desk.now))

    def hold(self, person: str) -> Handed | Nothing:
        """Hand somebody their next sheet, or the one that they hold."""
        rater, plan = self.validation.rater(person), self.validation.plan
        return self.store.write_now(lambda c: hand_out(c, plan, rater, now=self.desk.now))

    def give_back(self) -> None:
        """Time passes, and what is held is given back."""
        limits = {(self.validation.study_id, 0): HOURS}
        later = self.desk.now + 2 * HOURS
        assert self.store.write_now(lambda c: abandon_stale(c, now=later, limits=limits)) == 1

    @property
    def places(self) -> dict[str, int]:
        [states] = self.validation.places().values()
        return dict(Counter(states))


@pytest.fixture
def elsewhere(store: Store) -> Iterator[Store]:
    """The store as another process has it; one process writes to SQLite."""
    if not store.is_postgres:
        yield store
        return
    opened = Store(store.url)
    yield opened
    opened.close()


@pytest.fixture
def settling(store: Store) -> Settling:
    return Settling(store)


def test_a_verdict_ends_the_free_places_and_taking_it_back_reopens_them(settling: Settling) -> None:
    settling.validation.take_in()
    settling.validation.judge("ben", "entailed")

    settling.verdict("incorrect")
    settling.verdict("flagged")
    assert "free" not in settling.places
    assert settling.validation.judge("cem", "entailed") is None
    # A process that takes in again finds nothing to add.
    assert settling.validation.take_in() == 0
    assert "free" not in settling.places

    settling.verdict(None)
    assert settling.places == {"free": 2, "done": 1}
    assert settling.validation.judge("cem", "entailed") is not None
    assert [each.standing for each in settling.desk.examples()] == ["correct"]


def test_whoever_holds_it_finishes_and_it_counts_as_their_judgement(settling: Settling) -> None:
    settling.validation.take_in()
    held = settling.hold("ben")

    settling.verdict("incorrect")
    assert settling.hold("ben") == held
    assert settling.validation.judge("ben", "entailed") is not None

    [example] = settling.desk.examples()
    assert [vote.mode for vote in example.votes] == ["user", "owner"]
    assert example.standing == "incorrect"
    settling.verdict(None)
    assert settling.places == {"free": 2, "done": 1}


@pytest.mark.parametrize(
    "settle", [lambda s: s.verdict("correct"), lambda s: s.taken_back(), lambda s: s.erased()]
)
def test_a_place_that_is_given_back_later_is_nobodys(
    settling: Settling, settle: Callable[[Settling], None]
) -> None:
    settling.validation.take_in()
    settling.hold("ben")
    settle(settling)
    assert settling.places["held"] == 1

    settling.give_back()

    assert set(settling.places) == {"abandoned"}
    for person in ("ben", "cem"):
        assert settling.hold(person) == Nothing("none_left")


def test_a_place_given_back_meanwhile_is_reopened_with_the_others(settling: Settling) -> None:
    settling.validation.take_in()
    settling.hold("ben")
    settling.verdict("correct")
    settling.give_back()

    settling.verdict(None)

    assert settling.places == {"abandoned": 1, "free": 3}


def test_what_its_writer_took_back_stays_away_whatever_the_owner_says(settling: Settling) -> None:
    settling.validation.take_in()
    settling.verdict("correct")
    settling.taken_back()
    settling.verdict(None)
    assert set(settling.places) == {"abandoned"}


def test_a_verdict_that_comes_first_leaves_no_place_free(settling: Settling) -> None:
    settling.verdict("correct")
    assert settling.validation.take_in() == 1
    assert settling.places == {"abandoned": 3}
    settling.verdict(None)
    assert settling.places == {"free": 3}


def read(settling: Settling) -> tuple[ExampleIntake, list[ExampleSheet]]:
    """What an intake has read and not stored yet."""
    validation, desk = settling.validation, settling.desk
    questions = list(validation.questions.values())
    intake = ExampleIntake(
        settling.store.lasting_secret(),
        validation.study_id,
        0,
        validation.stage,
        questions,
        desk.now,
    )
    session = settling.uid.rpartition("-")[0]
    ids = [settling.store.read_now(lambda c: load_dialogue(c, session)).id]
    return intake, settling.store.read_now(lambda c: intake.read(c, ids, [desk.round]))


@pytest.mark.parametrize("settle", [lambda s: s.verdict("correct"), lambda s: s.taken_back()])
def test_what_is_settled_while_it_is_taken_in_is_handed_to_nobody(
    settling: Settling, settle: Callable[[Settling], None]
) -> None:
    intake, shown = read(settling)
    settle(settling)
    settling.store.write_now(lambda c: intake.store(c, shown))
    assert settling.places == {"abandoned": 3}
    # A second process that has read the same adds no place.
    settling.store.write_now(lambda c: intake.store(c, shown))
    assert settling.places == {"abandoned": 3}


def at_once(one: Store, other: Store, works: Sequence[Callable[[Any], Any]]) -> None:
    """Do the second work in another process before the first is committed."""
    first, second = works
    begun = Event()

    def slowly(c: Any) -> None:
        first(c)
        begun.set()
        time.sleep(0.3)

    with ThreadPoolExecutor(2) as pool:
        slow = pool.submit(one.write_now, slowly)
        begun.wait()
        pool.submit(other.write_now, second).result()
        slow.result()


@pytest.mark.parametrize("first", ["verdict", "intake"])
def test_a_verdict_and_an_intake_at_the_same_moment_wait_for_each_other(
    settling: Settling, elsewhere: Store, first: str
) -> None:
    intake, shown = read(settling)
    works = [settling.gives_correct, lambda c: intake.store(c, shown)]
    at_once(settling.store, elsewhere, works if first == "verdict" else works[::-1])
    assert settling.places == {"abandoned": 3}


@pytest.mark.parametrize("first", ["verdict", "giving back"])
def test_a_verdict_and_a_place_that_is_given_back_wait_for_each_other(
    settling: Settling, elsewhere: Store, first: str
) -> None:
    settling.validation.take_in()
    settling.hold("ben")
    limits = {(settling.validation.study_id, 0): HOURS}
    later = settling.desk.now + 2 * HOURS
    works = [settling.gives_correct, lambda c: abandon_stale(c, now=later, limits=limits)]
    at_once(settling.store, elsewhere, works if first == "verdict" else works[::-1])
    assert settling.places == {"abandoned": 4}
    settling.verdict(None)
    assert settling.places == {"abandoned": 1, "free": 3}


def test_what_is_erased_while_it_is_taken_in_is_not_stored(settling: Settling) -> None:
    intake, shown = read(settling)
    settling.erased()
    assert settling.store.write_now(lambda c: intake.store(c, shown)) == 0
    assert settling.validation.places() == {}


def test_a_verdict_that_is_not_committed_ends_nothing(settling: Settling) -> None:
    settling.validation.take_in()

    def dies(c: Any) -> None:
        give_verdict(c, settling.desk.round, settling.uid, "correct", by=OLGA, now=1.0)
        raise RuntimeError("killed")

    with pytest.raises(RuntimeError, match="killed"):
        settling.store.write_now(dies)
    assert settling.places == {"free": 3}
    assert [each.standing for each in settling.desk.examples()] == ["waiting"]


def test_verdicts_amid_raters_who_come_and_give_back_lose_and_add_no_place(
    settling: Settling, elsewhere: Store
) -> None:
    settling.validation.take_in()
    stores, validation = (settling.store, elsewhere), settling.validation
    raters = [validation.rater(f"r{n}") for n in range(24)]
    plan, limits = validation.plan, {(validation.study_id, 0): 0.0}

    def again(n: int, work: Callable[[Any], Any]) -> Any:
        while True:
            try:
                return stores[n % 2].write_now(work)
            except ConflictError:
                continue

    def come(n: int) -> None:
        """Every third one finishes; of the others time runs out."""
        handed = again(n, lambda c: hand_out(c, plan, raters[n], now=float(n)))
        if isinstance(handed, Handed) and n % 8 == 0:
            try:
                again(n, lambda c: finish(c, plan, raters[n], handed.slot_id, now=float(n)))
            except InputError:
                return
        again(n, lambda c: abandon_stale(c, now=1e9, limits=limits))

    def decide(n: int) -> None:
        verdict = ("correct", None, "flagged", None)[n % 4]
        # A verdict comes to the process that the next rater does not come to.
        again(
            n + 1,
            lambda c: give_verdict(
                c, settling.desk.round, settling.uid, verdict, by=OLGA, now=float(n)
            ),
        )

    with ThreadPoolExecutor(8) as pool:
        works = [pool.submit(work, n) for n in range(24) for work in (come, decide)]
        for each in works:
            each.result()

    settling.verdict("incorrect")
    assert not {"free", "held"} & set(settling.places)
    settling.verdict(None)
    assert settling.places.get("free", 0) + settling.places.get("done", 0) == 3
