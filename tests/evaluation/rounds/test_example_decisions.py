"""An example is taken back by its writer, and judged by its owner; both are events of its session."""

import pytest

from palaver.core.audit import Actor, AuditFilter
from palaver.core.errors import AccessError, InputError, UnknownNameError
from palaver.evaluation.rounds.example_decisions import give_verdict, retract_example
from palaver.storage import Store
from palaver.storage.audit.entries import all_entries
from palaver.storage.evaluation.rounds import set_round
from palaver.storage.people.erasure import erase_assignment
from support.written_rounds import RoundDesk, Sent

OLGA = Actor(name="olga", via="desk")


@pytest.fixture
def desk(store: Store) -> RoundDesk:
    return RoundDesk(store)


def acts(desk: RoundDesk) -> list[str]:
    entries = desk.store.read_now(lambda c: list(all_entries(c, AuditFilter())))
    return [entry.act for entry in entries if entry.act.startswith("loop.")]


def judge(desk: RoundDesk, uid: str, verdict: str | None, why: str = "") -> str:
    return desk.store.write_now(
        lambda c: give_verdict(c, desk.round, uid, verdict, why=why, by=OLGA, now=desk.now)
    ).standing


def take_back(desk: RoundDesk, uid: str, writer: str) -> None:
    desk.store.write_now(lambda c: retract_example(c, uid, writer=writer, now=desk.now))


def test_a_writer_takes_back_their_own_example_once(desk: RoundDesk) -> None:
    ann, ben = desk.visit("ann"), desk.visit("ben")
    desk.session(ann, Sent("The signal was to blame."))
    [example] = desk.examples()

    with pytest.raises(AccessError, match="whoever wrote"):
        take_back(desk, example.uid, ben.alias)
    take_back(desk, example.uid, ann.alias)
    take_back(desk, example.uid, ann.alias)

    [after] = desk.examples()
    assert after.retracted
    assert not after.is_fooling
    assert acts(desk) == ["loop.retract"]


def test_an_owner_settles_an_example_and_may_think_again(desk: RoundDesk) -> None:
    desk.session(desk.visit("ann"), Sent("The signal was to blame."))
    [example] = desk.examples()

    assert judge(desk, example.uid, "incorrect", "It is not said.") == "incorrect"
    assert judge(desk, example.uid, "incorrect", "It is not said.") == "incorrect"
    [after] = desk.examples()
    assert [(v.mode, v.verdict, v.rater, v.reason) for v in after.votes] == [
        ("owner", "incorrect", "olga", "It is not said.")
    ]
    assert judge(desk, example.uid, "correct") == "correct"
    assert judge(desk, example.uid, None) == "waiting"
    assert acts(desk) == ["loop.verdict"] * 3


@pytest.mark.parametrize("uid", ["", "d_nobody-3", "nonsense", "-", "d_x-y"])
def test_what_is_no_example_is_refused(desk: RoundDesk, uid: str) -> None:
    with pytest.raises(UnknownNameError, match="no example"):
        judge(desk, uid, "correct")
    with pytest.raises(UnknownNameError, match="no example"):
        take_back(desk, uid, "ann")


def test_a_try_that_was_never_answered_is_no_example(desk: RoundDesk) -> None:
    key = desk.session(desk.visit("ann"), Sent("Nobody answers.", answer=None))
    with pytest.raises(UnknownNameError):
        judge(desk, f"{key}-2", "correct")


def test_verdicts_are_one_of_three_and_come_before_the_round_is_closed(desk: RoundDesk) -> None:
    desk.session(desk.visit("ann"), Sent("The signal was to blame."))
    [example] = desk.examples()
    with pytest.raises(InputError, match="one of correct, incorrect, flagged"):
        judge(desk, example.uid, "maybe")
    with pytest.raises(InputError, match="500 characters"):
        judge(desk, example.uid, "flagged", "x" * 501)
    desk.round = desk.store.write_now(
        lambda c: set_round(c, desk.round.id, state="closed", now=desk.now)
    )
    with pytest.raises(InputError, match="closed"):
        judge(desk, example.uid, "correct")


def test_nothing_is_left_to_judge_of_somebody_who_withdrew(desk: RoundDesk) -> None:
    ann = desk.visit("ann")
    desk.session(ann, Sent("The signal was to blame."))
    [example] = desk.examples()
    desk.store.write_now(lambda c: erase_assignment(c, ann.id, now=desk.now))
    with pytest.raises(InputError, match="withdrawn"):
        judge(desk, example.uid, "correct")
