"""The one door for answers, on a real SQLite store."""

import asyncio

import pytest
from sqlalchemy import select

from palaver.annotation.submission import Accepted, PasteCount, submit, submit_answers
from palaver.core.errors import AnswerError, InputError
from palaver.core.questions import Comparative, Shown
from palaver.core.questions.text import FreeText
from palaver.core.units import dialogue_unit, pair_unit
from palaver.storage.judging.evidence import count_preferences
from palaver.storage.judging.tidy import label_records
from palaver.storage.schema import labels as labels_of

FUNNIER = Comparative(name="funnier", text="Which was funnier?", required=False)


def labels(bench):
    return bench.store.read_now(lambda connection: list(label_records(connection, "s")))


def send(bench, *submissions) -> list[Accepted]:
    return asyncio.run(submit_answers(bench.store, submissions))


def test_an_answer_becomes_a_label(bench):
    [accepted] = send(bench, bench.submission(answer="a"))

    [label] = labels(bench)
    assert (accepted.value, accepted.repeated, accepted.superseded) == ("first", False, None)
    assert (label.value, label.rater, label.unit) == (
        "first",
        bench.assignment.alias,
        bench.pair.key,
    )
    assert (label.seconds, label.time, label.purpose) == (4.5, 100.0, "real")
    assert label.assignment == bench.assignment.key


@pytest.mark.parametrize(
    ("answer", "order", "side"),
    [
        ("a", ("first", "second"), 0),
        ("a", ("second", "first"), 1),
        ("b", ("second", "first"), 0),
    ],
)
def test_the_stored_side_is_the_units_whatever_the_screen_showed(bench, answer, order, side):
    send(bench, bench.submission(answer=answer, shown=Shown(order=order)))

    [counted] = bench.store.read_now(
        lambda connection: count_preferences(connection, "s", "better")
    )
    talked_with = {unit.key: system for unit, system in zip(bench.members, "ab", strict=True)}
    winner = {"first": counted.first, "second": counted.second}[counted.value]
    assert winner == talked_with[bench.pair.members[side]]
    assert labels(bench)[0].shown_order == list(order)


def test_a_wrong_answer_stores_nothing(bench):
    with pytest.raises(AnswerError, match="takes 'a', 'b', 'tie'; got 'c'"):
        send(bench, bench.submission(answer="c"))

    assert labels(bench) == []


def test_a_form_is_stored_whole_or_not_at_all(bench):
    good = bench.submission(answer="a")
    bad = bench.submission(question=FUNNIER, answer="neither")

    with pytest.raises(AnswerError):
        send(bench, good, bad)

    assert labels(bench) == []


def test_a_required_question_may_not_be_skipped(bench):
    with pytest.raises(AnswerError, match="'better' must be answered"):
        send(bench, bench.submission(answer=None, abstain=True))


def test_an_abstention_is_stored_as_one(bench):
    [accepted] = send(bench, bench.submission(question=FUNNIER, answer=None, abstain=True))

    assert accepted.value is None
    assert [label.value for label in labels(bench)] == [None]
    assert bench.store.read_now(lambda c: count_preferences(c, "s", "funnier")) == []


def test_an_answer_cannot_be_given_and_skipped(bench):
    with pytest.raises(AnswerError, match="got the answer 'a' as well"):
        send(bench, bench.submission(question=FUNNIER, abstain=True))


def test_the_same_request_again_is_answered_with_the_first_result(bench):
    [first] = send(bench, bench.submission(answer="a", client_id="c1"))
    [again] = send(bench, bench.submission(answer="b", client_id="c1"))

    assert again == Accepted(first.id, "first", True, None)
    assert len(labels(bench)) == 1


def test_a_repeated_form_is_stored_once(bench):
    form = [
        bench.submission(client_id="f1:better"),
        bench.submission(question=FUNNIER, answer="tie", client_id="f1:funnier"),
    ]

    first, again = send(bench, *form), send(bench, *form)

    assert [each.repeated for each in again] == [True, True]
    assert [each.id for each in again] == [each.id for each in first]
    assert len(labels(bench)) == 2


def test_one_client_id_cannot_carry_two_answers(bench):
    with pytest.raises(InputError, match="'c1' was used for question 'better'"):
        send(
            bench,
            bench.submission(client_id="c1"),
            bench.submission(question=FUNNIER, client_id="c1"),
        )

    assert labels(bench) == []


def test_a_second_thought_supersedes_the_first(bench):
    [first] = send(bench, bench.submission(answer="a"))
    [second] = send(bench, bench.submission(answer="b", time=200.0))

    assert second.superseded == first.id
    assert [(label.value, label.superseded) for label in labels(bench)] == [
        ("first", True),
        ("second", False),
    ]
    [counted] = bench.store.read_now(lambda c: count_preferences(c, "s", "better"))
    assert (counted.value, counted.count) == ("second", 1)


def test_training_never_supersedes_the_real_answer(bench):
    send(bench, bench.submission(answer="a"))
    [training] = send(bench, bench.submission(answer="b", purpose="training"))

    assert training.superseded is None
    [counted] = bench.store.read_now(lambda c: count_preferences(c, "s", "better"))
    assert (counted.value, counted.count) == ("first", 1)


def test_people_and_simulated_raters_use_the_same_door(bench):
    robot = bench.submission(
        rater="sim:1",
        rater_kind="simulated",
        participant_id=None,
        assignment_id=None,
        answer="tie",
    )
    send(bench, bench.submission(answer="a"), robot)

    counted = bench.store.read_now(lambda c: count_preferences(c, "s", "better"))
    assert {(each.rater_kind, each.value) for each in counted} == {
        ("person", "first"),
        ("simulated", "tie"),
    }


def test_a_comparison_needs_a_pair(bench):
    with pytest.raises(InputError, match="compares two things"):
        send(bench, bench.submission(unit=bench.members[0], members=None))


def test_the_members_must_be_those_of_the_pair(bench):
    turned = (bench.members[1], bench.members[0])
    strange = (bench.members[0], dialogue_unit("elsewhere"))

    send(bench, bench.submission(members=turned))
    with pytest.raises(InputError, match="does not consist of"):
        send(bench, bench.submission(members=strange))


def test_a_unit_about_an_unknown_dialogue_is_refused(bench):
    members = (dialogue_unit("nowhere"), bench.members[1])

    with pytest.raises(InputError, match="'nowhere', which is not stored"):
        send(bench, bench.submission(unit=pair_unit(*members), members=members))


def test_many_raters_at_once_each_leave_one_label(bench):
    def robot(number: int):
        return bench.submission(
            rater=f"sim:{number}",
            rater_kind="simulated",
            participant_id=None,
            assignment_id=None,
            client_id="only",
        )

    async def crowd():
        return await asyncio.gather(
            *(submit_answers(bench.store, [robot(n)]) for n in range(40)),
            *(submit_answers(bench.store, [robot(n)]) for n in range(40)),
        )

    answers = asyncio.run(crowd())

    assert len(labels(bench)) == 40
    assert sum(accepted.repeated for [accepted] in answers) == 40


def test_submitting_on_a_connection_is_part_of_its_transaction(bench):
    def work(connection):
        submit(connection, bench.submission())
        raise InputError("something else went wrong")

    with pytest.raises(InputError, match="something else"):
        bench.store.write_now(work)

    assert labels(bench) == []


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        (None, (None, None)),
        (PasteCount(0, 0), (0, 0)),
        (PasteCount(2, 7), (2, 7)),
        (PasteCount(1, 10**9), (1, 10)),
        (PasteCount(10**9, -5), (1000, 0)),
        (PasteCount(0, 9), (0, 0)),
    ],
)
def test_what_a_page_says_of_pastes_is_kept_as_far_as_it_can_be_true(bench, said, kept):
    remark = FreeText(name="remark", text="Anything else?")
    unit = bench.members[0]
    send(
        bench,
        bench.submission(
            question=remark,
            unit=unit,
            members=None,
            shown=Shown(),
            answer="ten chars.",
            pastes=said,
        ),
    )

    rows = bench.store.read_now(lambda c: c.execute(select(labels_of.c.pastes, labels_of.c.pasted)))
    assert [tuple(row) for row in rows] == [kept]


def test_only_a_text_can_be_pasted(bench):
    send(bench, bench.submission(answer="a", pastes=PasteCount(3, 30)))

    rows = bench.store.read_now(lambda c: list(c.execute(select(labels_of.c.pastes))))
    assert [tuple(row) for row in rows] == [(None,)]
