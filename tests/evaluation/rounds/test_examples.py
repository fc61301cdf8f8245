"""The examples of a round: one per answered try, with what became of it and what was noticed."""

import pytest
from sqlalchemy import Connection

from palaver.evaluation.rounds.example_decisions import retract_example
from palaver.evaluation.rounds.examples import (
    FoldedSession,
    examples_of_writer,
    find_example,
    fold_sessions,
    read_written,
    sessions_of_round,
)
from palaver.storage import Store
from palaver.storage.dialogues.dialogues import dialogue_records
from palaver.storage.people.erasure import erase_assignment
from support.written_rounds import RoundDesk, Sent


@pytest.fixture
def desk(store: Store) -> RoundDesk:
    return RoundDesk(store)


def test_every_answered_try_is_an_example_and_the_kept_one_fools(desk: RoundDesk) -> None:
    ann = desk.visit("ann")
    key = desk.session(
        ann,
        Sent("The train was late.", answer="entailed"),
        Sent("No answer ever came to this one.", answer=None),
        Sent("Something went wrong on the rails.", answer="contradictory"),
        tag="trains",
    )

    first, second = desk.examples()

    assert (first.wrong, first.kept, first.is_fooling) == (False, False, False)
    assert (second.wrong, second.kept, second.is_fooling) == (True, True, True)
    assert second.uid == f"{key}-{second.seq}"
    assert (second.number, second.tag, second.why) == (2, "trains", "it says so")
    assert second.writer == ann.alias
    assert second.model == "weak-model@1"
    assert second.values["hypothesis"] == "Something went wrong on the rails."
    assert second.values["context"].startswith("The night train")
    assert second.answer == {"label": "contradictory"}
    assert second.standing == "waiting"


def test_other_rounds_and_sessions_without_an_answer_say_nothing(desk: RoundDesk) -> None:
    ann = desk.visit("ann")
    desk.session(ann, Sent("It was late again today.", answer=None))
    desk.session(ann, Sent("It was late in another round."), round_=7)

    assert desk.examples() == ()


def test_of_two_that_say_the_same_the_earlier_stands(desk: RoundDesk) -> None:
    ann, ben = desk.visit("ann"), desk.visit("ben")
    desk.session(ann, Sent("Nobody arrived on time."))
    desk.session(ben, Sent("nobody  arrived on time"))
    desk.session(ben, Sent("Nobody arrived on time."), context="c2")

    first, second, elsewhere = desk.examples()

    assert (first.notes, second.notes, elsewhere.notes) == ((), ("duplicate",), ())
    assert (first.writer, second.writer) == (ann.alias, ben.alias)


def test_what_was_not_kept_makes_nothing_a_duplicate(desk: RoundDesk) -> None:
    ann, ben = desk.visit("ann"), desk.visit("ben")
    desk.session(ann, Sent("Nobody arrived on time."), keep=False)
    desk.session(ben, Sent("Nobody arrived on time."))

    assert [example.notes for example in desk.examples()] == [(), ()]


@pytest.mark.parametrize(
    ("text", "noticed"),
    [
        ("a signal FAILED near hamburg", ("copied",)),
        ("A signal did not fail near Hamburg", ()),
        ("Der Zug kam nicht um sechs Uhr an", ("language",)),
        ("?!", ("empty",)),
    ],
)
def test_what_is_copied_empty_or_in_another_language_is_named(
    desk: RoundDesk, text: str, noticed: tuple[str, ...]
) -> None:
    desk.session(desk.visit("ann"), Sent(text))

    [example] = desk.examples()

    assert example.notes == noticed
    assert example.is_fooling


def test_whoever_withdraws_takes_their_examples_along_and_is_counted(desk: RoundDesk) -> None:
    ann, ben = desk.visit("ann"), desk.visit("ben")
    desk.session(ann, Sent("The signal was to blame."))
    desk.session(ben, Sent("Berlin was reached late."))
    desk.store.write_now(lambda c: erase_assignment(c, ann.id, now=desk.now))

    found = desk.store.read_now(lambda c: read_written(c, desk.round))

    assert [example.writer for example in found.examples] == [ben.alias]
    assert (found.sessions, found.erased) == (2, 1)


def test_a_round_is_read_as_its_dialogues_tell_it(desk: RoundDesk) -> None:
    ann, ben = desk.visit("ann"), desk.visit("ben")
    first = desk.session(
        ann, Sent("Nobody answered.", answer=None), Sent("The signal was to blame.")
    )
    desk.session(ben, Sent("Berlin was reached late."))
    desk.session(ben, Sent("This is of another round."), round_=2)
    desk.store.write_now(lambda c: retract_example(c, f"{first}-3", writer=ann.alias, now=desk.now))
    desk.store.write_now(lambda c: erase_assignment(c, ben.id, now=desk.now))

    def read(c: Connection) -> list[list[FoldedSession]]:
        records = dialogue_records(c, desk.round.study)
        ways = (sessions_of_round(c, desk.round), fold_sessions(records, desk.round))
        return [list(each) for each in ways]

    read_alone, told = desk.store.read_now(read)

    assert read_alone == told
    assert [session.is_erased for session in told] == [False, True]
    assert told[0].writing.retracted == {3}


def test_one_example_is_found_as_the_whole_round_tells_it(desk: RoundDesk) -> None:
    ann, ben = desk.visit("ann"), desk.visit("ben")
    desk.session(ann, Sent("Nobody arrived on time."))
    desk.session(ben, Sent("It ran."), Sent("nobody  arrived on time"))
    desk.session(ben, Sent("Nobody arrived on time."), context="c2")
    other = desk.session(ben, Sent("Nobody arrived on time."), round_=2)

    every = desk.examples()
    found = [desk.store.read_now(lambda c, e=e: find_example(c, desk.round, e.uid)) for e in every]

    assert found == list(every)
    for who in (ann, ben):
        own = desk.store.read_now(lambda c, w=who: examples_of_writer(c, desk.round, w.alias))
        assert own == tuple(each for each in every if each.writer == who.alias)
    assert desk.store.read_now(lambda c: examples_of_writer(c, desk.round, "nobody")) == ()
    assert [each.is_duplicate for each in every] == [False, False, True, False]
    for uid in (f"{other}-2", f"{every[0].dialogue}-1", "d_nobody-2", "x"):
        assert desk.store.read_now(lambda c, u=uid: find_example(c, desk.round, u)) is None
