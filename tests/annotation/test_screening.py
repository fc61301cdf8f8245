"""Training: rounds with feedback, mending, the rule that decides, attempts and the limit of people."""

import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from palaver.annotation.plan import ScreenPlan
from palaver.annotation.screening import (
    EnoughScreened,
    Screening,
    Settled,
    begin,
    current,
    finish_round,
    release_place,
)
from palaver.core.errors import ConflictError, InputError
from palaver.core.studies.progress import ConditionProgress
from palaver.storage import Store
from palaver.storage.judging.screenings import attempts_of
from palaver.storage.people import rater_work
from palaver.storage.studies import quotas
from support.sheets import (
    STAGE,
    Visitor,
    add_known,
    add_study,
    dialogue_of,
    screen_plan,
    visitor,
)

RIGHT = {2: "yes", 4: "yes", 6: "yes"}


@pytest.fixture
def study_id(store: Store) -> int:
    """A study with three rounds of three turns each; "yes" is always right."""
    study_id = add_study(store)
    for name in ("0", "1", "2"):
        add_known(store, study_id, "training", name, turns=3)
    return study_id


class Trainee:
    """Somebody in training; every step takes them a second."""

    def __init__(self, who: Visitor, plan: ScreenPlan) -> None:
        self.who, self.plan, self.now = who, plan, 10.0

    def begin(self) -> Screening | Settled | EnoughScreened:
        self.now += 1
        return self.who.store.write_now(lambda c: begin(c, self.plan, self.who.rater, now=self.now))

    def look(self) -> Screening | Settled | None:
        return self.who.store.read_now(lambda c: current(c, self.plan, self.who.rater))

    def send(self, answers: dict[int, str]) -> Screening | Settled:
        """Answer the round under way, or mend it, and have it graded."""
        self.now += 1
        at = self.look()
        assert isinstance(at, Screening)
        self.who.answers(dialogue_of(at.sheet), answers, purpose="training", now=self.now)
        return self.who.store.write_now(
            lambda c: finish_round(c, self.plan, self.who.rater, now=self.now)
        )

    def pass_rounds(self, count: int) -> None:
        for _ in range(count):
            assert isinstance(self.send(RIGHT), Screening)

    def standing(self) -> str | None:
        person, name = self.who.rater.participant_id, self.plan.qualification
        return self.who.store.read_now(lambda c: rater_work.standing(c, person, name))


def trainee(store: Store, plan: ScreenPlan, name: str = "ann", visit: str = "1") -> Trainee:
    return Trainee(visitor(store, plan.study_id, name, visit), plan)


def test_three_rounds_without_a_mistake_pass(store: Store, study_id: int) -> None:
    ann = trainee(store, screen_plan(study_id))
    assert ann.look() is None

    first = ann.begin()
    assert isinstance(first, Screening)
    assert (first.attempt, first.round, first.mending, first.wrong) == (1, 0, False, ())
    second = ann.send(RIGHT)
    assert isinstance(second, Screening)
    assert (second.round, second.mistakes, second.sheet.name) == (1, ((),), "1")
    ann.send(RIGHT)
    settled = ann.send(RIGHT)

    assert settled == ann.look() == ann.begin() == Settled(passed=True, again=False)
    assert ann.standing() == "passed"


def test_mistakes_are_mended_before_the_next_round(store: Store, study_id: int) -> None:
    ann = trainee(store, screen_plan(study_id))
    ann.begin()

    wrong = ann.send({2: "no", 4: "yes", 6: "no"})
    assert isinstance(wrong, Screening)
    assert (wrong.round, wrong.mending, wrong.mistakes) == (0, True, ((2, 6),))
    assert [right.unit.rpartition(":")[2] for right in wrong.wrong] == ["2", "6"]
    assert wrong.wrong[0].why == "It is apt."
    half = ann.send({2: "yes"})
    assert isinstance(half, Screening)
    assert (half.mending, len(half.wrong), half.mistakes) == (True, 1, ((2, 6),))
    assert ann.look() == half
    mended = ann.send({6: "yes"})

    assert isinstance(mended, Screening)
    assert (mended.round, mended.mending, mended.mistakes) == (1, False, ((2, 6),))


def test_a_turn_that_was_left_out_is_wrong(store: Store, study_id: int) -> None:
    ann = trainee(store, screen_plan(study_id))
    ann.begin()
    graded = ann.send({2: "yes"})
    assert isinstance(graded, Screening)
    assert graded.mistakes == ((4, 6),)


def test_the_first_answers_of_the_counted_rounds_decide(store: Store, study_id: int) -> None:
    ann = trainee(store, screen_plan(study_id))
    ann.begin()
    for _ in range(2):  # many mistakes in rounds that do not count
        ann.send({2: "no", 4: "no", 6: "no"})
        ann.send(RIGHT)

    allowed = ann.send({2: "no", 4: "yes", 6: "yes"})

    assert isinstance(allowed, Screening)
    assert (allowed.round, allowed.mending) == (2, True)
    assert ann.send(RIGHT) == Settled(passed=True, again=False)
    assert ann.standing() == "passed"


def test_failing_the_last_counted_round_ends_at_once_without_feedback(
    store: Store, study_id: int
) -> None:
    ann = trainee(store, screen_plan(study_id))
    ann.begin()
    ann.pass_rounds(2)

    settled = ann.send({2: "no", 4: "no", 6: "yes"})

    assert settled == ann.look() == ann.begin() == Settled(passed=False, again=False)
    assert ann.standing() == "failed"
    [attempt] = of_person(store, ann)
    assert (attempt.passed, attempt.mistakes) == (False, ((), (), (2, 4)))


def of_person(store: Store, who: Trainee) -> list[Any]:
    person, study_id = who.who.rater.participant_id, who.plan.study_id
    return store.read_now(
        lambda c: attempts_of(c, study_id=study_id, stage=STAGE, participant_id=person)
    )


@pytest.mark.parametrize(("mistakes", "passed"), [(2, True), (1, False)])
def test_mistakes_add_up_over_the_rounds_that_count(
    store: Store, study_id: int, mistakes: int, passed: bool
) -> None:
    ann = trainee(store, screen_plan(study_id, passing_rounds=(1, 2), mistakes=mistakes))
    ann.begin()
    ann.send({2: "no", 4: "yes", 6: "yes"})
    ann.send(RIGHT)

    settled = ann.send({2: "yes", 4: "no", 6: "yes"})

    if not passed:
        assert settled == Settled(passed=False, again=False)
        return
    ann.send(RIGHT)
    # The round after the last that counts is practice.
    ann.send({2: "no", 4: "no", 6: "no"})
    assert ann.send(RIGHT) == Settled(passed=True, again=False)


def test_a_second_attempt_starts_afresh(store: Store, study_id: int) -> None:
    ann = trainee(store, screen_plan(study_id, attempts=2))
    ann.begin()
    ann.pass_rounds(2)
    assert ann.send({}) == ann.look() == Settled(passed=False, again=True)
    assert ann.standing() is None

    second = ann.begin()
    assert isinstance(second, Screening)
    assert (second.attempt, second.round, second.mistakes) == (2, 0, ())
    # What was answered in the first attempt does not count in the second.
    graded = ann.send({2: "yes"})
    assert isinstance(graded, Screening)
    assert graded.mistakes == ((4, 6),)
    ann.send(RIGHT)
    ann.pass_rounds(1)
    assert ann.send({}) == Settled(passed=False, again=False)
    assert ann.standing() == "failed"


def test_attempts_are_counted_over_visits(store: Store, study_id: int) -> None:
    plan = screen_plan(study_id, attempts=2)
    for visit, expected in (("1", Settled(False, True)), ("2", Settled(False, False))):
        ann = trainee(store, plan, visit=visit)
        ann.now = 100.0 * int(visit)
        ann.begin()
        ann.pass_rounds(2)
        assert ann.send({}) == expected

    assert trainee(store, plan, visit="3").begin() == Settled(passed=False, again=False)


def test_an_attempt_belongs_to_its_visit_and_goes_on_there(store: Store, study_id: int) -> None:
    plan = screen_plan(study_id)
    first, second = (trainee(store, plan, visit=visit) for visit in "12")
    first.begin()
    first.pass_rounds(1)

    begun = second.begin()
    assert isinstance(begun, Screening)
    assert begun.round == 0
    resumed = first.begin()
    assert isinstance(resumed, Screening)
    assert resumed.round == 1


def test_whoever_passed_or_failed_elsewhere_is_not_asked_again(store: Store, study_id: int) -> None:
    plan = screen_plan(study_id)
    for name, state, passed in (
        ("ann", "passed", True),
        ("ben", "failed", False),
        ("cem", "barred", False),
    ):
        who = trainee(store, plan, name)
        person = who.who.rater.participant_id
        store.write_now(
            lambda c, person=person, state=state: rater_work.record(
                c,
                participant_id=person,
                name=plan.qualification,
                state=state,
                study_id=study_id,
                now=1.0,
            )
        )
        assert who.begin() == who.look() == Settled(passed=passed, again=False)


def test_a_failure_that_is_lifted_gives_new_attempts(store: Store, study_id: int) -> None:
    ann = trainee(store, screen_plan(study_id))
    ann.begin()
    ann.pass_rounds(2)
    ann.send({})
    person, name = ann.who.rater.participant_id, ann.plan.qualification
    ann.now += 1
    store.write_now(
        lambda c: rater_work.record(
            c, participant_id=person, name=name, state="lifted", study_id=study_id, now=ann.now
        )
    )

    assert ann.look() is None
    again = ann.begin()
    assert isinstance(again, Screening)
    assert again.attempt == 2


def test_without_an_attempt_there_is_nothing_to_finish(store: Store, study_id: int) -> None:
    ann = trainee(store, screen_plan(study_id))
    with pytest.raises(InputError, match="No practice is under way"):
        store.write_now(lambda c: finish_round(c, ann.plan, ann.who.rater, now=1.0))


def screened(store: Store, study_id: int, at_most: int) -> ConditionProgress:
    needed = {"screening": at_most}
    [found] = store.read_now(lambda c: quotas.progress(c, study_id, STAGE, needed))
    return found


def test_so_many_people_are_screened_and_no_more(store: Store, study_id: int) -> None:
    plan = screen_plan(study_id, at_most=2, attempts=2)
    ann, ben, cem = (trainee(store, plan, name) for name in ("ann", "ben", "cem"))
    ann.begin()
    ben.begin()
    assert cem.begin() == EnoughScreened()

    ann.pass_rounds(2)
    assert ann.send({}) == Settled(passed=False, again=True)
    # They were screened: the place stays theirs, and a second attempt takes no other.
    assert isinstance(ann.begin(), Screening)
    assert isinstance(trainee(store, plan, "ann", "2").begin(), Screening)
    assert screened(store, study_id, 2) == ConditionProgress("screening", 2, held=1, done=1)
    assert cem.begin() == EnoughScreened()

    # Ben leaves in the middle; Cem gets his place, and Ben finds it taken.
    store.write_now(lambda c: release_place(c, ben.who.rater, STAGE))
    assert isinstance(cem.begin(), Screening)
    assert ben.begin() == EnoughScreened()

    more = trainee(store, screen_plan(study_id, at_most=3), "dan")
    assert isinstance(more.begin(), Screening)


def test_many_at_once_never_pass_the_limit(store: Store, study_id: int) -> None:
    plan = screen_plan(study_id, at_most=7)
    stores = [store, Store(store.url)] if store.is_postgres else [store, store]
    people = [trainee(store, plan, f"r{n}").who.rater for n in range(30)]

    def ask(number: int) -> Any:
        rater, here = people[number // 2], stores[number % 2]
        while True:
            try:
                return here.write_now(lambda c: begin(c, plan, rater, now=1.0))
            except ConflictError:
                time.sleep(0.001)

    try:
        with ThreadPoolExecutor(20) as pool:
            begun = list(pool.map(ask, range(60)))
    finally:
        if stores[1] is not store:
            stores[1].close()

    got = {n // 2 for n, each in enumerate(begun) if isinstance(each, Screening)}
    assert len(got) == 7
    assert screened(store, study_id, 7).held == 7


def test_a_restart_keeps_where_everybody_is(database_url: str) -> None:
    store = Store(database_url)
    study_id = add_study(store)
    for name in ("0", "1", "2"):
        add_known(store, study_id, "training", name, turns=3)
    ann = trainee(store, screen_plan(study_id))
    ann.begin()
    ann.pass_rounds(1)
    before = ann.send({2: "no", 4: "yes", 6: "yes"})
    store.close()

    again = Store(database_url)
    try:
        ann.who.store = again
        assert ann.look() == before
        mended = ann.send({2: "yes"})
        assert isinstance(mended, Screening)
        assert mended.round == 2
    finally:
        again.close()
