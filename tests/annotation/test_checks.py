"""Gold sheets and attention questions: when they come, and what follows on mistakes."""

from typing import Any

import pytest

from palaver.annotation.assignment import Finished, Handed, Nothing, finish, hand_out, held
from palaver.annotation.plan import Check, RatePlan
from palaver.storage import Store
from palaver.storage.judging import slot_returns
from palaver.storage.people import rater_work
from support.sheets import (
    CHECK,
    STAGE,
    Visitor,
    add_known,
    add_real,
    add_study,
    dialogue_of,
    rate_plan,
    visitor,
)

BAR = Check(after=2, every=None, allowed_mistakes=1, on_fail="bar")


@pytest.fixture
def study_id(store: Store) -> int:
    return add_study(store)


@pytest.mark.parametrize(
    ("after", "every", "taken", "first"),
    [(4, None, 0, 4), (4, None, 1, None), (0, None, 0, 0), (4, 10, 1, 14), (2, 1, 3, 5)],
)
def test_when_a_check_is_due(after: int, every: int | None, taken: int, first: int | None) -> None:
    check = Check(after, every, 0, "bar")
    due = [done for done in range(100) if check.due(done, taken)]
    assert (due[0] if due else None) == first


def get(who: Visitor, plan: RatePlan, *, now: float = 1.0) -> Handed:
    handed = who.store.write_now(lambda c: hand_out(c, plan, who.rater, now=now))
    assert isinstance(handed, Handed), handed
    return handed


def done(who: Visitor, plan: RatePlan, handed: Handed, *, now: float = 1.0) -> Finished:
    return who.store.write_now(lambda c: finish(c, plan, who.rater, handed.slot_id, now=now))


def answer_gold(who: Visitor, handed: Handed, answers: dict[int, str]) -> None:
    who.answers(dialogue_of(handed.sheet), answers, purpose="gold", now=1.0, slot_id=handed.slot_id)


def purposes(who: Visitor, plan: RatePlan, count: int) -> str:
    """The purposes of the next sheets, "r" for real and "g" for gold, all answered rightly."""
    seen = ""
    for _ in range(count):
        handed = get(who, plan)
        seen += handed.sheet.purpose[0]
        if handed.sheet.purpose == "gold":
            answer_gold(who, handed, {2: "yes", 4: "yes", 6: "yes"})
        done(who, plan, handed)
    return seen


def test_gold_comes_after_so_many_sheets_and_then_again(store: Store, study_id: int) -> None:
    add_real(store, study_id, 20)
    for name in ("a", "b"):
        add_known(store, study_id, "gold", name, turns=3)
    once = rate_plan(study_id, gold=BAR)
    often = rate_plan(study_id, gold=Check(after=1, every=2, allowed_mistakes=0, on_fail="bar"))

    assert purposes(visitor(store, study_id, "ann"), once, 6) == "rrgrrr"
    # Two gold sheets are all there are.
    assert purposes(visitor(store, study_id, "ben"), often, 8) == "rgrrgrrr"


def test_each_rater_gets_gold_in_an_order_of_their_own(store: Store, study_id: int) -> None:
    for name in "abcdef":
        add_known(store, study_id, "gold", name, turns=1)
    plan = rate_plan(study_id, gold=Check(after=0, every=None, allowed_mistakes=0, on_fail="warn"))

    firsts = {get(visitor(store, study_id, f"r{n}"), plan).sheet.name for n in range(12)}

    assert len(firsts) > 1


def test_gold_is_graded_by_turns_and_too_many_mistakes_bar(store: Store, study_id: int) -> None:
    add_real(store, study_id, 10)
    add_known(store, study_id, "gold", "g", turns=4)
    plan = rate_plan(study_id, gold=BAR)
    fine, failing = visitor(store, study_id, "ann"), visitor(store, study_id, "ben")

    outcomes = []
    for who, answers in (
        (fine, {2: "yes", 4: "no", 6: "yes", 8: "yes"}),
        (failing, {2: "no", 4: "yes", 6: "yes"}),  # one wrong, one left out
    ):
        purposes(who, plan, 2)
        handed = get(who, plan)
        answer_gold(who, handed, answers)
        outcomes.append(done(who, plan, handed))

    assert outcomes == [Finished(1, "fine"), Finished(2, "barred")]
    get(fine, plan)
    barred = store.write_now(lambda c: hand_out(c, plan, failing.rater, now=2.0))
    assert barred == Nothing("barred")
    other_visit = visitor(store, study_id, "ben", "2").rater
    assert store.write_now(lambda c: hand_out(c, plan, other_visit, now=2.0)) == Nothing("barred")


def test_a_bar_that_is_lifted_is_none(store: Store, study_id: int) -> None:
    add_real(store, study_id, 2)
    plan, ann = rate_plan(study_id), visitor(store, study_id, "ann")
    for state in ("barred", "lifted"):
        store.write_now(
            lambda c, state=state: rater_work.record(
                c,
                participant_id=ann.rater.participant_id,
                name=plan.qualification,
                state=state,
                study_id=study_id,
                now=1.0,
            )
        )
        found = store.write_now(lambda c: hand_out(c, plan, ann.rater, now=2.0))
        assert (found == Nothing("barred")) == (state == "barred")


def test_a_second_thought_on_gold_counts(store: Store, study_id: int) -> None:
    add_known(store, study_id, "gold", "g", turns=2)
    plan = rate_plan(study_id, gold=Check(after=0, every=None, allowed_mistakes=0, on_fail="bar"))
    ann = visitor(store, study_id, "ann")
    handed = get(ann, plan)

    answer_gold(ann, handed, {2: "no", 4: "no"})
    answer_gold(ann, handed, {2: "yes", 4: "yes"})

    assert done(ann, plan, handed) == Finished(0, "fine")


def test_a_warning_is_recorded_and_the_work_goes_on(store: Store, study_id: int) -> None:
    add_real(store, study_id, 3)
    add_known(store, study_id, "gold", "g", turns=2)
    plan = rate_plan(study_id, gold=Check(after=0, every=None, allowed_mistakes=0, on_fail="warn"))
    ann = visitor(store, study_id, "ann")

    handed = get(ann, plan)
    answer_gold(ann, handed, {2: "no", 4: "yes"})

    assert done(ann, plan, handed) == Finished(1, "warned")
    person = ann.rater.participant_id
    assert store.read_now(lambda c: rater_work.standing(c, person, "apt-raters")) == "warned"
    assert get(ann, plan).sheet.purpose == "real"


def test_limits_count_real_sheets_only_and_the_last_check_still_comes(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 10)
    add_known(store, study_id, "gold", "g", turns=3)
    plan, ann = rate_plan(study_id, gold=BAR, per_visit=2), visitor(store, study_id, "ann")

    assert purposes(ann, plan, 3) == "rrg"
    full = store.write_now(lambda c: hand_out(c, plan, ann.rater, now=2.0))
    assert full == Nothing("visit_full")


def test_an_abandoned_gold_sheet_comes_back(store: Store, study_id: int) -> None:
    add_known(store, study_id, "gold", "g", turns=1)
    plan = rate_plan(study_id, gold=Check(after=0, every=None, allowed_mistakes=0, on_fail="bar"))
    ann = visitor(store, study_id, "ann")
    first = get(ann, plan)
    limits = {(study_id, STAGE): 60.0}
    store.write_now(lambda c: slot_returns.abandon_stale(c, now=1000.0, limits=limits))

    assert get(ann, plan, now=1001.0).slot_id == first.slot_id


def attend(who: Visitor, plan: RatePlan, answers: list[str]) -> list[Any]:
    """Work through sheets, giving these answers to attention questions in turn; what came of it."""
    left, outcomes = list(answers), []
    while left:
        handed = get(who, plan)
        assert handed == who.store.read_now(lambda c: held(c, plan, who.rater))
        if handed.attention is not None:
            answer_check(who, handed, left.pop(0))
            # A page that is loaded again still shows the question.
            assert get(who, plan).attention == handed.attention
        outcomes.append((handed.attention is not None, done(who, plan, handed).outcome))
    return outcomes


def answer_check(who: Visitor, handed: Handed, answer: str) -> None:
    key = add_known(who.store, who.study_id, "training", f"for {handed.slot_id}", turns=1)
    who.answers(
        key,
        {2: answer},
        purpose="attention",
        now=1.0,
        slot_id=handed.slot_id,
        question=CHECK,
    )


def test_attention_is_asked_on_real_sheets_and_missing_it_too_often_warns(
    store: Store, study_id: int
) -> None:
    add_real(store, study_id, 20)
    check = Check(after=1, every=2, allowed_mistakes=1, on_fail="warn")
    plan, ann = rate_plan(study_id, attention=check), visitor(store, study_id, "ann")

    outcomes = attend(ann, plan, ["no", "yes", "no", "yes"])

    assert outcomes == [
        *((False, "fine"), (True, "fine")),
        *((False, "fine"), (True, "fine")),  # the first mistake is allowed
        *((False, "fine"), (True, "fine")),
        *((False, "fine"), (True, "warned")),
    ]


def test_attention_can_bar_over_several_visits(store: Store, study_id: int) -> None:
    add_real(store, study_id, 20)
    check = Check(after=0, every=1, allowed_mistakes=1, on_fail="bar")
    plan = rate_plan(study_id, attention=check, per_visit=1)
    first, second = (visitor(store, study_id, "ann", visit) for visit in "12")

    assert attend(first, plan, ["yes"]) == [(True, "fine")]
    assert attend(second, plan, ["yes"]) == [(True, "barred")]
    third = visitor(store, study_id, "ann", "3").rater
    assert store.write_now(lambda c: hand_out(c, plan, third, now=2.0)) == Nothing("barred")
